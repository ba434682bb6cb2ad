#!/usr/bin/env bash
# fetched.sh BUILD: an environment in BUILD with what the tests take from PyPI: onnx and its runtime, a type checker, what makes
# wheels. It is made once, for all of them, and prints the name of its Python; where PyPI cannot be reached, nothing. Where it
# has only a part, the tests that want more say so.
set -euo pipefail

folder=$(cd "$1" && pwd)/onnx
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
venv=$folder/venv

# Python's own way to have pip in an environment compiles all of it, which takes seconds: the one that there is can fetch it.
if [ ! -f "$folder/complete" ]; then
    rm -rf "$venv"
    install=(python3 -m pip --python "$venv/bin/python")
    if python3 -m pip help 2>/dev/null | grep -e --python >/dev/null; then
        python3 -m venv --without-pip "$venv"
    else
        python3 -m venv "$venv"
        install=("$venv/bin/python" -m pip)
    fi
    install+=(install -q --disable-pip-version-check --no-compile pip numpy)
    if "${install[@]}" auditwheel wheel mypy pytest onnx onnxruntime >"$folder/log" 2>&1; then
        touch "$folder/complete"
    elif ! "${install[@]}" auditwheel wheel mypy >"$folder/log" 2>&1 && ! "${install[@]}" >"$folder/log" 2>&1; then
        exit 0
    fi
fi
echo "$venv/bin/python"
