#!/usr/bin/env python3
"""draw.py TREE COUNT [OPTION]...: COUNT random mistakes in the generator, each made in the sources of TREE, a copy of the
repository with a configured build in TREE/build; is each one noticed? A line each: number, file and line, what was changed,
verdict. The seed and the sources alone decide which mistake has which number.

    no code     it does not compile
    no change   the compiler makes the same object of it
    caught      a test fails, does not end, or ends badly
    never run   no test comes to the line (with --reach only)
    SURVIVED    nothing notices

Tests that come to the line are run, those of tests/corpus first and quick ones before others, as draw.py --learn found out,
which runs each of them once in a build that says so (reach.py); --reach FILE is what that wrote. Exit status 1 if one
survived that tests/mutate/survivors.txt does not list: `FILE: LINE OF SOURCE: CHANGE` under a reason."""
import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "campaign"))
from campaign import end_group, processor_seconds  # noqa: E402
from reach import Reach, make  # noqa: E402

IDLE_SECONDS = 60
PROGRAMS = ("aicjit_tool", "aicjit-tests", "aicjit-cross")
TOKEN = re.compile(r"""(?P<blank>\s+|/\*.*?\*/|//[^\n]*|\#[^\n]*(?:\\\n[^\n]*)*)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)|(?P<sign>->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||.)""", re.X | re.S)
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
         "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "true": "false", "false": "true"}
KIND = {**dict.fromkeys(["<", "<=", ">", ">=", "==", "!="], "compare"), **dict.fromkeys(["&&", "||"], "logic"),
        **dict.fromkeys(["+", "-", "*", "/", "%", "+=", "-="], "arithmetic"), **dict.fromkeys(["true", "false"], "truth")}
NO_STATEMENT = {"return", "break", "continue", "goto", "case", "default", "else", "do", "typedef", "static", "extern"}
OPERATORS = ("conv2d", "mmad", "fixpipe", "tik_fixpipe", "nd2nz", "load_data", "load_data_transpose", "transdata",
             "tensor_arithmetic", "tensor_arithmetic_quantized", "texpands", "conv2d|fixpipe", "mmad|fixpipe",
             "conv2d|tensor_arithmetic|fixpipe")
SCRIPTS = ("dump", "operators", "export", "object", "rules", "machines", "network", "tune", "observe", "module", "threads")


# ---- mistakes ----


