#!/usr/bin/env bash
# --json of list, help, info and explain: one object a line, whose members are those of tools/json.md and agree with the
# text; and the examples of the manual page.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

conv='conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])'
inputs=(--fill feature_map=random:1 --fill weight=random:2)
"$aicjit" list --json >list.json
"$aicjit" list >list.txt
"$aicjit" help --json >help.json
"$aicjit" help choices --json >choices.json
for name in conv2d tensor_arithmetic texpands run info; do
    "$aicjit" help "$name" --json >"help_$name.json"
    "$aicjit" help "$name" >"help_$name.txt"
done
"$aicjit" info --json >info.json
"$aicjit" info --isa sse2 --profile simulator --json >info_sse2.json
"$aicjit" explain "$conv" --json >explain.json
"$aicjit" explain "$conv" >explain.txt
"$aicjit" explain "$conv" --json --measure --choice relu=after >measured.json
"$aicjit" explain "$conv" "${inputs[@]}" --at 'dst[0,3,1]' --json >at.json
"$aicjit" explain "$conv" "${inputs[@]}" --at 'dst[0,3,1]' >at.txt
cat >look.py <<'LOOK'
import json, re, sys

def one(name):
    lines = open(name + ".json").read().splitlines()
    assert len(lines) == 1, (name, len(lines))
    return json.loads(lines[0])

described = open(sys.argv[1]).read()
members = set(re.findall(r"`(\w+)`", described))

def check(value):
    if isinstance(value, dict):
        for key, member in value.items():
            assert key in members or key.startswith("AIC_"), key
            check(member)
    for member in value if isinstance(value, list) else []:
        check(member)

everything = {name: one(name) for name in ("list", "help", "choices", "help_conv2d", "help_tensor_arithmetic", "help_texpands",
                                           "help_run", "help_info", "info", "info_sse2", "explain", "measured", "at")}
for value in everything.values():
    check(value)
names, text = everything["list"], open("list.txt").read()
operators, commands = text.split("\ncommands:\n")
for part, rows in ((operators.partition("\n")[2], names["operators"]), (commands, names["commands"])):
    assert [line.split(None, 1) for line in part.strip().split("\n")] == [[row["name"], row["about"]] for row in rows]
assert [row["command"] for row in everything["help"]["commands"]] == [row["name"] for row in names["commands"]]
assert everything["help"]["operators"] == names["operators"] and len(everything["help"]["environment"]) > 5
for name in ("conv2d", "tensor_arithmetic", "texpands"):
    found, text = everything["help_" + name], open("help_%s.txt" % name).read()
    shown = re.findall(r"^  (\w+)=(.*?)  \((required|default .*?)(?:; .*)?\)$", text.partition("\noperands,")[0], re.M)
    assert [(key["name"], key["type"], "required" if key["required"] else "default " + key["default"])
            for key in found["keys"]] == shown, (found["keys"], shown)
    assert all(role["name"] + "  " + role["shape"] in text for role in found["operands"] + found["chain_operands"])
    assert ["  %s: %s [%s]" % (rule["field"], rule["text"], rule["source"]) for rule in found["rules"]] \
        == re.search(r"checked:\n(.*)\n  where defaults", text, re.S).group(1).split("\n")
    assert "'%s'" % found["example"] in text
