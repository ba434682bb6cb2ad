"""The stubs say what is there; type checkers find nothing wrong with a user's program; the tool is found."""

import ast
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import aicjit
from aicjit import operators

STUB = ast.parse(pathlib.Path(aicjit.__file__).with_suffix(".pyi").read_text())
USER = pathlib.Path(__file__).parent / "user.py"
PACKAGE = str(pathlib.Path(aicjit.__file__).parents[1])


def parameters(node):
    arguments = node.args
    return [argument.arg for argument in [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs,
                                          arguments.kwarg] if argument is not None]


def definitions(body, kind):
    return {node.name: node for node in body if isinstance(node, kind)}


def elsewhere():
    """Names whose types are where they are defined: in a module of the package that has no stub."""
    return {name.name for node in STUB.body if isinstance(node, ast.ImportFrom) and node.level == 1 for name in node.names
            if name.asname and node.module and inspect.getfile(getattr(aicjit, name.name)).endswith(".py")}


def test_functions_of_the_stub():
    stubs = definitions(STUB.body, ast.FunctionDef)
    functions = {name for name in aicjit.__all__ if inspect.isfunction(getattr(aicjit, name))} - set(operators.__all__)
    functions -= elsewhere()
    assert set(stubs) == functions
    for name, node in stubs.items():
        assert parameters(node) == list(inspect.signature(getattr(aicjit, name)).parameters), name


def test_classes_of_the_stub():
    stubs = definitions(STUB.body, ast.ClassDef)
    assert set(stubs) == {name for name in aicjit.__all__ if inspect.isclass(getattr(aicjit, name))} - elsewhere()
    for name, node in stubs.items():
        made = getattr(aicjit, name)
        public = {member for member in dir(made) if not member.startswith("_")} - {m for b in made.__mro__[1:] for m in dir(b)
                                                                                  if b.__module__ != "aicjit._context"}
        told = definitions(node.body, ast.FunctionDef)
        fields = {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
        assert public <= set(told) | fields or issubclass(made, aicjit.Status), (name, public)
        for method, stub in told.items():
            actual = getattr(made, method)
            if isinstance(actual, property) or method in ("__init__", "__exit__"):
                continue
            told_of = parameters(stub)[1 if inspect.ismethod(actual) else 0 :]  # a class method is bound already
            assert told_of == list(inspect.signature(actual).parameters), (name, method)
        if issubclass(made, tuple):
            assert fields == set(made._fields)
    assert {node.target.id for node in stubs["Status"].body if isinstance(node, ast.AnnAssign)} \
        | {node.targets[0].id for node in stubs["Status"].body if isinstance(node, ast.Assign)} == set(aicjit.Status.__members__)


def test_a_users_program():
    environment = dict(os.environ, PYTHONPATH=PACKAGE)
    done = subprocess.run([sys.executable, str(USER)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "INVALID_ARGUMENT" in done.stdout, done.stderr


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers(checker, tmp_path):
    """Where they are installed; with mypy --strict and pyright's strict mode."""
    pytest.importorskip(checker, reason="%s is not installed: types are not checked by it" % checker)
    settings = tmp_path / "pyrightconfig.json"
    settings.write_text('{"typeCheckingMode": "strict", "extraPaths": ["%s"], "include": ["user.py"]}' % PACKAGE)
    (tmp_path / "user.py").write_text(USER.read_text())
    strict = ["--strict", "--cache-dir", str(tmp_path), "user.py"] if checker == "mypy" else ["--pythonpath", sys.executable]
    done = subprocess.run([sys.executable, "-m", checker, *strict], cwd=tmp_path, env=dict(os.environ, MYPYPATH=PACKAGE),
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_tool():
    environment = dict(os.environ, PYTHONPATH=PACKAGE)
    for arguments, status, text in ((["list"], 0, "conv2d"), (["nosuch"], 2, "unknown command"), (["--version"], 0, "aicjit ")):
        done = subprocess.run([sys.executable, "-m", "aicjit", *arguments], env=environment, capture_output=True, text=True)
        assert done.returncode == status and text in done.stdout + done.stderr