class Source:
    """A file as tokens, and the mistakes that can be made in it: kind, from, to, text in its place."""

    def __init__(self, path):
        self.text = path.read_text()
        self.tokens = [(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(self.text) if m.lastgroup != "blank"]
        self.closing = self.pairs()
        self.heads = {self.closing[i + 1] for i, t in enumerate(self.tokens) if t[1] in ("if", "while", "for")}
        self.asserted = [(i, self.closing[i + 1]) for i, t in enumerate(self.tokens) if t[1] == "_Static_assert"]

    def pairs(self):
        opened, closing = [], {}
        for i, (kind, text, _) in enumerate(self.tokens):
            if kind == "sign" and text in "([{":
                opened.append(i)
            elif kind == "sign" and text in ")]}":
                closing[opened.pop()] = i
        return closing

    def end(self, i):
        return self.tokens[i][2] + len(self.tokens[i][1])

    def is_value(self, i):
        kind, text, _ = self.tokens[i]
        return kind in ("word", "number") and text not in ("return", "case", "sizeof") or text in (")", "]")

    def mistakes(self):
        for i, (kind, text, at) in enumerate(self.tokens):
            if i == 0 or any(a <= i <= b for a, b in self.asserted):
                continue
            yield from self.of_token(i, kind, text, at)
            if text in ("if", "while") and self.tokens[i + 1][1] == "(":
                close = self.closing[i + 1]
                inner = self.text[self.end(i + 1) : self.tokens[close][2]]
                yield "negate", self.end(i + 1), self.tokens[close][2], f"!({inner})"
            if text == "(" and self.tokens[i - 1][0] == "word" and self.tokens[i - 1][1] not in ("if", "while", "for", "switch"):
                yield from self.swaps(i)
            if kind == "word" and (self.tokens[i - 1][1] in (";", "{", "}") or i - 1 in self.heads):
                yield from self.drop(i)

    def of_token(self, i, kind, text, at):
        between = self.text[at - 1].isspace() and self.text[self.end(i)].isspace()
        if kind in ("sign", "word") and text in KIND and (text not in "+-*/%<>" or (between and self.is_value(i - 1))):
            yield KIND[text], at, self.end(i), OTHER[text]
        if kind == "number" and re.fullmatch(r"\d+", text):
            yield "constant", at, self.end(i), str(int(text) + 1)
            if int(text) > 0:
                yield "constant", at, self.end(i), str(int(text) - 1)

    def parts(self, i):
        """Of what is in the parentheses at i, divided by commas: from, to."""
        begin, j, close = self.end(i), i + 1, self.closing[i]
        while j < close:
            if self.tokens[j][1] == ",":
                yield begin, self.tokens[j][2]
                begin = self.end(j)
            j = self.closing.get(j, j) + 1
        yield begin, self.tokens[close][2]

    def swaps(self, i):
        parts = [(a + len(self.text[a:b]) - len(self.text[a:b].lstrip()), b) for a, b in self.parts(i)]
        if self.tokens[self.closing[i] + 1][1] == "{":
            return  # the head of a function, not a call
        for (a, b), (c, d) in zip(parts, parts[1:]):
            if self.text[a:b] != self.text[c:d]:
                yield "swap", a, d, self.text[c:d] + self.text[b:c] + self.text[a:b]

    def drop(self, i):
        if self.tokens[i][1] in NO_STATEMENT or self.tokens[i + 1][1] not in ("(", "->", ".", "=", "[", "+=", "-=", "++", "|="):
            return
        j = i
        while self.tokens[j][1] not in (";", "{", "}"):
            j = self.closing.get(j, j) + 1
            if j >= len(self.tokens):
                return
        if self.tokens[j][1] == ";":
            yield "drop", self.tokens[i][2], self.tokens[j][2], ""


class Mistake:
    def __init__(self, file, source, kind, begin, end, text):
        self.file, self.kind = file, kind
        self.changed = source.text[:begin] + text + source.text[end:]
        self.line = source.text.count("\n", 0, begin) + 1
        self.last = source.text.count("\n", 0, end) + 1
        self.where = " ".join(source.text.splitlines()[self.line - 1].split())
        old = " ".join(source.text[begin:end].split())
        self.change = f"{kind}: {old} -> {' '.join(text.split()) or 'nothing'}"

    def __str__(self):
        return f"{self.file}:{self.line}: {self.where}: {self.change}"


def drawn(tree, seed, numbers):
    """The mistakes with these numbers: kinds in turn, and of each kind all places in an order that the seed decides."""
    places = {}
    for path in sorted((tree / "codegen").rglob("*.c")):
        source = Source(path)
        for kind, *place in source.mistakes():
            places.setdefault(kind, []).append((path.relative_to(tree), source, kind, *place))
    order = random.Random(seed)
    for kind in sorted(places):
        order.shuffle(places[kind])
    kinds = sorted(places)
    for number in numbers:
        of_kind = places[kinds[number % len(kinds)]]
        if number // len(kinds) < len(of_kind):
            yield number, Mistake(*of_kind[number // len(kinds)])


# ---- tests ----


def tests_of(build):
    """Name, and command."""
    tool = [build / "aicjit", "check", "--isa", "all"]
    tests = {}
    for path in sorted((HERE.parent / "corpus").glob("*.txt")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line and not line.startswith("#"):
                tests[f"corpus:{path.stem}:{number}"] = [*tool, line]
    for operator in OPERATORS:
        tests[f"fuzz:{operator}"] = [*tool, "--fuzz", "40", "--seed", "1", "--op", operator]
    suites = [line.split() for line in subprocess.run([build / "aicjit-tests", "--list"], capture_output=True, text=True,
                                                      check=True).stdout.splitlines()]
    suites.sort(key=lambda suite: suite[1])
    for name, _ in suites[3:] + suites[:3]:  # the longest ones are first in the list
        tests[name] = [build / "aicjit-tests", name]
    for name in SCRIPTS:
        tests[f"script:{name}"] = ["bash", HERE.parent / "cli" / f"{name}.sh", build]
    tests["cross"] = ["bash", HERE.parent / "cross" / "run.sh", build]
    return tests


def limits(seconds):
    def inside():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return inside


def bad(status, command):
    """Whether a program that ends so has noticed something. What ends it from outside, and a command that is not there, are no
    answer: all that would come after is left."""
    status = status if status < 0 or status <= 128 else 128 - status  # as a shell says it
    if -status in (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGPIPE, signal.SIGTERM) or status in (125, 126, 127):
        sys.exit("%s: %s" % (" ".join(map(str, command)), "ended by signal %d" % -status if status < 0 else "cannot be run"))
    return status != 0


def fails(command, seconds, build):
    """Whether the test notices something: it says so in a line, ends badly, takes several times as long as it should, or stands
    still."""
    environment = {**os.environ, "AIC_CACHE": "off", "AIC_BUILD": str(build), "LC_ALL": "C"}
    process = subprocess.Popen(["stdbuf", "-oL", *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, env=environment, start_new_session=True, preexec_fn=limits(seconds))
    said, used, since = b"", 0.0, time.time()
    try:
        while time.time() - since < IDLE_SECONDS:
            now = processor_seconds(process.pid)
            used, since = (now, time.time()) if now != used else (used, since)
            if select.select([process.stdout], [], [], 1)[0]:
                more = os.read(process.stdout.fileno(), 65536)
                said = said[-200:] + more
                if re.search(rb"^FAILED", said, re.M):
                    return True
                if not more:
                    return bad(process.wait(), command)
        return True
    finally:
        end_group(process)
        process.stdout.close()
        process.wait()


class Bench:
    """The tree in which mistakes are made."""

    def __init__(self, tree, reach, seconds, only):
        self.tree, self.build, self.seconds, self.only = tree, tree / "build", seconds, only
        next(tree.glob("codegen/*.c")).touch()  # what is linked may have the last mistake of an earlier run
        self.make(*PROGRAMS)
        self.tests = tests_of(self.build)
        self.reach, self.code = None, {}
        if reach:
            known = json.loads(reach.read_text())
            if known["sources"] != digest(tree):
                sys.exit(f"{reach} is of other sources")
            self.code = {line: number for number, line in enumerate(known["code"])}
            self.reach = {name: (one["seconds"], frozenset(one["lines"])) for name, one in known["tests"].items()}
            for name in [name for name, one in known["tests"].items() if one["status"] != 0 and name in self.tests]:
                if fails(self.tests[name], 5 * self.reach[name][0] + 20, self.build):
                    print(f"{name}: fails without a mistake, and is not asked", flush=True)
                    del self.reach[name]

    def make(self, *targets):
        return subprocess.run(["ninja", "-C", self.build, *targets], capture_output=True, stdin=subprocess.DEVNULL).returncode == 0

    def object_of(self, file):
        found = [p for p in self.build.glob(f"CMakeFiles/*.dir/{file}.o")]
        return found[0], str(found[0].relative_to(self.build))

    def chosen(self, mistake):
        """Tests that come to its lines, and the seconds of each; what takes few comes first, and what the tool runs before
        what all has to be linked for. Together they take no more than self.seconds."""
        if self.reach is None or self.only:
            return [(name, 60) for name in self.only or self.tests]
        lines = {self.code.get(f"{mistake.file}:{n}") for n in range(mistake.line, mistake.last + 1)} - {None}
        if not lines:  # of a table: whatever comes to the file
            lines = {number for line, number in self.code.items() if line.startswith(f"{mistake.file}:")}
        there = [(not name.startswith("corpus:"), seconds, name) for name, (seconds, run) in self.reach.items()
                 if name in self.tests and not lines.isdisjoint(run)]
        picked, total = [], 0
        for _, seconds, name in sorted(there):
            total += seconds
            if not picked or total <= self.seconds:
                picked.append((name, seconds))
        return picked

    def verdict(self, mistake):
        path = self.tree / mistake.file
        thing, target = self.object_of(mistake.file)
        kept = [(one, one.read_bytes(), one.stat().st_mtime_ns) for one in (path, thing)]
        path.write_text(mistake.changed)
        try:
            if not self.make(target):
                return "no code"
            if thing.read_bytes() == kept[1][1]:
                return "no change"
            return self.tried(mistake)
        finally:  # the next mistake's object is newer than what is linked, so that all is linked again
            for one, data, at in kept:
                one.write_bytes(data)
                os.utime(one, ns=(at, at))

    def tried(self, mistake):
        chosen = self.chosen(mistake)
        if not chosen:
            return "never run"
        corpus = [one for one in chosen if one[0].startswith("corpus:")]
        others = [one for one in chosen if one not in corpus]
        if corpus and (not self.make("aicjit_tool") or self.notices(corpus)):
            return "caught by corpus"
        if others and not self.make(*PROGRAMS):
            return "caught by the linker"
        for name, seconds in others:
            if fails(self.tests[name], 5 * seconds + 20, self.build):
                return f"caught by {name}"
        return f"SURVIVED {len(chosen)} tests"

    def notices(self, corpus):
        """Whether one of these lines of tests/corpus does: by one run of the tool for all."""
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
            batch.write("".join(f"{self.tests[name][-1]}\n" for name, _ in corpus))
            batch.flush()
            return fails([*self.tests[corpus[0][0]][:-1], "--batch", batch.name], 5 * sum(s for _, s in corpus) + 20, self.build)


# ---- what tests come to ----


def digest(root):
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted((root / "codegen").rglob("*.c")))).hexdigest()


def learn(root, build, file, only):
    """Runs each test, or those of `only`, in a build of reach.py; FILE is written every minute, and what it has of these
    sources is not run again. It has lines of code by their numbers in one list."""
    sources = digest(root)
    known = json.loads(file.read_text()) if file.exists() else {}
    known = known if known.get("sources") == sources else {"sources": sources, "code": [], "tests": {}}
    numbers = {line: number for number, line in enumerate(known["code"])}
    reach, since = Reach(root, build), time.time()
    environment = {**os.environ, "AIC_CACHE": "off", "AIC_BUILD": str(build), "LC_ALL": "C"}
    for name, command in tests_of(build).items():
        if name in known["tests"] or (only and not any(name.startswith(one) for one in only)):
            continue
        status, seconds, lines = reach.run(command, environment)
        print(f"{name}: exit status {status}, {seconds} s, {len(lines)} lines", flush=True)
        for line in lines.union(reach.code()):
            numbers.setdefault(line, len(numbers))
        known["code"] = list(numbers)
        known["tests"][name] = {"seconds": seconds, "lines": [numbers[line] for line in lines], "status": status}
        if time.time() - since > 60:
            file.write_text(json.dumps(known))
            since = time.time()
    file.write_text(json.dumps(known))


def listed():
    path = HERE / "survivors.txt"
    return {line.strip() for line in path.read_text().splitlines() if line.startswith("    ")} if path.exists() else set()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, action="append", help="this number alone; may be repeated")
    parser.add_argument("--test", action="append", help="this test alone, whatever it comes to, or with --learn all whose "
                        "names begin so; may be repeated")
    parser.add_argument("--seconds", type=float, default=60, help="of processors that the tests of one mistake may take")
    parser.add_argument("--reach", type=pathlib.Path)
    parser.add_argument("--learn", type=pathlib.Path, help="the folder of reach.py's build, made if it is not there")
    parser.add_argument("--clang", default="clang", help="by which it is made")
    parser.add_argument("--list", action="store_true", help="the mistakes, and no more")
    options = parser.parse_args()
    tree = options.tree.resolve()
    if options.learn:
        if not (options.learn / "aicjit").exists():
            make(tree, options.learn.resolve(), options.clang)
        return learn(tree, options.learn.resolve(), options.reach, options.test)
    numbers = options.only or range(options.first, options.first + options.count)
    known, sums, bench = listed(), {}, None if options.list else Bench(tree, options.reach, options.seconds, options.test)
    for number, mistake in drawn(tree, options.seed, numbers):
        verdict = bench.verdict(mistake) if bench else "drawn"
        if verdict.startswith(("SURVIVED", "never")) and f"{mistake.file}: {mistake.where}: {mistake.change}" in known:
            verdict = "listed, " + verdict
        print(f"{number}: {mistake}: {verdict}", flush=True)
        key = " ".join(verdict.split()[: 2 if verdict.startswith("n") else 1]).rstrip(",")
        sums[key] = sums.get(key, 0) + 1
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(sums.items())))
    failed = sums.get("SURVIVED", 0) + sums.get("never run", 0)
    print(f"{sum(sums.values()) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