keys = {key["name"]: key for key in everything["help_conv2d"]["keys"]}
assert set(keys["accumulate"]["values"]) >= {"cube", "fast"} and keys["stride"]["limits"] == [{"low": 1, "high": 63}]
assert [limit.get("entry") for limit in keys["fm_shape"]["limits"]] and keys["dtype"]["default"] is None
options = {option["name"]: option for option in everything["help_run"]["options"]}
text = open("help_run.txt").read()
assert set(re.findall(r"^  (--?[\w-]+)", text, re.M)) == set(options) | {"--help"}
assert options["--in"]["kind"] == "list" and options["--reference"]["value"] is None and options["--overflow"]["shared"]
assert "saturate" in options["--overflow"]["values"] and options["--threads"]["low"] == 1
assert any(choice["key"] == "relu" and choice["readings"][0]["value"] for choice in everything["choices"]["choices"])
assert {profile["name"] for profile in everything["choices"]["profiles"]} >= {"document", "simulator"}
info = everything["info"]
runs = [level["name"] for level in info["levels"] if level["runs"]]
assert info["isa"] in runs and info["threads"] >= 1 and info["peaks"]["fp32_gmacs_per_s"] > 0
assert all((level["reason"] is None) == level["runs"] for level in info["levels"])
assert info["environment"]["AIC_CACHE"] == "off" and info["cache"]["folder"] is None and info["tuning"]["file"] is None
explained, text = everything["explain"], open("explain.txt").read().split("\n")
assert explained["spec"] == text[0] and explained["text"] == text[1:-1] and explained["choices"] == ""
assert explained["schedule"] in text[1] and explained["macs"] == 36864 and explained["bytes"]["memory"] > 0
assert everything["measured"]["measured"]["median_ns"] > 0 and everything["measured"]["choices"].endswith("relu=after")
at, text = everything["at"], open("at.txt").read().rstrip("\n").split("\n")
assert at["steps"] == text and text[-1] == "%s = %s" % (at["at"], at["value"]) and at["at"] == "dst[0,3,1]"
LOOK
ok 'all of it agrees with the text' python3 look.py "$root/tools/json.md"

# ---- texts from outside that are no UTF-8 ----

cat >bytes.py <<'EOF'
import json, sys
# Characters of 1 to 4 bytes, each behind what is none: single bytes, long forms, surrogates, beyond U+10FFFF, cut ends.
whole = ["a", "\u00e9", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff", "<", "\\"]
broken = [b"\x80", b"\xbf", b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80",
          b"\xf5\x80\x80\x80", b"\xff", b"\xe2\x82", b"\xc3", b"\xf0\x90\x80"]
texts = [whole[i % len(whole)] + "!" for i in range(len(broken))]
names = [bad + text.encode() + bad for bad, text in zip(broken, texts)]
def seen(file):
    return open(file, "rb").read().decode("utf-8") # or an exception
if sys.argv[1] == "make":
    open("bytes.txt", "wb").write(b"".join(b'ic16ih8oc16oh8kh3ph1n"' + name + b'"\n' for name in names))
    open("folder.txt", "wb").write(names[1] + names[-1])
elif sys.argv[1] == "names":
    got = [json.loads(line)["name"] for line in seen("names.json").splitlines()]
    assert [name.replace("\ufffd", "") for name in got] == texts and all("\ufffd" in name for name in got), got
elif sys.argv[1] == "page":
    assert all(text.replace("<", "&lt;") + "\ufffd" in seen("names.html") for text in texts)
else:
    assert json.loads(seen("folder.json"))["cache"]["folder"].endswith("\ufffd" + texts[1] + "\ufffd" * 4 + texts[-1] + "\ufffd" * 3)
EOF
python3 bytes.py make
"$aicjit" bench --batch bytes.txt --dt int8 --json --min-time 0.001 --report names.html >names.json
ok 'names of lines in JSON are UTF-8' python3 bytes.py names
ok 'and on a page' python3 bytes.py page
AIC_CACHE=rw AIC_CACHE_DIR="$work/$(cat folder.txt)" "$aicjit" info --json >folder.json
ok "and the cache's folder" python3 bytes.py folder
expect 'no json of a format' 2 'help: --json: has no effect with --format man' "$aicjit" help --json --format man
expect 'json of nothing known' 2 '"frob" is no operator and no command' "$aicjit" help frob --json
expect 'a long step is whole' 0 'acc -?[0-9]+"' "$aicjit" explain "$conv" "${inputs[@]}" --at 'dst[0,0,0]' --json
# The examples of the manual page, each a command.
mkdir examples && cd examples || exit 1
"$aicjit" help --format man | sed -n '/^\.SH EXAMPLES/,/^\.SH "*JSON/p' | sed -n '/^\.nf/,/^\.fi/p' | grep -v '^\.' |
    sed 's/\\:/ /g; s/\\-/-/g; s/\\&//g' >commands
ok 'there are examples' test "$(wc -l <commands)" -ge 8
while read -r line; do
    expect "the manual's example: $line" 0 '' env PATH="$(dirname "$aicjit"):$PATH" bash -c "$line"
done <commands
cd ..
finish
