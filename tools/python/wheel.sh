#!/usr/bin/env bash
# wheel.sh PYTHON FOLDER [PIP ARGUMENT]...: builds the wheel of the repository with pip into FOLDER, and gives it the tag of the
# oldest systems that it runs on, manylinux_2_N, by auditwheel, which looks at what the libraries in it need. Prints its name.
# PYTHON must have pip; auditwheel comes from PyPI where it is missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT

"$python" -m auditwheel --version >/dev/null 2>&1 || "$python" -m pip install -q --disable-pip-version-check auditwheel >&2
"$python" -m pip wheel --disable-pip-version-check --no-deps "${@:3}" -w "$plain" "$root" >&2
"$python" -m auditwheel show "$plain"/aicjit-*.whl >&2
"$python" -m auditwheel addtag -w "$plain/tagged" "$plain"/aicjit-*.whl >&2
mv "$plain"/tagged/aicjit-*manylinux*.whl "$folder"
ls "$folder"/aicjit-*manylinux*.whl
