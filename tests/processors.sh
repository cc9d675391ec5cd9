#!/usr/bin/env bash
# All tests under the kernels of matrix products that other processors have, as far as this machine can run them, and
# with numpy's vector loops switched off: make processors. With --another, unit and contract tests under one of them.
set -uo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
run() { "$python" -m pytest -q -n "${WORKERS:-$(getconf _NPROCESSORS_ONLN)}" --dist worksteal -p no:cacheprovider "$@"; }

if [ "${1:-}" = --another ]; then
    variable=$("$python" -m tests.kit.processors)
    [ "$variable" ] || { echo "this machine has no other kernels: nothing to run"; exit 0; }
    echo "unit and contract tests with $variable"
    export "${variable?}"
    run -m 'not slow' --hypothesis-profile quick tests/unit tests/contract
    exit
fi

table=$(printf '%-28s %s' kernels result)
failed=0
while IFS=$'\t' read -r name variable; do
    echo "== $name ($variable)"
    mkdir -p build/processors
    log=build/processors/${name// /_}.log
    if env "$variable" bash -c "$(declare -f run); python=$python; WORKERS=${WORKERS:-}; run tests --pyargs poolwise" > "$log" 2>&1
    then :; else failed=1; grep '^FAILED\|^ERROR' "$log"; fi
    table+=$(printf '\n%-28s %s' "$name" "$(tail -1 "$log")")
done < <("$python" -m tests.kit.processors --all)
echo "$table"
exit $failed
