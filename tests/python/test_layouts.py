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
    compiler = shutil.which(os.environ.get("CC", "cc"))
    assert compiler, "a C compiler is needed"
    lines, expected = [], []
    for name, struct in _structs.NAMES.items():
        lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
        expected.append("%s %d" % (name, ctypes.sizeof(struct)))
        for field, *_ in struct._fields_:
            lines.append('printf("%s.%s %%zu\\n", offsetof(%s, %s));' % (name, field, name, field))
            expected.append("%s.%s %d" % (name, field, getattr(struct, field).offset))
    limits = {"STAGES_MAX": "AIC_STAGES_MAX", "OPERANDS_MAX": "AIC_OPERANDS_MAX", "RANK_MAX": "AIC_RANK_MAX",
              "SCHEDULE_MAX": "AIC_TUNE_SCHEDULE_MAX", "TRAFFIC_LEVELS": "AIC_TRAFFIC_LEVELS"}
    for here, there in limits.items():
        lines.append('printf("%s %%d\\n", (int)%s);' % (here, there))
        expected.append("%s %d" % (here, getattr(_structs, here)))
    source = tmp_path / "layouts.c"
    source.write_text("#include <aic/aic.h>\n#include <stdio.h>\nint main(void)\n{\n%s\nreturn 0;\n}\n" % "\n".join(lines))
    program = tmp_path / "layouts"
    subprocess.run([compiler, "-I", str(ROOT / "frontend" / "include"), str(source), "-o", str(program)], check=True)
    reported = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
    assert reported == expected


def value_of(kind, value):
    """A default of the lists as the number in the descriptor."""
    return _lists.ENUMS[kind][value] if kind in _lists.ENUMS else value


@pytest.mark.parametrize("name", _lists.OPERATORS)
def test_defaults(name):
    init = getattr(lib, "aic_%s_desc_init" % name)
    init.restype = _structs.DESCRIPTORS[name]
    desc = init()
    for kind, field, count, required, default in _lists.OPERATORS[name]:
        if default is not None:
            value = getattr(desc, field)
            expected = value_of(kind, default) if count == 1 else [value_of(kind, entry) for entry in default]
            assert (value if count == 1 else list(value)) == expected, field


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
                    spec._pointer
                    assert getattr(getattr(spec._struct.stage[0].desc, name), field) == value, word
    assert seen | {kind for kind, *_ in _lists.SEMANTICS} >= set(_lists.ENUMS)


def test_status_codes():
    lib.aic_status_name.restype = ctypes.c_char_p
    for status in aicjit.Status:
        assert lib.aic_status_name(status).decode().startswith("AIC_%s" % status.name)
    assert "AIC_" not in lib.aic_status_name(max(aicjit.Status) + 1).decode()
