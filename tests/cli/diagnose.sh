#!/usr/bin/env bash
# aicjit run --diagnose: counts and first coordinates, JSON, and a page with pictures of the result's channels.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# The scale is 1: of 16 channels, each a constant sum, 3 * 32 * 2 = 192 is beyond 127.
conv='conv2d(dtype=int8, fm_shape=[1,3,5,32], kernel_shape=[1,1,1,32,32])'
layer="$conv | fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, deqScalar=quant(1,0,int8))"
fills=(--fill feature_map=const:3 --fill weight=const:2)

expect 'counts' 0 '^diagnosis of dst, 480 elements:$' "$aicjit" run "$layer" "${fills[@]}" --diagnose
ok 'limits' grep -qx '  at_limit         480, first dst\[0,0,0\]: .*' .out
ok 'by channel' grep -qx '  *in 32 channels, most in 0 (15), 1 (15), 2 (15), 3 (15), 4 (15), 5 (15)' .out
ok 'the result is shown as ever' grep -q '^dst: int8\[480\] min 127 max 127' .out
expect 'nothing' 0 '^  nothing to tell$' "$aicjit" run "$layer" --fill feature_map=const:1 --fill weight=const:2 --diagnose
expect 'the reference, too' 0 '^  clamped  *480, first' "$aicjit" run "$layer" "${fills[@]}" --diagnose --reference

old='mmad(dtype=int8, m=2, k=1, n=16, init_c=false)'
expect 'an old output' 0 '^  int_overflow  *32, first c\[0,0\]: ' "$aicjit" run "$old" --fill a=const:1 --fill b=const:1 \
    --fill c=const:2147483647 --diagnose
ok 'is read before it is written' grep -q '^  old_read  *32, first c\[0,0\]: ' .out

# ---- JSON ----

expect 'JSON' 0 '' "$aicjit" run "$layer" "${fills[@]}" --diagnose --json --choice relu=after --reference
# members: prints what the object says.
members() {
    python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
e = {event["name"]: event for event in d["events"]}
print(d["operand"], d["elements"], d["choices"], sorted(e), e["clamped"]["count"], e["clamped"]["first"], e["clamped"]["channels"]["7"])' "$1"
}
ok 'its members' test "$(members .out)" = "dst 480 relu=after ['at_limit', 'clamped'] 480 [0, 0, 0] 15"

# ---- the page ----

expect 'a page' 0 '' "$aicjit" run "$layer" "${fills[@]}" --diagnose --report page.html --out dst=r.npy
ok 'is whole' grep -q '</html>' page.html
ok 'a picture a channel' test "$(grep -c '<figure class=channel>' page.html)" -eq 32
ok 'nothing from outside' test -z "$(grep -E '<link|<script|https?://' page.html)"
# pictures: width, height and the colours of all pixels of the first channel.
pictures() {
    python3 -c '
import base64, re, struct, sys
data = base64.b64decode(re.search("base64,([^\x27]*)", open(sys.argv[1]).read()).group(1))
start, = struct.unpack("<I", data[10:14])
width, height = struct.unpack("<ii", data[18:26])
pitch = (width + 3) // 4 * 4
rows = [data[start + y * pitch: start + y * pitch + width] for y in range(-height)]
print(width, -height, sorted({tuple(data[54 + 4 * p: 57 + 4 * p][::-1]) for row in rows for p in row}))' "$1"
}
ok 'of the image, all at the limit' test "$(pictures page.html)" = '5 3 [(210, 30, 30)]'
expect 'accumulators' 0 '' "$aicjit" run "$conv" "${fills[@]}" --diagnose --report sums.html
ok 'with the row that is not written' test "$(pictures sums.html)" = '5 4 [(120, 120, 120), (226, 226, 240), (255, 255, 255)]'

# ---- what is refused ----

wrong() { expect "$1" 2 "$2" "$aicjit" run "${@:3}"; }
wrong '--json alone' 'run: --json: has no effect without --diagnose' "$layer" "${fills[@]}" --json
wrong '--report alone' 'run: --report: has no effect without --diagnose' "$layer" "${fills[@]}" --report x.html
cp r.npy expected.npy
wrong 'JSON and a report of text' 'run: --expect: its report is text' "$layer" "${fills[@]}" --diagnose --json --expect dst=expected.npy
printf '%s\n' '.arg %s : f32' 'pto.texpands ins(%s : f32) outs(%t : !pto.tile<f32, 16, 16>)' >fill.pto
wrong 'a program' 'run: --diagnose: has no effect on a program' --pto fill.pto --in s=1 --diagnose
wrong 'a folder that is not there' 'none/x.html' "$layer" "${fills[@]}" --diagnose --report none/x.html
ok 'no page' test ! -e x.html
finish
