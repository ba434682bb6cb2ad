#!/usr/bin/env python3
"""Makes the generated files of the package from the library's lists and headers (frontend/include/aic).

    generate.py ROOT FOLDER [FILE]...

ROOT is the repository; _lists.py, _declared.py, operators.py and operators.pyi are written to FOLDER, and each FILE is
copied to it.
Files that would not change are left alone.
"""

import pathlib
import re
import sys
import textwrap

# The value of a kind of field in Python. Enumerations are words.
PYTHON_TYPES = {"INT": "int", "DIMS": "int", "SIZE": "int", "REAL": "float", "FLOAT32": "float", "BOOL": "bool",
                "BITS": "Quant", "TAG": "str", "DTYPE": "DType"}
# The same in words, of one entry and of several.
VALUES = {"INT": ("an integer", "integers"), "DIMS": ("an integer", "integers"), "SIZE": ("an integer, none or dyn", ""),
          "REAL": ("a number", "numbers"), "FLOAT32": ("a number, or its bits as text", ""), "BOOL": ("True or False", ""),
          "BITS": ("an integer, or \"quant(...)\"", ""), "TAG": ("a name", "")}
# Parameters of which one number, or several equal ones, stand for all entries.
UNIFORM = [("conv2d", "stride"), ("conv2d", "pad"), ("conv2d", "dilation")]
# Types of C that are no library's.
PLAIN = ("char", "int", "bool", "float", "double", "size_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t")
WIDTH = 118


class Lists:
    """What the lists say. Each kind of row is a list of its arguments, as text."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.headers = "".join((self.folder / name).read_text(encoding="utf-8") for name in ("types.h", "explain.h"))
        self.status = self.rows("status", "STATUS")
        self.dtypes = self.rows("dtype", "TYPE")
        self.enums = {}
        for kind, value, word in self.rows("enum", "WORD"):
            self.enums.setdefault(kind, []).append((value, string(word)))
        self.semantics = self.fields("choices") + self.fields("semantics")  # as aic_semantics has them
        self.operators = [Operator(self, row[1]) for row in self.rows("ops", "OP")]

    def rows(self, name, kind):
        """The rows AIC_KIND(...) of NAME.def, each as a list of arguments."""
        text = (self.folder / (name + ".def")).read_text(encoding="utf-8")
        found = re.finditer(r"^AIC_%s\((.*)\)$" % kind, text, re.MULTILINE)
        return [split(match.group(1)) for match in found]

    def fields(self, name):
        return [Field(self, name, *row) for row in self.rows(name, "FIELD")]

    def value_of(self, constant):
        """The number of a constant of an enumeration of the headers."""
        text = self.headers
        given = re.search(r"\b%s = (\d+)" % constant, text)
        if given:
            return int(given.group(1))
        body = re.search(r"enum aic_\w+ \{([^}]*\b%s\b[^}]*)\}" % constant, text).group(1)
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
        number = -1
        for item in body.split(","):
            name, _, value = (part.strip() for part in item.partition("="))
            number = int(value) if value else number + 1
            if name == constant:
                return number
        raise ValueError(constant)


class Headers:
    """What the public headers declare."""

    def __init__(self, lists):
        texts = [path.read_text(encoding="utf-8") for path in sorted(lists.folder.glob("*.h"))]
        text = re.sub(r"/\*.*?\*/", " ", "\n".join(texts), flags=re.DOTALL)
        self.handles = set(re.findall(r"^typedef struct (aic_\w+) \1;", text, re.MULTILINE))
        bodies = dict(re.findall(r"^typedef struct (aic_\w+) \{\n([^#]*?)^\} \1;", text, re.MULTILINE | re.DOTALL))
        callbacks = re.findall(r"^typedef ([\w ]+)\(\*(aic_\w+)\)\(([^;#]*)\);", text, re.MULTILINE)
        self.known = {*PLAIN, *bodies, "aic_semantics", *(name for _, name, _ in callbacks)}
        self.constants = dict(re.findall(r"^#define AIC_(\w+_(?:MAX|ROOM)) (\w+)$", text, re.MULTILINE))
        self.constants = {name: self.number(value) for name, value in self.constants.items()}
        self.constants["TRAFFIC_LEVELS"] = lists.value_of("AIC_TRAFFIC_LEVELS")
        self.structures = {name: self.members(body) for name, body in bodies.items()}
        self.callbacks = {name: self.function(result, parameters) for result, name, parameters in callbacks}
        functions = re.findall(r"^AIC_API ([\w\s*]*?)(aic_\w+)\(([^;]*)\);", text, re.MULTILINE)
        self.functions = {name: self.function(result, parameters) for result, name, parameters in functions}

    def type_of(self, text):
        """"text", "address", "*NAME" of a structure or handle, or a name; enumerations are "int"."""
        pointers = text.count("*") + text.count("[")
        name = re.sub(r"\b(const|struct)\b|[*\[\]]", " ", text).split()[0]
        if pointers == 1 and name == "char" and "const" in text:
            return "text"
        if pointers == 1 and name.startswith("aic_") and name in self.known | self.handles:
            return "*" + name
        return "address" if pointers else name if name in self.known else "int"

    def number(self, text):
        return int(text) if text.isdigit() else self.number(str(self.constants[text[len("AIC_"):]]))

    def members(self, body):
        """(type, name, entries) of each; entries 0: room that is left behind the member before."""
        found = []
        body = re.sub(r"union \{\s*(.*?;)\s*char (\w+)(\[\w+\]);\s*\};", r"\1 room \2\3;", body, flags=re.DOTALL)
        body = re.sub(r"[\w *]*\(\*(\w+)\)\([^;]*\);", r"void *\1;", body)
        for declaration in filter(None, (one.strip() for one in body.split(";"))):
            base, first = re.fullmatch(r"((?:const |struct )*\w+)\s+(.*)", declaration, re.DOTALL).groups()
            for one in first.split(","):
                stars, name, entries = re.fullmatch(r"\s*(\**)(\w+)(?:\[(\w+)\])?", one).groups()
                found.append(("room" if base == "room" else self.type_of(base + " " + stars), name, self.number(entries or "1")))
        return found

    def function(self, result, parameters):
        named = [] if parameters == "void" else [re.sub(r"\w+(\[\w*\])?$", r"\1", one.strip()) for one in parameters.split(",")]
        return None if result.strip() == "void" else self.type_of(result), tuple(map(self.type_of, named))


def split(arguments):
    """Arguments of a macro: text between commas that are outside of quotation marks and brackets."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, letter in enumerate(arguments):
        if letter == '"' and arguments[i - 1] != "\\":
            quoted = not quoted
        elif not quoted and letter in "([":
            depth += 1
        elif not quoted and letter in ")]":
            depth -= 1
        elif not quoted and depth == 0 and letter == ",":
            parts.append(arguments[start:i].strip())
            start = i + 1
    return parts + [arguments[start:].strip()]


