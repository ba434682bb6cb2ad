#!/usr/bin/env bash
# wheel.sh BUILD: `pip wheel` of the repository, tagged by auditwheel, installed in an empty virtual environment and used there: it needs no library
# but the C library, no LLVM, and nothing of the environment. Its build tool, auditwheel and NumPy come from PyPI; where that cannot be
# reached nothing is tested, and that is said.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# check NAME COMMAND...: one test; what the command prints explains a failure.
check() {
    if "${@:2}" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        tail -n 40 "$work/log"
    fi
}

# What makes the wheel, and a type checker, are not of the environment in which it is used.
tools=$(bash "$root/tests/python/fetched.sh" "$1")
if [ -z "$tools" ]; then
    echo "the wheel: not run, PyPI cannot be reached"
    echo "0 passed, 0 failed"
    exit 0
fi
python3 -m venv --without-pip "$work/venv"

# Of the objects of BUILD, with the parts of one kernel at this machine's level alone: what is in the wheel and what it needs
# is tested here.
kernel="conv2d(dtype=int8, fm_shape=[1,14,14,32], kernel_shape=[1,3,3,64,32])"
echo "$kernel" >"$work/shapes.txt"
AIC_BUILT=$(cd "$1" && pwd)
export AIC_BUILT
level=$("$1/aicjit" info | sed -n 's/^used by default *//p')
made() {
    local name settings=("--config-settings=cmake.define.AIC_READY_LEVELS=$level"
        "--config-settings=cmake.define.AIC_READY_SHAPES=$work/shapes.txt"
        "--config-settings=cmake.define.CMAKE_C_COMPILER_LAUNCHER=$root/tests/install/launcher.sh")
    for name in CMAKE_C_COMPILER CMAKE_C_FLAGS AIC_WERROR; do
        settings+=("--config-settings=cmake.define.$name=$(sed -n "s,^$name:[A-Z]*=,,p" "$1/CMakeCache.txt")")
    done
    env CMAKE_BUILD_PARALLEL_LEVEL=2 bash "$root/tools/python/wheel.sh" "$tools" "$work" "${settings[@]}" \
        --config-settings=cmake.build-type="$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$1/CMakeCache.txt")"
}
check "pip wheel, and auditwheel's tag" made "$AIC_BUILT"
install() {
    "$tools" -m pip --python "$work/venv/bin/python" install --disable-pip-version-check --no-compile "$work"/aicjit-*-py3-none-manylinux*.whl
}
check "pip install" install
package=$(cd "$work" && "$work/venv/bin/python" -c 'import aicjit, os; print(os.path.dirname(aicjit.__file__))')

# Libraries that are needed, but for the C library and its parts, and the package's own, beside which the tool lies.
strangers() {
    local library
    for library in "$package"/*.so* "$package/aicjit-tool"; do
        readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
    done | grep -Ev '^(libc|libm|libpthread|libdl|librt)\.so\.[0-9]+$|^ld-linux|^libaicjit\.so\.' | sort -u >"$work/strangers" || true
    cat "$work/strangers"
    [ ! -s "$work/strangers" ]
}
check "no library but the C library is needed" strangers

# tools/python/older_libc.c has it, and so the wheel runs on systems older than the one that it was made on.
older_libc() { readelf --dyn-syms -W "$package/libaicjit-codegen.so.0.2" >"$work/symbols" && ! grep arc4random "$work/symbols"; }
check "what older C libraries lack is in it" older_libc

cat >"$work/use.py" <<'USE'
import os, sys
import aicjit, numpy as np
assert aicjit.__file__.startswith(sys.argv[1]), aicjit.__file__
random = np.random.default_rng(1)
x = random.integers(-128, 128, (2, 9, 8, 32)).astype(np.int8)
w = random.integers(-128, 128, (2, 3, 3, 32, 32)).astype(np.int8)
y = aicjit.conv2d(x, w, pad=(1, 1, 1, 1), context=aicjit.Context(threads=2, cache="off"))
spec = aicjit.op("conv2d", dtype=x.dtype, fm_shape=x.shape, kernel_shape=w.shape, pad=(1, 1, 1, 1))
assert np.array_equal(y, aicjit.reference(spec, x, w))
kernel = aicjit.compile("tensor_arithmetic(op=BM_ADD, shape=[1,8,256,256])", context=aicjit.Context(threads=2, cache="off"))
a = np.ones((1, 8, 256, 256), np.float32)
assert (kernel(a, a) == 2).all() and kernel.threads == 2
mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
own = {os.path.basename(name) for name in mapped if name.startswith(sys.argv[1])}
assert own >= {"libaicjit.so.0.2", "libaicjit-codegen.so.0.2"}, own
assert "libpthreadpool.so.0" in own or not os.path.exists(sys.argv[1] + "/libpthreadpool.so.0"), own
assert not any("libLLVM" in name or "libffi" in name for name in mapped if "aicjit" in name), mapped
print(kernel.asm[:20], aicjit.llvm_version())
USE
cat >"$work/ready.py" <<'READY'
import glob, sys
import aicjit
levels = {name[:-len(".parts")].rpartition(".0.2.")[2] for name in glob.glob(sys.argv[1] + "/libaicjit-codegen.so.0.2.*.parts")}
kernel = aicjit.compile(sys.argv[3], context=aicjit.Context(cache="rw", cache_dir=sys.argv[2]))
assert levels and kernel.isa in levels, (kernel.isa, levels)
assert kernel.parts["loaded"] > 0 and kernel.parts["made"] == 0, kernel.parts
READY
ready_parts() { mkdir "$work/cache" && (cd / && env -i "$work/venv/bin/python" "$work/ready.py" "$package" "$work/cache" "$kernel"); }
in_empty_environment() { (cd / && env -i "$work/venv/bin/python" "$work/use.py" "$package"); }
check "works in an empty environment" in_empty_environment
if [ "$(uname -m)" = x86_64 ]; then check "has ready-made parts, and loads them" ready_parts; fi
tool() { (cd / && env -i "$work/venv/bin/python" -m aicjit run "tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4])" \
    --fill input0=const:1 --fill input1=const:2 --out "output=$work/sum.npy" && test -s "$work/sum.npy"); }
check "python -m aicjit is the tool" tool
command_tool() { (cd / && env -i "$work/venv/bin/aicjit" help conv2d | grep fm_shape); }
check "pip installs the command aicjit" command_tool
check "has stubs and terms" test -f "$package/operators.pyi" -a -f "$package/__init__.pyi" -a -f "$package/py.typed"
# A program of 25 lines, by a type checker that reads the stubs alone. What it finds out of other modules is kept for onnx.sh.
types() {
    local kept=${AIC_TEST_CACHE:-$work}
    cp "$root/tests/python/user.py" "$work"
    (cd "$work" && flock "$kept/mypy.lock" \
        "$tools" -m mypy --strict --cache-dir="$kept/mypy" --python-executable "$work/venv/bin/python" user.py)
}
if "$tools" -c 'import mypy' 2>/dev/null; then
    check "mypy --strict" types
else
    echo "mypy --strict: not run, mypy cannot be had"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
