"""The structures of ctypes are those of the C compiler, and the generated tables those of the library."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import aicjit
from aicjit import _declared, _lists, _network, _structs
from aicjit._library import lib

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "frontend" / "include"
OWN = ROOT / "tools" / "python"
# What an expression of C is; enumerations are integers, and what is left are pointers and structures.
KIND = "#define KIND(x) _Generic((x), float: \"real\", double: \"real\", %s, default: \"other\")" % ", ".join(
    '%s: "integer"' % name for name in ("bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
                                        "unsigned", "long", "unsigned long", "long long", "unsigned long long"))


def kind(one):
    """The same of a type of ctypes, of the elements of an array."""
    if issubclass(one, ctypes.Array):
        return kind(one._type_)
    code = getattr(one, "_type_", None)
    if not isinstance(code, str) or code in "zPO":
        return "other"
    return "real" if code in "fd" else "integer"


def test_structures(tmp_path):
    lines, expected = [], []
    for name, struct in _structs.NAMES.items():
        lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
        expected.append("%s %d" % (name, ctypes.sizeof(struct)))
        for field, member in struct._fields_:
            if not field.startswith("_"):
                here, first = "((%s *)0)->%s" % (name, field), "[0]" * issubclass(member, ctypes.Array)
                lines.append('printf("%s.%s %%zu %%zu %%s\\n", offsetof(%s, %s), sizeof(%s), KIND(%s%s));' % (
                    name, field, name, field, here, here, first))
                expected.append("%s.%s %d %d %s" % (name, field, getattr(struct, field).offset, ctypes.sizeof(member),
                                                    kind(member)))
    same = [("PYTHON_RANK_MAX", _structs.RANK_MAX), ("PYTHON_OPERANDS_MAX", _structs.OPERANDS_MAX)]
    lines += ['printf("%s %%d\\n", (int)%s);' % (name, name) for name, _ in same]
    expected += ["%s %d" % one for one in same]
    for name, value in _declared.CONSTANTS.items():
        lines.append('printf("%s %%d\\n", (int)AIC_%s);' % (name, name))
        expected.append("%s %d" % (name, value))
    assert run_c(tmp_path, lines) == expected


def package():
    """The package's modules."""
    return [module for name, module in sys.modules.items() if name.partition(".")[0] == "aicjit"]


def test_every_structure_is_compared():
    found = {value for module in package() for value in vars(module).values()
             if isinstance(value, type) and issubclass(value, ctypes.Structure) and hasattr(value, "_fields_")}
    assert found - {_structs.Sized} <= set(_structs.NAMES.values())
    assert {_network._Facts, _structs.AllowedStruct} <= found


