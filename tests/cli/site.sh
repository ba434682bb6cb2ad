#!/usr/bin/env bash
# The documentation site: a page an operator, links that lead somewhere, examples that were run; and, where there is
# Chromium, what a browser makes of it.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit and work
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/common.bash"

if ! command -v python3 >/dev/null; then
    echo 'not run: the site: no Python'
    finish
fi
mapfile -t operators < <("$aicjit" list | sed '/^$/,$d' | awk 'NR > 1 { print $1 }')
pages=$((${#operators[@]} + 3))
expect 'the site' 0 "^$pages pages in site\$" python3 "$here/../../tools/site/pages.py" "$aicjit" site
expect 'links and pictures' 0 "^$pages passed, 0 failed\$" python3 "$here/site_check.py" site

for operator in "${operators[@]}"; do
    page=site/$operator.html
    ok "$operator: a page" test -s "$page"
    ok "$operator: in the index" grep -q "<a href='$operator.html'>" site/index.html
    ok "$operator: a picture" grep -q "<rect class='cell'" "$page"
    ok "$operator: an example that passed" grep -q '^1 passed, 0 failed$' "$page"
    while read -r key; do
        ok "$operator: the key $key" grep -qF "<dt><code>$key=" "$page"
    done < <("$aicjit" help "$operator" | sed -n '/^keys:/,/^$/s/^  \([A-Za-z0-9_]*\)=.*/\1/p')
done
for key in $("$aicjit" help choices | sed -n 's/^  \([a-z_]*\)  (decision.*/\1/p'); do
    ok "the choice $key" grep -q "<dt id='$key'>" site/choices.html
    ok "an operator shows $key" grep -qF "choices.html#$key'>$key=" site/*.html
done
ok 'nothing else is left' test "$(find site -type f ! -name '*.html' ! -name '*.svg' ! -name style.css | wc -l)" -eq 0
expect 'no folder' 1 'usage: pages.py AICJIT FOLDER' python3 "$here/../../tools/site/pages.py" "$aicjit"
expect 'another tool' 1 'exit status' python3 "$here/../../tools/site/pages.py" /bin/false other

# The check notices what it is there for.
damaged() { # NAME PATTERN SED
    rm -rf bad && cp -r site bad && sed -i "$3" bad/index.html
    expect "$1" 1 "$2" python3 "$here/site_check.py" bad
}
damaged 'a link that leads nowhere' '^index.html: nothing.html is not there$' "s/href='mmad.html'/href='nothing.html'/"
damaged 'a name that is none' 'choices.html#none: no such name$' "s/href='choices.html'>Choices</href='choices.html#none'>Choices</"
damaged 'a picture from outside' 'leads outside$' "s,<h1>,<h1><img src='https://example.org/x.png'>,"
damaged 'an element that is left open' 'is not closed$|closes nothing$' 's,</table>,,'

# ---- in a browser ----

# What the page says of itself once it is laid out: whether it is wider than the window, how many cells of pictures have a
# size, how many links there are, and whether the style applies.
probe="<script>addEventListener('load', () => {
    const cells = [...document.querySelectorAll('rect.cell,rect.used,rect.padding')];
    const seen = cells.filter(c => c.getBoundingClientRect().width > 5).length;
    document.title = 'probe wide=' + (document.documentElement.scrollWidth > innerWidth) + ' cells=' + (seen === cells.length) +
        ' some=' + (seen > 0) + ' style=' + (getComputedStyle(document.querySelector('nav')).borderBottomWidth === '1px') +
        ' titles=' + cells.every(c => c.querySelector('title').textContent.includes('element'));
});</script>"

look() { # PAGE WIDTH
    cp -r site looked
    printf '%s' "$probe" >>"looked/$1"
    timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$work/browser" \
        --window-size="$2,1200" --virtual-time-budget=5000 --dump-dom "file://$work/looked/$1" 2>/dev/null >dom.html
    rm -rf looked
}

chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then
    echo 'not run: the site in a browser: no Chromium'
    finish
    exit
fi
for operator in "${operators[@]}"; do
    look "$operator.html" 1200
    ok "$operator in a browser" grep -q '<title>probe wide=false cells=true some=true style=true titles=true</title>' dom.html
done
for page in index choices conv2d; do
    look $page.html 500 # the least that a window of Chromium has
    ok "$page in a narrow window" grep -q '<title>probe wide=false cells=true ' dom.html
done
timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$work/browser" --window-size=1200,1600 \
    --screenshot=shot.png "file://$work/site/conv2d.html" >/dev/null 2>&1
ok 'a picture of a page, not an empty one' test "$(stat -c %s shot.png 2>/dev/null || echo 0)" -gt 40000
finish
