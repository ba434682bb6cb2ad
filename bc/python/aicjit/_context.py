"""Contexts: what kernels are compiled for."""

import ctypes as c

from . import _lists
from ._errors import ArgumentError, ArgumentTypeError
from ._library import ContextHandle, checked, lib
from ._structs import ContextOptions, semantics_of_documents
from ._values import choice, integer, kind_of, text

_TEXTS = ("isa", "passes", "dump_dir", "tuning_db", "cache", "cache_dir", "profile", "machine")
_NUMBERS = {"verbose": 2**31 - 1, "threads": 2**31 - 1, "cache_bytes": 2**64 - 1, "cache_kernels": 2**64 - 1,
            "cache_disk_bytes": 2**64 - 1}
_SEMANTICS = {name: kind for kind, name, *_ in _lists.SEMANTICS}


class Held:
    """What holds something of the library: a copy is the object itself, and it cannot be pickled."""

    __slots__ = ()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        raise TypeError("aicjit.%s objects live in this process and cannot be pickled" % type(self).__name__)


class Closing(Held):
    """What can be given up before the object goes, by close() or at the end of a with statement."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class Context(Closing):
    """What kernels are compiled for and called by: instruction set, threads, caches, and what documents leave open.

    Options are those of aic_context_options and aic_semantics, by their names: isa, threads, tuning_db, cache
    ("off", "ro", "rw"), cache_dir, cache_bytes, cache_kernels, cache_disk_bytes, verbose, dump_dir, profile, passes,
    machine;
    limits, overflow, rounding, lanes, lane_bytes, ub_bytes, l1_bytes, and the choices (aicjit help choices) by their keys;
    readings: a profile ("document", "simulator", "script", "library"), which sets the choices that are not given. What is
    left out is the library's default. A context manager: close() gives it up.
    """

    def __init__(self, **options):
        given = ContextOptions(verbose=-1, semantics=semantics_of_documents())
        readings = options.pop("readings", None)
        if readings is not None:
            checked(lib.aic_semantics_apply_profile, c.byref(given.semantics), text("readings", readings))
        for name, value in options.items():
            if name in _TEXTS:
                setattr(given, name, text(name, value))
            elif name in _NUMBERS:
                setattr(given, name, integer(name, value, 0, _NUMBERS[name]))
            elif name in _SEMANTICS:
                words = _lists.ENUMS.get(_SEMANTICS[name])
                setattr(given.semantics, name, integer(name, value) if words is None else choice(name, value, words))
            else:
                raise ArgumentTypeError("Context() has no option %r" % name)
        self._semantics = given.semantics
        self._options = dict(options, **({} if readings is None else {"readings": readings}))
        #: Kernels of the operators' functions, by what they depend on; see _call.
        self._known = {}
        handle = ContextHandle()
        checked(lib.aic_context_create, c.byref(given), c.byref(handle))
        self._handle = handle

    def __repr__(self):
        told = ["%s=%r" % option for option in self._options.items()]
        if self._handle is None:
            return "<aicjit.Context(%s), closed>" % ", ".join(told)
        return "<aicjit.Context(%s): isa %s, machine %s, threads %d>" % (", ".join(told), self.isa, self.machine, self.threads)

    def close(self):
        """Gives the context up: nothing more is compiled for it. Its kernels stay usable."""
        self._handle = None
        self._known = {}

    @property
    def isa(self):
        """The instruction set level that kernels are compiled for."""
        return lib.aic_context_isa(handle_of(self)).decode()

    @property
    def machine(self):
        """The type of core that schedules are chosen for."""
        return lib.aic_context_machine(handle_of(self), None).decode()

    @property
    def threads(self):
        """Threads that share a call."""
        return lib.aic_context_threads(handle_of(self))


def handle_of(context):
    """The library's hold of a context; None: the default context."""
    if context is None:
        return None
    if not isinstance(context, Context):
        raise ArgumentTypeError("context: is %s, neither an aicjit.Context nor None" % kind_of(context))
    if getattr(context, "_handle", None) is None:
        raise ArgumentError("context: is closed")
    return context._handle


def semantics_of(context):
    """What a context says where documents leave something open; None: the defaults."""
    return None if handle_of(context) is None else c.byref(context._semantics)
