#!/usr/bin/env bash
# Line and branch coverage of the Python source and of the compiled core: make covered
# An instrumented core is built beside a copy of the source, so that nothing here is touched.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/.venv/bin/python
build=$PWD/build/covered
mkdir -p "$build/core"
rm -rf "$build/tree"
mkdir "$build/tree"
cp -r src tests docs benchmarks pyproject.toml CMakeLists.txt mkdocs.yml README.md CHANGELOG.md CONTRIBUTING.md "$build/tree"
PATH=$PWD/.venv/bin:$PATH cmake -G Ninja -S "$build/tree" -B "$build/core" -DPython_EXECUTABLE="$python" \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="--coverage -O1 -fprofile-update=atomic" \
    -DCMAKE_MODULE_LINKER_FLAGS=--coverage
PATH=$PWD/.venv/bin:$PATH ninja -C "$build/core"
find "$build/core" -name "*.gcda" -delete  # what an earlier run went through
cp "$build"/core/_core*.so "$build/tree/src/poolwise/"
cd "$build/tree"
export PYTHONPATH=$build/tree/src
failed=0  # what was run through is told all the same
"$python" -m coverage run -m pytest -q -p no:cacheprovider \
    ${TESTS:-tests/unit tests/contract tests/golden tests/cli tests/report tests/docs src/poolwise} || failed=$?
"$python" -m coverage combine -q
"$python" -m coverage report --skip-covered --sort=cover
# Branches to the handling of exceptions, which the compiler adds at every call, do not count.
"$python" -m gcovr --root . --filter src/core/ --exclude-throw-branches --merge-mode-functions separate --txt-summary --txt - "$build/core"
exit "$failed"
