#!/usr/bin/env bash
# --report of bench and tune: what is on the page, that it needs nothing from outside, bad paths. No time is asserted.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

move='transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,20,24,48])'
layer='conv2d(dtype=int8, fm_shape=[1,14,14,32], kernel_shape=[1,3,3,64,32])' # whose tiles of some sizes are refused
printf 'ic16ih8oc16oh8kh3ph1n"a<b>&c"\n' >lines.txt

has() { # NAME FILE PATTERN [COUNT]
    local count
    count=$(grep -Eo -e "$3" "$2" | wc -l)
    if [ -n "${4:-}" ]; then ok "$1" test "$count" -eq "$4"; else ok "$1" test "$count" -gt 0; fi
}

# What every page must be.
whole() { # NAME FILE
    ok "$1: begins as HTML" test "$(head -c 15 "$2")" = '<!doctype html>'
    ok "$1: ends" test "$(tail -n 1 "$2")" = '</body></html>'
    has "$1: nothing from outside" "$2" '(<img|<image|<use|<script|<link|<iframe|<object|@import|url\(|https?://)' 0
    has "$1: links lead to its own parts" "$2" "href='[^#]" 0
    has "$1: no number is missing" "$2" '(-?nan|inf)[^a-z]' 0
    for tag in svg g figure details text; do
        ok "$1: every $tag is closed" test "$(grep -Eo "<${tag}[ >]" "$2" | wc -l)" -eq "$(grep -o "</${tag}>" "$2" | wc -l)"
    done
    for part in Operators Roofline 'Predicted and measured' 'Schedules of each operator'; do
        has "$1: $part" "$2" "<h2>$part</h2>" 1
    done
    has "$1: the machine" "$2" '<th>processor<td>[^<]'
    has "$1: its caches" "$2" 'L1 [0-9.]+, L2 [0-9.]+, L3 [0-9.]+, memory [0-9.]+ GB/s'
}

expect 'bench' 0 'ratio' "$aicjit" bench "$layer" "$move" --batch lines.txt --dt float16 --schedule all --min-time 0.002 --report bench.html
whole bench bench.html
has 'a row an operator' bench.html "<tr><td><a href='#layer[0-9]+'" 3
has 'a part an operator' bench.html '<details id=layer[0-9]+ open>' 3
has 'names are text' bench.html 'a&lt;b&gt;&amp;c'
has 'and no tags' bench.html '<b>' 0
has 'roofs of caches and memory' bench.html '(L1|L2|L3|memory) [0-9]+ GB/s</text>' 4
has 'and of the vector unit' bench.html '(fp32|fp64) peak, [0-9]+ GMAC/s' 2
has 'the diagonal' bench.html 'class=diagonal' 1
has 'defaults are ringed' bench.html '<circle [^>]*class=ring'
has 'tiles that were measured' bench.html '=1: measured '
has 'tiles that were predicted' bench.html ': predicted [0-9]'
has 'refused tiles are grey' bench.html 'class=refused '
has 'with their reason' bench.html '<title>rows=[0-9]+, cols=[0-9]+: refused, rows\*cols\*vectors = [0-9]+ is outside'
has 'which the text below says, too' bench.html 'Grey tiles are refused: [0-9]+ since'
has 'what is refused as a whole' bench.html 'vectors=3: a panel of [0-9]+ output channels'
has 'intervals' bench.html 'class=whisker'
has "the default's interval" bench.html 'class=band'

expect 'bench of the default alone' 0 '' "$aicjit" bench "$half" --min-time 0.002 --report one.html
whole one one.html
expect 'bench of levels' 0 '' "$aicjit" bench "$half" --isa all --min-time 0.002 --report levels.html
whole levels levels.html
has 'levels are named' levels.html '>generic '
expect 'an operator that does nothing' 0 '' "$aicjit" bench 'mmad(dtype=int8, m=0, n=16, k=32)' --min-time 0 --report nothing.html
whole nothing nothing.html

expect 'tune' 0 ' 0 failed' "$aicjit" tune "$layer" --budget 20 --trials 8 --report tune.html --db a.txt
whole tune tune.html
has 'tune: a winner or none' tune.html '<td class=(gain|dim)>([0-9.]+|within the noise)'
has 'tune: measured tiles' tune.html ': measured '
expect 'tune: known' 0 '1 known' "$aicjit" tune "$layer" --report known.html --db a.txt
whole known known.html
expect 'tune: predicted' 0 '1 not measured' "$aicjit" tune "$layer" --effort estimate --report predicted.html
whole predicted predicted.html
has 'tune: predicted tiles' predicted.html ': predicted [0-9]'
has 'tune: the default is framed' predicted.html '<rect class=ring'

# ---- paths ----

expect 'a folder that is not there' 2 '"no/such.html"' "$aicjit" bench "$half" --report no/such.html
expect 'it is refused before the work' 2 '"no/such.html"' timeout 600 "$aicjit" bench "$half" --min-time 3000 --report no/such.html
expect 'tune: a folder that is not there' 2 '"no/such.html"' "$aicjit" tune "$half" --report no/such.html
expect 'a folder' 2 '' "$aicjit" bench "$half" --report .
expect 'a program' 2 'no effect on a program' "$aicjit" bench --pto x.pto --report x.html
expect 'tune --merge' 2 'no effect with --merge' "$aicjit" tune --merge a.txt -o b.txt --report x.html
expect 'no room' 3 'report' "$aicjit" bench "$half" --min-time 0 --report /dev/full
cp one.html before.html
expect 'a run that fails' 2 'dtype' "$aicjit" bench 'conv2d(dtype=int9)' --report one.html
ok 'leaves the old page' cmp one.html before.html
expect 'so does a schedule that does not fit' 2 'rows = 99' "$aicjit" bench "$half" --schedule 'schedule(rows=99)' --report one.html
ok 'the old page is there' cmp one.html before.html
ok 'and no temporary file' test "$(find . -name '.aicjit*' | wc -l)" -eq 0
finish