def prototypes():
    """What the headers declare, by names: the result and the parameters, as text without their names."""
    found = {}
    for header in sorted((HEADERS / "aic").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        for result, name, parameters in re.findall(r"^AIC_API ([\w\s*]*?)(aic_\w+)\(([^;]*)\);", text, re.MULTILINE):
            parameters = [] if parameters == "void" else parameters.split(",")
            found[name] = (result.strip(), [re.sub(r"\w+(\[\w*\])?$", r"\1", one.strip()) for one in parameters])
    return found


def test_functions(tmp_path):
    """Every function that the package calls is declared, with as many parameters as in C, of the same sizes and kinds."""
    declared, lines, expected = prototypes(), [], []
    sources = "".join(path.read_text(encoding="utf-8") for path in pathlib.Path(aicjit.__file__).parent.rglob("*.py"))
    called = set(re.findall(r"\blib\.(aic_\w+)", sources))
    called |= {name for name in vars(lib) if name.startswith("aic_") and getattr(lib, name).argtypes is not None}
    assert len(called) > 60 and not called - set(declared), called - set(declared)
    for name in sorted(called):
        (result, parameters), function = declared[name], getattr(lib, name)
        assert function.argtypes is not None and len(function.argtypes) == len(parameters), name
        assert (function.restype is None) == (result == "void"), name
        for text, one in zip(parameters + [result] * (result != "void"), [*function.argtypes, function.restype]):
            pointer = "*" in text or "[" in text
            target = _names_of_structures().get(getattr(one, "_type_", None))
            assert target is None or target in text, (name, text)
            lines.append('printf("%s: %s %%zu %%s\\n", sizeof(%s), KIND((%s){0}));' % (
                name, text, *(["void *"] * 2 if pointer else [text] * 2)))
            expected.append("%s: %s %d %s" % (name, text, ctypes.sizeof(one), kind(one)))
    assert run_c(tmp_path, lines) == expected


def _names_of_structures():
    return {struct: name for name, struct in _structs.NAMES.items()}


def value_of(kind, value):
    """A default of the lists as the number in the descriptor."""
    return _lists.ENUMS[kind][value] if kind in _lists.ENUMS else value


def run_c(tmp_path, lines):
    """What a C program with these lines prints, as lines."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    assert compiler, "a C compiler is needed"
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text("#include <aic/aic.h>\n#include \"call.h\"\n#include <stdio.h>\n%s\nint main(void)\n{\n%s\nreturn 0;\n}\n" % (
        KIND, "\n".join(lines)))
    library = pathlib.Path(lib._name).resolve()
    subprocess.run([compiler, "-I", str(HEADERS), "-I", str(OWN), str(source), "-o", str(program), str(library),
                    "-Wl,-rpath," + str(library.parent)], check=True)
    return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


def defaults_of(name, fields, lines, expected):
    """The lines that print what NAME_init() puts into the fields that have a default, and what they have to print."""
    lines.append("%s of_%s = %s_init();" % (name, name, name))
    lines.append('printf("%s %%zu\\n", of_%s.size);' % (name, name))
    expected.append("%s %d" % (name, ctypes.sizeof(_structs.NAMES[name])))
    for kind, field, count, required, default in fields:
        for i, value in enumerate(() if default is None else (default,) if count == 1 else default):
            lines.append('printf("%s %%.17g\\n", (double)of_%s.%s%s);' % (field, name, field, "" if count == 1 else "[%d]" % i))
            expected.append("%s %.17g" % (field, value_of(kind, value)))


def test_defaults(tmp_path):
    lines, expected = [], []
    for name, fields in _lists.OPERATORS.items():
        defaults_of("aic_%s_desc" % name, fields, lines, expected)
    defaults_of("aic_semantics", _lists.SEMANTICS, lines, expected)
    assert run_c(tmp_path, lines) == expected


def test_element_types():
    lib.aic_dtype_name.restype = ctypes.c_char_p
    lib.aic_dtype_size.restype = ctypes.c_size_t
    for name, (value, size) in _lists.DTYPES.items():
        assert (lib.aic_dtype_name(value).decode(), lib.aic_dtype_size(value)) == (name, size)


def test_operators_are_the_librarys():
    lib.aic_op_name.restype = ctypes.c_char_p
    names, value = [], 1
    while lib.aic_op_name(value) is not None:
        names.append(lib.aic_op_name(value).decode())
        value += 1
    assert names == list(_lists.OPERATORS)


def with_key(documentation, field, word):
    """The example of an operator with this key."""
    text = documentation.rsplit("In operator text: ", 1)[1].strip()
    rest = re.sub(r"(?<=[(, ])%s=[^,)]*,? ?" % field, "", text)
    return "%s, %s=%s)" % (rest.rstrip(")").rstrip(", "), field, word)


def test_words_of_enumerations():
    """Every word sets a field of its kind to the value of the lists."""
    seen = set()
    for name, fields in _lists.OPERATORS.items():
        for kind, field, count, _, _ in fields:
            if count == 1 and kind in _lists.ENUMS:
                seen.add(kind)
                for word, value in _lists.ENUMS[kind].items():
                    spec = aicjit.Spec(with_key(getattr(aicjit, name).__doc__, field, word))
                    desc = _structs.DESCRIPTORS[name]()
                    op = list(_lists.OPERATORS).index(name) + 1
                    assert lib.aic_spec_get(spec._pointer, ctypes.c_size_t(0), op, ctypes.byref(desc)) == 0
                    assert getattr(desc, field) == value, word
    assert seen | {kind for kind, *_ in _lists.SEMANTICS} >= set(_lists.ENUMS)


def test_status_codes():
    lib.aic_status_name.restype = ctypes.c_char_p
    for status in aicjit.Status:
        assert lib.aic_status_name(status).decode().startswith("AIC_%s" % status.name)
    assert "AIC_" not in lib.aic_status_name(max(aicjit.Status) + 1).decode()