def first_word(words, value):
    return next(word for other, word in words if other == value)


def string(literal):
    return literal[1:-1].replace('\\"', '"')


class Field:
    def __init__(self, lists, owner, kind, name, count, need, fallback):
        self.lists, self.kind, self.name, self.uniform = lists, kind, name, (owner, name) in UNIFORM
        self.count, self.required, self.fallback = int(count), need == "REQUIRED", fallback
        self.accepted = []  # words that rules accept; none: any

    @property
    def default(self):
        """What the field is when it is left out, as a value of Python; None: nothing, or what follows from arrays."""
        if self.required or self.kind == "DIMS" or self.fallback in ("AIC_NOT_GIVEN", "AIC_DTYPE_NONE"):
            return None
        if self.kind in self.lists.enums:
            return first_word(self.lists.enums[self.kind], self.fallback)
        one = {"true": True, "false": False}.get(self.fallback)
        one = one if one is not None else float(self.fallback) if self.kind in ("REAL", "FLOAT32") else int(self.fallback)
        return one if self.count == 1 else (one,) * self.count

    @property
    def words(self):
        """The words of an enumeration that rules accept, one for each value."""
        return self.accepted or list(dict.fromkeys(first_word(self.lists.enums[self.kind], value) for value, _ in self.lists.enums[self.kind]))

    @property
    def values(self):
        """What it can be, for people."""
        if self.kind in self.lists.enums:
            return ", ".join(self.words)
        if self.kind == "DTYPE":
            return ", ".join(self.accepted or [string(row[2]) for row in self.lists.dtypes])
        one, many = VALUES[self.kind]
        if self.count == 1:
            return one
        at_most, for_all = "at most " if self.kind == "DIMS" else "", ", or one for all" if self.uniform else ""
        return "%s%d %s%s" % (at_most, self.count, many, for_all)

    @property
    def annotation(self):
        if self.kind in self.lists.enums:
            one = "Literal[%s]" % ", ".join('"%s"' % word for word in self.words)
        else:
            one = PYTHON_TYPES[self.kind]
        one = one if self.count == 1 else "Union[%s, Sequence[%s]]" % (one, one) if self.uniform else "Sequence[%s]" % one
        return one if self.default is not None else "Optional[%s]" % one


