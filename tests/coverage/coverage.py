#!/usr/bin/env python3
"""coverage.py BUILD [FOLDER]... [--root DIR] [--uncovered FILE [--reasons FILE [--complete]]]: lines and branches of sources in these folders of DIR (the
repository; by default frontend, codegen and runtime) that the programs of BUILD have run, read by gcov from a build with
--coverage. A row a file, sums by folder, and the sum of all. FILE gets a line for every condition that came out one way
only: file, line, how often the line was run, the condition, and the line; where the compiler's branches are not those of
the line's text, which branches of how many. With reasons (tests/coverage/reasons.txt) those that one explains are counted
instead; and a run that was complete fails where conditions are left, or expressions of reasons explain nothing.

A line or a branch of a header is counted once, whichever objects have it. Code that LLVM generated is not looked at."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys


def gcov(notes):
    """What gcov says of an object, run or not: its files."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", notes.name], cwd=notes.parent,
                          capture_output=True, text=True)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"gcov {notes}: {done.stderr.strip()}")
    whole = json.loads(done.stdout.splitlines()[0])
    return [(os.path.join(whole["current_working_directory"], one["file"]), one["lines"]) for one in whole["files"]]


def collect(build, root, folders):
    """File to line to [count, counts of its branches], over all objects."""
    notes = sorted(path for path in build.rglob("*.gcno"))
    if not notes:
        sys.exit(f"{build}: no object was compiled with --coverage")
    files = collections.defaultdict(dict)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for found in pool.map(gcov, notes):
            for name, lines in found:
                name = os.path.relpath(os.path.realpath(name), root)
                if name.split("/")[0] in folders:
                    merge(files[name], lines)
    return files


def merge(known, lines):
    for line in lines:
        branches = [branch["count"] for branch in line["branches"]]
        seen = known.setdefault(line["line_number"], [0, [0] * len(branches)])
        seen[0] += line["count"]
        if len(seen[1]) == len(branches):
            seen[1] = [a + b for a, b in zip(seen[1], branches)]
        elif sum(map(bool, branches)) * len(seen[1]) > sum(map(bool, seen[1])) * len(branches):
            seen[1] = branches  # compiled otherwise elsewhere: the form of which more was run


def sums(lines):
    """Lines run, lines, branches taken, branches."""
    branches = [count for _, all in lines.values() for count in all]
    return (sum(count > 0 for count, _ in lines.values()), len(lines), sum(count > 0 for count in branches), len(branches))


def row(name, numbers):
    def share(part, whole):
        return f"{100 * part / whole if whole else 100:6.1f} % of {whole:6}"

    return f"{name:<56} lines {share(*numbers[:2])}   branches {share(*numbers[2:])}"


def blank(text):
    """The line, as long as before, without what its strings, characters and comments hold."""
    text = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'',
                  lambda found: found[0][0] + "." * (len(found[0]) - 2) + found[0][-1], text)
    return re.sub(r"/\*.*?(\*/|$)|//.*", lambda found: " " * len(found[0]), text)


TOKEN = re.compile(r"(?P<open>(?:\b(?P<word>\w+)\s*)?\()|(?P<close>\))|(?P<join>&&|\|\|)|(?P<ask>\?)|"
                   r"(?P<end>[,:;{}]|\breturn\b|(?<![=!<>])=(?!=))")


def conditions(line):
    """The conditions of a line of C in the order in which they are asked: what its if (), while () and for (;;) ask, what
    stands before ?, and what && and || join."""
    text, found = blank(line), []
    # Of each open parenthesis: what is before it, where the operand begins, whether that is asked for, and whether it has
    # a parenthesis whose conditions are its own.
    levels = [["", 0, text.count(")") > text.count("("), False]]

    def end_operand(end, asked):
        _, begin, always, own = levels[-1]
        operand = text[begin:end].strip()
        if (asked or always) and operand and not (own and re.fullmatch(r"!*\s*\(.*\)", operand)):
            found.append(line[begin:end].strip())

    for token in TOKEN.finditer(text):
        at, level = token.start(), levels[-1]
        if token["open"]:
            word = token["word"] or ""
            levels.append([word, token.end(), word in ("if", "while"), False])
        elif token["close"]:
            end_operand(at, False)
            asked = level[2]
            if len(levels) > 1:
                levels.pop()
                levels[-1][3] = asked and level[0] in ("", "return")
                if level[0] in ("if", "while", "for"):
                    levels[-1][1:] = [token.end(), False, False]
            else:
                levels[0] = ["", token.end(), False, False]
        elif token["join"]:
            end_operand(at, True)
            level[1:] = [token.end(), True, False]
        elif token["ask"]:
            end_operand(at, True)
            level[1:] = [token.end(), level[2] and (level[0] in ("if", "while") or len(levels) > 1), False]
        else:
            end_operand(at, False)
            always = level[2] if token["end"] == ":" else level[0] == "for" and token["end"] == ";" and not level[2]
            level[1:] = [token.end(), always, False]
    while levels:
        end_operand(len(text), False)
        levels.pop()
    return found


