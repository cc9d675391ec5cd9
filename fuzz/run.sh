#!/bin/sh
# Fuzzes the core under AddressSanitizer and UndefinedBehaviorSanitizer: fuzz/run.sh SECONDS [TARGET...]
# The seconds are shared by the targets. New inputs stay in fuzz/build; faulty ones in fuzz/build/found.
# CXX: clang 14 or later with libFuzzer. SANITIZERS=thread looks for data races instead.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:?usage: fuzz/run.sh SECONDS [TARGET...]}
shift
[ $# -gt 0 ] || set -- read_run read_labels numbers names score
compiler=${CXX:-$(command -v clang++ || command -v clang++-14 || echo clang++)}
sanitizers=${SANITIZERS:-address,undefined}
build=$here/build/$sanitizers
found=$here/build/found
mkdir -p "$build" "$found"
each=$((seconds / $#))
for target in "$@"; do
    # Lines of over 500 bytes count as too long here, so that short inputs reach that check.
    "$compiler" -std=c++17 -O2 -g -fno-omit-frame-pointer -ffp-contract=off -Wall -Wextra \
        "-fsanitize=fuzzer,$sanitizers" -fno-sanitize-recover=all -DPOOLWISE_LONGEST_LINE=500 -DPOOLWISE_HASH_SEED=1 \
        -I"$here/../src/core" "$here/$target.cpp" -o "$build/$target" -pthread
done
for target in "$@"; do
    mkdir -p "$build/corpus/$target"
    echo "== $target: $each s"
    "$build/$target" "$build/corpus/$target" "$here/corpus/$target" -dict="$here/words.dict" -max_len=2000 \
        -max_total_time="$each" -timeout=120 -rss_limit_mb=2048 -artifact_prefix="$found/$target-" -print_final_stats=1 \
        >"$build/$target.log" 2>&1 || {
        tail -40 "$build/$target.log"
        exit 1
    }
    grep -E '^Done|stat::number_of_executed_units' "$build/$target.log"
done