class Operator:
    def __init__(self, lists, name):
        self.lists, self.name = lists, name
        self.fields = lists.fields(name)
        self.about = string(lists.rows(name, "ABOUT")[0][0])
        self.example = string(lists.rows(name, "EXAMPLE")[0][0])
        self.meanings = {row[0]: string(row[1]) for row in lists.rows(name, "MEANING")}
        values = {row[0]: string(row[1]).split("|") for row in lists.rows(name, "VALUES")}
        for field in self.fields:
            field.accepted = values.get(field.name, [])
        self.limits = {}
        for field, entry, low, high in lists.rows(name, "LIMIT"):
            self.limits.setdefault(field, {})[entry] = (low, high)
        self.roles = [(row[0], string(row[1]), string(row[2])) for row in lists.rows(name, "ROLE")]

    def parameter_of(self, role):
        """The parameter for an operand: its name, or one that no field has."""
        return role + "_array" if role in {field.name for field in self.fields} else role

    @property
    def inputs(self):
        """(parameter, whether it can be left out, shape, meaning) of the inputs."""
        return [(self.parameter_of(name), re.search(r"\btaken\b|\bonly\b", text) is not None, shape, text)
                for name, shape, text in self.roles[1:]]

    def limit_text(self, field):
        limits = self.limits.get(field.name)
        if limits is None:
            return ""
        if "AIC_EVERY" in limits:
            return "; %s..%s" % limits["AIC_EVERY"]
        entries = ["%s..%s" % limits[str(i)] if str(i) in limits else "any" for i in range(field.count)]
        return "; [%s]" % ", ".join(entries)


# ---- what is written ----


def wrap(text, first, rest):
    """Lines of at most WIDTH letters."""
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def docstring(op):
    lines = ["%s." % (op.about[0].upper() + op.about[1:]), "", "Operands:"]
    for name, optional, shape, text in op.inputs:
        lines += wrap("%s %s: %s" % (name, shape, text), "    ", "        ")
    lines += ["", "Parameters of the document (those that are None follow from the operands):"]
    for field in op.fields:
        limit = op.limit_text(field)
        lines += wrap("%s (%s): %s%s" % (field.name, field.values, op.meanings[field.name], limit), "    ", "        ")
    name, shape, text = op.roles[0]
    lines += ["", "out: the array that is written, old content included where that is read; a new one, zeros at first, by default.",
              "context: what it is compiled for; the process's own by default.", "",
              "Returns %s." % name]
    lines += wrap("%s: %s" % (shape, text), "    ", "        ")
    lines += ["", "In operator text: %s" % op.example]
    return "\n".join(("    " + line) if line else "" for line in lines).lstrip()


def signature(op, annotated):
    parts = []
    for name, optional, _, _ in op.inputs:
        scalar = "Union[Input, Number]"
        annotation = "Optional[%s]" % scalar if optional else scalar
        parts.append(name + (": " + annotation if annotated else "") + (" = None" if optional and annotated else
                                                                        "=None" if optional else ""))
    parts.append("*")
    for field in op.fields:
        value = "..." if annotated else repr(field.default)
        parts.append("%s: %s = %s" % (field.name, field.annotation, value) if annotated else
                     "%s=%s" % (field.name, value))
    parts += ["out: Optional[Array] = ...", "context: Optional[Context] = ..."] if annotated else ["out=None", "context=None"]
    return parts


HEAD = '"""%s\n\nMade from the operators\' lists; see generate.py.\n"""\n\n'


