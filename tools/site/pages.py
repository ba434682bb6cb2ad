#!/usr/bin/env python3
"""The documentation site: pages.py AICJIT FOLDER writes one page an operator, one of choices and an index.

All of it is what AICJIT prints: keys, defaults, limits and operands from `help`, provenance from `rules --json`, choices from `help choices` and `differ --matrix`, pictures from `draw`. Every example is run, and
its output shown. The pages need nothing but their folder.
"""
import html
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# Small requests to look at, and an element to follow; an operator without one has the example of its list.
SMALL = {
    "conv2d": ("conv2d(dtype=int8, fm_shape=[2,4,5,32], kernel_shape=[2,3,3,16,32], pad=[1,1,1,1])", "dst[0,6,3]"),
    "mmad": ("mmad(dtype=float16, m=10, n=12, k=10, a_format=Zz, b_format=Zn, c_format=Nz)", "c[0,0,3,2]"),
    "fixpipe": ("fixpipe(src=int32, dst=int8, format=NZ, nSize=48, mSize=5, srcStride=6, dstStride=6, quantPre=VREQ8)",
                "dst[0,3,15]"),
    "tik_fixpipe": ("tik_fixpipe(dst=float16, src=float32, cburst_num=2, burst_len=4, quantize_params=fp322fp16)",
                    "dst[1,1,3]"),
    "nd2nz": ("nd2nz(dtype=float16, ndNum=1, nValue=5, dValue=20, srcDValue=20, dstNzC0Stride=5, dstNzNStride=1)",
              "dst[20]"),
    "load_data": ("load_data(dtype=int8, repeatTimes=2, srcStride=2)", "dst[40]"),
    "transdata": ("transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,2,3,20])", "dst[20]"),
    "tensor_arithmetic": ("tensor_arithmetic(op=BM_ADD, shape=[1,3,2,4])", "output[0,1,1,2]"),
    "tensor_arithmetic_quantized": ("tensor_arithmetic_quantized(op=BM_MUL, shape=[6,3,1,4], rshift_bit=7)", "output[2]"),
    "texpands": ("texpands(dtype=float32, rows=16, cols=16, v_row=3, v_col=5)", "dst[2,4]"),
}

STYLE = """
:root{--ink:#1f2933;--soft:#5f6c7b;--line:#d9e2ec;--paper:#fff;--tint:#f5f7fa;--link:#0b5cad}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#9aa5b1;--line:#3e4c59;--paper:#14191f;--tint:#1f2933;
--link:#7cb8f2}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem;font:16px/1.55 system-ui,'DejaVu Sans',sans-serif;color:var(--ink);
background:var(--paper)}
a{color:var(--link)}nav{font-size:.9rem;color:var(--soft);border-bottom:1px solid var(--line);padding-bottom:.5rem}
h1{font-size:1.9rem;margin:1rem 0 .2rem}h2{font-size:1.25rem;margin:2rem 0 .5rem}
.about{color:var(--soft);margin-top:0}code,pre{font:13px/1.5 ui-monospace,'DejaVu Sans Mono',monospace}
pre{background:var(--tint);padding:.8rem 1rem;overflow-x:auto;border-radius:6px}
dt{margin-top:.6rem}dd{margin:0 0 0 1.5rem;color:var(--soft)}
.wide{overflow-x:auto}table{border-collapse:collapse}td,th{border-bottom:1px solid var(--line);padding:.35rem .8rem .35rem 0;
text-align:left;vertical-align:top}th{font-weight:600}
.rules td:first-child{min-width:9rem}.rules td.about{min-width:14rem}
figure{margin:1rem 0;overflow-x:auto;background:#fff;border:1px solid var(--line);border-radius:6px}
figcaption{font-size:.85rem;color:#5f6c7b;padding:.4rem .8rem}
"""


