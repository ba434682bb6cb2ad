"""Types of what networks of the library are to the package."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Optional

import aicjit
from aicjit import NetworkInfo as NetworkInfo
from aicjit import NetworkKernel as NetworkKernel

from ._program import Array

class Closing:
    def __enter__(self) -> Any: ...
    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None: ...

class Opened:
    info: NetworkInfo
    def __init__(
        self,
        folder: object,
        context: Optional[aicjit.Context] = ...,
        reference: bool = ...,
        progress: Optional[Callable[[int, int], object]] = ...,
    ) -> None: ...
    def call(
        self, inputs: Sequence[Array], outputs: Sequence[Array], n: Optional[int] = ..., ns: Optional[Array] = ...
    ) -> None: ...

def batch_of(operand: aicjit.Operand, n: int) -> aicjit.Operand: ...
def export(
    context: Optional[aicjit.Context],
    folder: object,
    object_file: object,
    header_file: object,
    name: str,
    isa: Optional[str],
    target: Optional[str],
) -> None: ...
