"""Plain values from callers: numbers, words and text, each checked before the library sees it.

ctypes cuts integers that are too long and ends text at a zero byte, both silently, so nothing goes there unchecked.
"""

import operator
import os

import numpy as np

from ._errors import ArgumentError, ArgumentTypeError


def shown(value):
    """A value in a message, not at any length."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def kind_of(value):
    return "None" if value is None else type(value).__name__


def is_bfloat16(dtype):
    """Whether a type of NumPy is another package's bfloat16, which travels as it is."""
    return dtype.name == "bfloat16" and dtype.itemsize == 2


def is_integer(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def is_number(value):
    """Whether a value is an integer or a real number, of Python or of NumPy. Truth values, complex numbers and times
    are none."""
    if type(value) is float or isinstance(value, (float, np.floating)) or is_integer(value):
        return True
    return isinstance(value, np.generic) and is_bfloat16(value.dtype)


def integer(subject, value, low=-(2**63), high=2**63 - 1):
    """The value as an int between two limits. subject names it in messages."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not is_integer(value):
        raise ArgumentTypeError("%s: %s is %s, not an integer" % (subject, shown(value), kind_of(value)))
    value = operator.index(value)
    if not low <= value <= high:
        raise ArgumentError("%s: %s is outside of %d..%d" % (subject, shown(value), low, high))
    return value


def number(subject, value):
    """The value as a float."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not is_number(value):
        raise ArgumentTypeError("%s: %s is %s, not a number" % (subject, shown(value), kind_of(value)))
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError("%s: %s is larger than any number of 64 bits" % (subject, shown(value))) from None


def truth(subject, value):
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError("%s: %s is %s, neither True nor False" % (subject, shown(value), kind_of(value)))
    return bool(value)


def choice(subject, value, words):
    """What the word stands for."""
    if not isinstance(value, str):
        raise ArgumentTypeError("%s: %s is %s, none of %s" % (subject, shown(value), kind_of(value), ", ".join(words)))
    if value not in words:
        raise ArgumentError("%s: %s is none of %s" % (subject, shown(value), ", ".join(words)))
    return words[value]


def text(subject, value):
    """Text or a path for the library, as bytes; None stays None."""
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise ArgumentTypeError("%s: %s is %s, not text" % (subject, shown(value), kind_of(value)))
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError:
        raise ArgumentError("%s: %s has letters that cannot be written as UTF-8" % (subject, shown(value))) from None
    if b"\0" in encoded:
        raise ArgumentError("%s: %s has a zero byte" % (subject, shown(value)))
    return encoded
