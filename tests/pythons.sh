#!/usr/bin/env bash
# The quick tests on several Pythons, each in an environment of its own: make pythons
# Without arguments, every version from 3.11 to 3.14 is looked for: on the path, then where pyenv keeps its own.
set -euo pipefail
cd "$(dirname "$0")/.."

found() {  # the first interpreter of this version that runs
    local candidate
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
        if [ "$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
}

interpreters=("$@")
if [ ${#interpreters[@]} = 0 ]; then
    for version in 3.11 3.12 3.13 3.14; do
        interpreter=$(found "$version")
        if [ "$interpreter" ]; then interpreters+=("$interpreter"); else echo "Python $version: not found"; fi
    done
fi
[ ${#interpreters[@]} -gt 0 ] || { echo "no Python was found; name some: make pythons PYTHONS=path/to/python"; exit 1; }

failed=()
for interpreter in "${interpreters[@]}"; do
    version=$("$interpreter" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    environment=build/pythons/$version
    [ -x "$environment/bin/python" ] || "$interpreter" -m venv "$environment"
    echo "Python $version"
    "$environment/bin/python" -m pip install -q '.[quick]'
    # shellcheck disable=SC2086  # several folders
    "$environment/bin/python" -m pytest -q -x -n "$(getconf _NPROCESSORS_ONLN)" --dist worksteal -p no:cacheprovider -m 'not slow' ${QUICK:-tests/unit} || failed+=("$version")
done
[ ${#failed[@]} = 0 ] || { echo "failed on Python ${failed[*]}"; exit 1; }
