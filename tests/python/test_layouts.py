"""The structures of ctypes are those of the C compiler, and the generated tables those of the library."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import aicjit
from aicjit import _lists, _structs
from aicjit._library import lib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_structures(tmp_path):
    lines, expected = [], []
    for name, struct in _structs.NAMES.items():
        lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
        expected.append("%s %d" % (name, ctypes.sizeof(struct)))
        for field in [field for field, *_ in struct._fields_ if not field.startswith("_")]:
            lines.append('printf("%s.%s %%zu\\n", offsetof(%s, %s));' % (name, field, name, field))
            expected.append("%s.%s %d" % (name, field, getattr(struct, field).offset))
    limits = {"OPERANDS_MAX": "AIC_OPERANDS_MAX", "RANK_MAX": "AIC_RANK_MAX",
              "SCHEDULE_MAX": "AIC_TUNE_SCHEDULE_MAX", "TRAFFIC_LEVELS": "AIC_TRAFFIC_LEVELS",
              "SEMANTICS_ROOM": "AIC_SEMANTICS_ROOM", "OTHERS_MAX": "AIC_OTHERS_MAX"}
    for here, there in limits.items():
        lines.append('printf("%s %%d\\n", (int)%s);' % (here, there))
        expected.append("%s %d" % (here, getattr(_structs, here)))
    assert run_c(tmp_path, lines) == expected


def value_of(kind, value):
    """A default of the lists as the number in the descriptor."""
    return _lists.ENUMS[kind][value] if kind in _lists.ENUMS else value


def run_c(tmp_path, lines):
    """What a C program with these lines prints, as lines."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    assert compiler, "a C compiler is needed"
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text("#include <aic/aic.h>\n#include <stdio.h>\nint main(void)\n{\n%s\nreturn 0;\n}\n" % "\n".join(lines))
    library = pathlib.Path(lib._name).resolve()
    subprocess.run([compiler, "-I", str(ROOT / "frontend" / "include"), str(source), "-o", str(program), str(library),
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
