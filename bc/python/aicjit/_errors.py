"""Exceptions. Each has the library's status code and its message."""

from ._lists import Status


class Error(Exception):
    """A call of the library that failed. `status` says why, the text is the library's message. `messages` are all that it
    left: a request may break several rules, of which the text is about the first. Messages of rules end with where the
    rule comes from, as rules() has it."""

    def __init__(self, message, status=Status.INVALID_ARGUMENT, messages=()):
        super().__init__(message)
        self.status = Status(status)
        self.messages = tuple(messages) or (message,)

    def __reduce__(self):
        return type(self), (str(self), self.status, self.messages)


class ArgumentError(Error, ValueError):
    """A descriptor, operator text, option or operand breaks a rule."""


class ArgumentTypeError(Error, TypeError):
    """A parameter or option is of a wrong type. The message names it."""


class OperandTypeError(ArgumentTypeError):
    """An operand is no array, or one of another element type. The message names operator and operand."""


class OperandValueError(ArgumentError):
    """An operand has another shape or order than is needed, or is read-only. The message names operator and operand."""


class AdviceWarning(UserWarning):
    """A call is legal, and was done, but hardly means what it says; or a file of the library's was of no use."""


class UnsupportedError(Error, NotImplementedError):
    """The request is legal, but this host or build cannot serve it."""


class MemoryRanOut(Error, MemoryError):
    """Memory ran out."""


class FileError(Error, OSError):
    """A file or device operation failed."""

    def __str__(self):
        return str(self.args[0])


_CLASSES = {
    Status.INVALID_ARGUMENT: ArgumentError,
    Status.UNSUPPORTED: UnsupportedError,
    Status.OUT_OF_MEMORY: MemoryRanOut,
    Status.IO: FileError,
}


def error_of(status, messages):
    """The exception for a status that is not OK."""
    return _CLASSES.get(status, Error)(messages[0], status, messages)