def write_operators(lists):
    text = HEAD % "One function for each operator."
    text += "from ._call import call_operator\n\n__all__ = %r\n" % [op.name for op in lists.operators]
    for op in lists.operators:
        inputs = ", ".join(name for name, *_ in op.inputs)
        text += "\n\n" + "\n".join(wrap("%s):" % ", ".join(signature(op, False)), "def %s(" % op.name, " " * 8)) + "\n"
        text += '    """%s\n    """\n' % docstring(op)
        values = ", ".join(field.name for field in op.fields)
        text += "\n".join(wrap('(%s,), (%s), out, context)' % (inputs, values),
                               '    return call_operator("%s", ' % op.name, " " * 8)) + "\n"
    return text


def write_stub(lists):
    text = HEAD % "Types of the operators' functions."
    text += ("from typing import Literal, Optional, Sequence, Union\n\n"
             "from ._types import Array, Context, DType, Input, Number, Quant\n\n")
    text += "__all__ = %r\n" % [op.name for op in lists.operators]
    for op in lists.operators:
        text += "\ndef %s(\n" % op.name
        text += "".join("    %s,\n" % part for part in signature(op, True))
        text += ") -> Array:\n    ...\n"
    return text


def write_lists(lists):
    lines = [HEAD % "The library's lists as tables." + "import enum\n\n"]
    lines += ["class Status(enum.IntEnum):", '    """What became of a call of the library."""', ""]
    lines += ["    %s = %s  # %s" % (row[0], row[1], string(row[3])) for row in lists.status] + ["", ""]
    lines += ["# value, bytes of an element"]
    lines += ["DTYPES = {"] + ["    %s: (%s, %s)," % (row[2].replace('"', "'"), row[1], row[3]) for row in lists.dtypes] + ["}", ""]
    lines += ["ENUMS = {"]
    for kind, words in lists.enums.items():
        lines += ["    %r: {" % kind] + ["        %r: %d," % (word, lists.value_of(value)) for value, word in words] + ["    },"]
    lines += ["}", "", "# The spelling that is printed."]
    lines += ["SPELLINGS = {"]
    for kind, words in lists.enums.items():
        lines += ["    %r: {" % kind] + ["        %r: %r," % (word, first_word(words, value)) for value, word in words] + ["    },"]
    lines += ["}", "", "# Parameters of which one number, or several equal ones, stand for all entries.", "UNIFORM = %r" % UNIFORM, ""]
    rows = lambda fields: ["    (%r, %r, %d, %r, %r)," % (f.kind, f.name, f.count, f.required, f.default) for f in fields]
    lines += ["# Fields: kind, name, entries, required, default."]
    lines += ["SEMANTICS = ("] + rows(lists.semantics) + [")", ""]
    lines += ["OPERATORS = {"]
    for op in lists.operators:
        lines += ["    %r: (" % op.name] + ["    " + row for row in rows(op.fields)] + ["    ),"]
    lines += ["}", "", "# Names of the operands in calling order."]
    lines += ["OPERANDS = {"] + ["    %r: %r," % (op.name, tuple(role[0] for role in op.roles)) for op in lists.operators] + ["}", ""]
    return "\n".join(lines)


def write_declared(headers):
    """Tables whose rows are short: one a line."""
    text = HEAD % "What the library's public headers declare; _structs.py makes types of it."
    for name in ("constants", "structures", "callbacks", "functions"):
        rows = sorted(getattr(headers, name).items())
        text += "%s = {\n%s}\n" % (name.upper(), "".join("    %r: %r,\n" % row for row in rows))
    return text + "HANDLES = %r\n" % sorted(headers.handles)


def put(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(root, folder, *files):
    lists = Lists(pathlib.Path(root) / "frontend" / "include" / "aic")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    put(folder / "_lists.py", write_lists(lists))
    put(folder / "_declared.py", write_declared(Headers(lists)))
    put(folder / "operators.py", write_operators(lists))
    put(folder / "operators.pyi", write_stub(lists))
    for file in map(pathlib.Path, files):
        target = folder / file.resolve().relative_to(pathlib.Path(__file__).resolve().parent / "aicjit")
        target.parent.mkdir(exist_ok=True)
        put(target, file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