# What the C library's headers make inline has branches of its own: whether a size is known.
FORTIFIED = re.compile(r"\b(mem(set|cpy|move)|str(cpy|ncpy)|v?s?n?printf|sscanf|p?read|openat|fgets|realpath)\(")


def uncovered(files, root):
    for name in sorted(files):
        text = (pathlib.Path(root) / name).read_text(errors="replace").splitlines()
        for number, (count, branches) in sorted(files[name].items()):
            source = text[number - 1].strip() if number <= len(text) else ""
            asked = conditions(source)
            if not count:
                yield f"{name}:{number}: never run: {source}\n"
            elif 2 * len(asked) == len(branches):
                for condition, taken in zip(asked, zip(branches[::2], branches[1::2])):
                    if not all(taken):
                        yield f"{name}:{number}: run {count} times, one way: {condition}  in: {source}\n"
            elif not all(branches) and not (len(branches) == 2 and not asked and FORTIFIED.search(source)):
                never = ",".join(str(i) for i, taken in enumerate(branches) if not taken)
                yield f"{name}:{number}: run {count} times, never branch {never} of {len(branches)}: {source}\n"


BY_CHANCE = "(by chance)"  # in reasons: a run may also come by both outcomes, and leave the expression nothing to explain


def reasons_of(file):
    """Regular expressions, each with its reason."""
    reason, found = "", []
    for line in file.read_text().splitlines():
        if line.startswith("    "):
            found.append((re.compile(line.strip()), reason))
        elif line and not line.startswith("#"):
            reason = line.rstrip(":")
    return found


def place_of(line, further=0):
    name, number, _ = line.split(":", 2)
    return name, int(number) + further


def explain(lines, reasons):
    """The reason of each line, or None: that of a pattern; or that of a line before or behind it if none of both is ever run;
    or that of the line behind it if it is an if () that asks for nothing but whether that is run."""
    found = [next((one for one in reasons if one[0].search(line.split("  in: ")[0])), None) for line in lines]
    never = {place_of(line): i for i, line in enumerate(lines) if ": never run: " in line}
    for i in (*range(len(lines)), *reversed(range(len(lines)))):
        before, behind = (never.get(place_of(lines[i], step)) for step in (-1, 1))
        if found[i]:
            continue
        if place_of(lines[i]) in never and before is not None:
            found[i] = found[before]
        asks = lines[i].rstrip().endswith("{") and "&&" not in lines[i] and "else" not in lines[i]
        if not found[i] and behind is not None and (place_of(lines[i]) in never or asks):
            found[i] = found[behind]
    return found


def explained(lines, reasons):
    """The lines that no reason explains, and how many expressions explain nothing; prints how many lines each one does."""
    found = explain(lines, reasons)
    counts = collections.Counter(found)
    for one in reasons:
        print(f"{counts[one]:6} lines not run or conditions of one way: {one[1]}" if counts[one] else
              f"explains nothing: {one[0].pattern}")
    print(f"{counts[None]:6} others")
    idle = [one for one in reasons if not counts[one] and BY_CHANCE not in one[1]]
    return [line for line, reason in zip(lines, found) if not reason], len(idle)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", default=["frontend", "codegen", "runtime"])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent.parent)
    parser.add_argument("--uncovered", type=pathlib.Path)
    parser.add_argument("--reasons", type=pathlib.Path)
    parser.add_argument("--complete", action="store_true")
    options = parser.parse_intermixed_args()
    root = os.path.realpath(options.root)
    files = collect(options.build, root, options.folders)
    totals = collections.defaultdict(lambda: (0, 0, 0, 0))
    for name in sorted(files):
        numbers = sums(files[name])
        print(row(name, numbers))
        for group in (os.path.dirname(name) + "/", name.split("/")[0], "all"):
            totals[group] = tuple(a + b for a, b in zip(totals[group], numbers))
    print()
    for group in sorted(totals, key=lambda one: (one == "all", not one.endswith("/"), one)):
        print(row(group, totals[group]))
    if options.uncovered:
        lines, idle = list(uncovered(files, root)), 0
        if options.reasons:
            lines, idle = explained(lines, reasons_of(options.reasons))
        options.uncovered.write_text("".join(lines))
        if options.complete and (lines or idle):
            sys.exit(f"{len(lines)} lines not run or conditions of one way have no reason ({options.uncovered}), "
                     f"{idle} expressions of reasons explain nothing")


if __name__ == "__main__":
    main()