class Site:
    """The folder that is written, and the tool that knows everything."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, pathlib.Path(folder)
        self.environment = {**os.environ, "AIC_CACHE": "off", "LC_ALL": "C"}
        self.operators = []

    def call(self, *arguments):
        """What the tool prints; an exit status but 0 is an error."""
        done = subprocess.run([self.tool, *arguments], capture_output=True, text=True, env=self.environment, check=False)
        if done.returncode != 0:
            sys.exit("pages.py: aicjit %s: exit status %d: %s" % (shlex.join(arguments), done.returncode, done.stderr))
        return done.stdout

    def rules(self):
        """Provenance of each operator: what `rules --json` prints."""
        table = {}
        for line in self.call("rules", "--json").splitlines():
            rule = json.loads(line)
            table.setdefault(rule["op"], []).append(rule)
        return table

    def write(self, name, title, body):
        links = ["<a href='index.html'>Operators</a>", "<a href='choices.html'>Choices</a>",
                 "<a href='shared.html'>What all share</a>"]
        (self.folder / name).write_text(
            "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width'><title>%s</title>"
            "<link rel='stylesheet' href='style.css'></head>\n<body><nav>aicjit: %s</nav>\n%s</body></html>\n"
            % (html.escape(title), " &middot; ".join(links), body), encoding="utf-8")


# ---- what `help` prints ----

def sections(text):
    """The first line, and a list of (heading, lines): headings stand at the margin and end with a colon."""
    lines = text.splitlines()
    found = []
    for line in lines[1:]:
        if line and not line.startswith(" "):
            found.append((line.rstrip(":"), []))
        elif line and found:
            found[-1][1].append(line)
    return lines[0], found


def described(lines):
    """Entries two spaces from the margin, what is said of them six."""
    out = ["<dl>"]
    for line in lines:
        tag = "dd" if line.startswith("      ") else "dt"
        text = html.escape(line.strip())
        out.append("<dt><code>%s</code></dt>" % text if tag == "dt" else "<dd>%s</dd>" % text)
    return "\n".join(out + ["</dl>\n"])


# ---- parts of an operator's page ----

def example(site, *arguments):
    """A command and what it prints."""
    return "<pre class='run'>$ aicjit %s\n%s</pre>\n" % (html.escape(shlex.join(arguments)),
                                                        html.escape(site.call(*arguments)))


def inputs_of(site, spec):
    """The names of the operands of a request that are read, from what `golden` writes of it."""
    with tempfile.TemporaryDirectory() as folder:
        site.call("golden", spec, "-o", folder)
        files = json.loads(pathlib.Path(folder, "manifest.json").read_text())["files"]
    return [f["operand"] for f in files if f["role"] == "input"]


def examples(site, spec, at):
    fills = []
    for i, name in enumerate(inputs_of(site, spec)):
        fills += ["--fill", "%s=random:%d" % (name, i + 1)]
    out = "<h2>Examples</h2>\n<p>Run when this page was made.</p>\n"
    out += example(site, "check", spec) + example(site, "run", spec, *fills)
    if at is not None:
        out += example(site, "explain", spec, *fills, "--at", at)
    return out


def pictures(site, name, spec, at):
    point = [] if at is None else ["--at", at]
    file = site.folder / (name + ".svg")
    site.call("draw", spec, "-o", str(file), *point)
    marked = "" if at is None else " Marked: %s and what it is made from." % html.escape(at)
    return ("<h2>Layouts</h2>\n<figure>%s<figcaption>Pointing at a cell shows its indices and address.%s <a href='%s.svg'>The "
            "picture by itself.</a></figcaption></figure>\n" % (file.read_text(), marked, name))


def choices_of(name, matrix):
    rows = [e for e in matrix["examples"] if e["operator"] == name]
    if not rows:
        return "<h2>Choices</h2>\n<p>Results depend on no choice: every profile gives the same bits.</p>\n"
    out = ["<h2>Choices</h2>\n<p>What the documents leave open here, and the smallest operands that show it.</p>\n<div "
           "class='wide'><table><tr><th>Choice</th><th>Element</th><th>Default</th><th>Then</th></tr>"]
    for e in rows:
        out.append("<tr><td><a href='choices.html#%s'>%s=%s</a></td><td><code>%s</code></td><td>%s</td><td>%s</td></tr>"
                   % (e["key"], e["key"], e["value"], e["at"], html.escape(e["a"]), html.escape(e["b"])))
    out.append("</table></div>\n<pre>%s</pre>\n" % html.escape("\n".join(e["command"] for e in rows)))
    return "\n".join(out)


# What `rules` calls the kinds, here; keys have a list of their own, with their sources.
KINDS = {"rule": ("Rules, in the order in which they are checked", ("Names", "What holds", "Source")),
         "default": ("Where defaults come from", ("Key", "Default", "Source")),
         "step": ("Steps that round, clamp or replace numbers", ("Step", "What is done", "Source"))}


def provenance(rules):
    """What `rules` lists: kinds in the order in which they come."""
    out = []
    for kind in dict.fromkeys(rule["kind"] for rule in rules if rule["kind"] in KINDS):
        heading, columns = KINDS[kind]
        out.append("<h2>%s</h2>\n<div class='wide'><table class='rules'>\n<tr>%s</tr>"
                   % (heading, "".join("<th>%s</th>" % c for c in columns)))
        for rule in (r for r in rules if r["kind"] == kind):
            name = "<code>%s</code>" % html.escape(rule["id"] if kind == "step" else rule["field"])
            if kind == "step" and rule["field"]:
                name += "<br>choice <a href='choices.html#%s'>%s</a>" % (rule["field"], rule["field"])
            what = html.escape(rule["text"]) if kind != "default" else "<code>%s</code>" % html.escape(rule.get("value", ""))
            out.append("<tr><td>%s</td><td>%s</td><td class='about'>%s</td></tr>" % (name, what, html.escape(rule["source"])))
        out.append("</table></div>\n")
    return "\n".join(out)


def operator_page(site, name, about, matrix, rules):
    title, parts = sections(site.call("help", name))
    shown = [(h, lines) for h, lines in parts if not h.startswith(("example", "its operands", "rules"))]
    listed = re.search(r"aicjit check '(.*)'", site.call("help", name)).group(1)
    spec, at = SMALL.get(name, (listed, None))
    body = "<h1>%s</h1>\n<p class='about'>%s</p>\n" % (name, html.escape(about))
    body += pictures(site, name, spec, at) + examples(site, spec, at) + choices_of(name, matrix)
    body += "".join("<h2>%s</h2>\n%s" % (html.escape(h[:1].upper() + h[1:]), described(lines)) for h, lines in shown)
    site.write(name + ".html", title, body + provenance(rules))


# ---- the other pages ----

def choices_page(site, matrix):
    text = site.call("help", "choices")
    body = "<h1>Choices and profiles</h1>\n<p class='about'>What the documents leave open, and who reads it how.</p>\n<h2>" \
           "Where the profiles part</h2>\n<div class='wide'><table><tr><th>Operator</th>"
    profiles = list(next(iter(matrix["operators"].values())))
    body += "".join("<th>%s</th>" % p for p in profiles) + "</tr>\n"
    for name, cells in matrix["operators"].items():
        links = [", ".join("<a href='#%s'>%s</a>" % (k, k) for k in cells[p]) or "alike" for p in profiles]
        body += "<tr><td><a href='%s.html'>%s</a></td>%s</tr>\n" % (name, name, "".join("<td>%s</td>" % c for c in links))
    body += "</table></div>\n"
    _, parts = sections("\n" + text)
    for heading, lines in parts:
        body += "<h2>%s</h2>\n<dl>" % html.escape(heading[:1].upper() + heading[1:])
        for line in lines:
            key = re.match(r"  (\w+)  ", line)
            named = "<dt id='%s'>" % key.group(1) if key else "<dd>"
            text = re.sub(r"^(\w+)  ", r"<code>\1</code> ", html.escape(line.strip()))
            body += "%s%s%s\n" % (named, text, "</dt>" if key else "</dd>")
        body += "</dl>\n"
    site.write("choices.html", "Choices and profiles", body)


def shared_page(site, rules):
    """What no operator has for itself: options, and rules of chains, calls, texts and packing."""
    body = "<h1>What all operators share</h1>\n"
    for op, heading in (("semantics", "Options"), ("request", "Requests")):
        body += "<h1>%s</h1>\n" % heading + provenance(rules[op])
    site.write("shared.html", "What all operators share", body)


def index_page(site):
    body = "<h1>aicjit</h1>\n<p class='about'>The operators of a neural processor on an ordinary CPU, with the same bits in " \
           "the result.</p>\n<div class='wide'><table><tr><th>Operator</th><th>What it does</th></tr>\n"
    for name, about in site.operators:
        body += "<tr><td><a href='%s.html'>%s</a></td><td>%s</td></tr>\n" % (name, name, html.escape(about))
    body += "</table></div>\n<p><a href='choices.html'>Choices and profiles</a>: what the documents leave open.</p>\n"
    site.write("index.html", "aicjit: operators", body + example(site, "list"))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: pages.py AICJIT FOLDER")
    site = Site(os.path.realpath(sys.argv[1]), sys.argv[2])
    site.folder.mkdir(parents=True, exist_ok=True)
    _, parts = sections("\n" + site.call("list"))
    site.operators = [re.match(r"  (\w+) +(.*)", line).groups() for line in dict(parts)["operators"]]
    matrix, rules = json.loads(site.call("differ", "--matrix", "--json")), site.rules()
    (site.folder / "style.css").write_text(STYLE)
    for name, about in site.operators:
        operator_page(site, name, about, matrix, rules.get(name, []))
    choices_page(site, matrix)
    shared_page(site, rules)
    index_page(site)
    print("%d pages in %s" % (len(site.operators) + 3, sys.argv[2]))


if __name__ == "__main__":
    main()
