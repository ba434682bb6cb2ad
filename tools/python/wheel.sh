#!/usr/bin/env bash
# wheel.sh PYTHON FOLDER [PIP ARGUMENT]...: builds the wheel of the repository with pip into FOLDER, and gives it the tag of the
# oldest systems that it runs on, manylinux_2_N, which auditwheel finds by what the libraries in it need. Prints its name.
# PYTHON must have pip; auditwheel and wheel come from PyPI where they are missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT

for module in auditwheel wheel; do
    "$python" -c "import $module" 2>/dev/null || "$python" -m pip install -q --disable-pip-version-check "$module" >&2
done
"$python" -m pip wheel --disable-pip-version-check --no-deps "${@:3}" -w "$plain" "$root" >&2
# The first tag that it names is that of the wheel as it is.
"$python" -m auditwheel show "$plain"/aicjit-*.whl >"$plain/show"
cat "$plain/show" >&2
tag=$(sed -nE 's/.*"(manylinux_[0-9]+_[0-9]+_[a-z0-9_]+)".*/\1/p' "$plain/show" | head -n 1)
[ -n "$tag" ] || { echo "wheel.sh: auditwheel finds no manylinux tag" >&2 && exit 1; }
"$python" -m wheel tags --remove --platform-tag "$tag" "$plain"/aicjit-*.whl >&2
mv "$plain/"aicjit-*"$tag.whl" "$folder"
ls "$folder"/aicjit-*"$tag.whl"
