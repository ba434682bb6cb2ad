#!/usr/bin/env python3
"""What a program takes over from the public headers when it is compiled.

    layout.py header ROOT      one header with all of it, whatever becomes of the headers: what tests/interface/kept.inc is
    layout.py list HEADER      sizes of structures, offsets and sizes of their members, numbers of enumerators

Both by the C compiler, as CC or cc. tests/checks/interface.sh calls it.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

STANDARD = ("stdbool.h", "stddef.h", "stdint.h", "string.h")
CC = os.environ.get("CC", "cc")


def preprocessed(root, *options):
    """aic/aic.h without the headers of the C library."""
    with tempfile.TemporaryDirectory() as folder:
        for name in STANDARD:
            (pathlib.Path(folder) / name).write_text("")
        command = [CC, "-E", "-P", "-nostdinc", "-I", folder, "-I", str(pathlib.Path(root) / "frontend" / "include"), *options,
                   "-x", "c", "-"]
        return subprocess.run(command, input="#include <aic/aic.h>\n", check=True, capture_output=True, text=True).stdout


def header(root):
    macros = [line for line in preprocessed(root, "-dM").splitlines() if re.match(r"#define AIC_[A-Z0-9_]+(\(.*?\))? \S", line)]
    kept = [line for line in macros
            if not re.match(r"#define AIC_(FIELD|MEMBER|INITIAL|CTYPE|EXTENT|SIZED|OPERANDS\(|API|EXTERN)", line)]
    print("/* The public headers as a program of this version saw them; made by tests/interface/layout.py. */")
    print("".join("#include <%s>\n" % name for name in STANDARD))
    print("\n".join(sorted(kept)))
    print(preprocessed(root).rstrip())


def members(body):
    """Names of a structure's members, those of anonymous unions included."""
    body = re.sub(r"union \{([^}]*)\};", r"\1", body)
    for declaration in body.split(";"):
        pointer = re.search(r"\(\*(\w+)\)\(", declaration)
        if pointer:
            yield pointer.group(1)
            continue
        for part in declaration.split(","):
            name = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", part)
            if name and len(part.split()) + part.count("*") > (1 if part is declaration.split(",")[0] else 0):
                yield name.group(1)


def print_list(path):
    text = pathlib.Path(path).read_text()
    lines = []
    for body, name in re.findall(r"typedef struct \w+ \{((?:[^{}]|\{[^{}]*\})*)\} (aic_\w+);", text):
        lines.append('printf("size %s %%zu\\n", sizeof(%s));' % (name, name))
        for member in members(body):
            lines.append('printf("member %s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));' %
                         (name, member, name, member, name, member))
    for body in re.findall(r"enum(?: \w+)? \{([^}]*)\}", text):
        for item in body.split(","):
            name = item.split("=")[0].strip()
            if name and not name.endswith("_END"):
                lines.append('printf("number %s %%lld\\n", (long long)%s);' % (name, name))
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "list.c", pathlib.Path(folder) / "list"
        source.write_text('#include "%s"\n#include <stdio.h>\nint main(void)\n{\n%s\nreturn 0;\n}\n' %
                          (pathlib.Path(path).resolve(), "\n".join(lines)))
        # No function is called: what is inline needs none of them either.
        subprocess.run([CC, "-std=c11", "-O1", "-Wl,--unresolved-symbols=ignore-all", str(source), "-o", str(program)], check=True)
        print(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout, end="")


if __name__ == "__main__":
    {"header": header, "list": print_list}[sys.argv[1]](sys.argv[2])
