"""Contexts: what kernels are compiled for."""

import ctypes as c

from . import _lists
from ._errors import ArgumentError
from ._library import check, encode, lib

_TEXTS = ("isa", "passes", "dump_dir", "tuning_db", "cache", "cache_dir", "profile", "machine")
_NUMBERS = ("verbose", "threads", "cache_bytes", "cache_kernels", "cache_disk_bytes")
_SEMANTICS = {name: kind for kind, name, *_ in _lists.SEMANTICS}


def _set_semantics(semantics, name, value):
    kind = _SEMANTICS[name]
    words = _lists.ENUMS.get(kind)
    if words is not None and value not in words:
        raise ArgumentError("%s: %r is none of %s" % (name, value, ", ".join(words)))
    setattr(semantics, name, value if words is None else words[value])


class Context:
    """What kernels are compiled for and called by: instruction set, threads, caches, and what documents leave open.

    Options are those of aic_context_options and aic_semantics, by their names: isa, threads, tuning_db, cache
    ("off", "ro", "rw"), cache_dir, cache_bytes, cache_kernels, cache_disk_bytes, verbose, dump_dir, profile, passes,
    machine;
    limits, overflow, rounding, lanes, lane_bytes, ub_bytes, l1_bytes. What is left out is the library's default.
    """

    def __init__(self, **options):
        self._handle = None
        given = lib.aic_context_options_init()
        for name, value in options.items():
            if name in _TEXTS:
                setattr(given, name, encode(value))
            elif name in _NUMBERS:
                setattr(given, name, value)
            elif name in _SEMANTICS:
                _set_semantics(given.semantics, name, value)
            else:
                raise TypeError("Context() has no option %r" % name)
        self._semantics = given.semantics
        handle = c.c_void_p()
        check(lib.aic_context_create(c.byref(given), c.byref(handle)))
        self._handle = handle.value

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            lib.aic_context_destroy(self._handle)
            self._handle = None

    @property
    def isa(self):
        """The instruction set level that kernels are compiled for."""
        return lib.aic_context_isa(self._handle).decode()

    @property
    def machine(self):
        """The type of core that schedules are chosen for."""
        return lib.aic_context_machine(self._handle, None).decode()

    @property
    def threads(self):
        """Threads that share a call."""
        return lib.aic_context_threads(self._handle)


def handle_of(context):
    """The library's address of a context; None: the default context."""
    return None if context is None else context._handle


def semantics_of(context):
    """What a context says where documents leave something open; None: the defaults."""
    return None if context is None else c.byref(context._semantics)
