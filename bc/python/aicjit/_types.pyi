"""Types that the package's stubs share."""

from typing import Any, Protocol, Union

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

from . import Context as Context

class SupportsDLPack(Protocol):
    def __dlpack__(self, *arguments: Any, **named: Any) -> Any: ...
    def __dlpack_device__(self) -> Any: ...

class SupportsArrayInterface(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

Array = npt.NDArray[Any]
Input = Union[Array, SupportsDLPack, SupportsArrayInterface, Buffer]
Number = Union[int, float, np.integer[Any], np.floating[Any]]
DType = Union[str, npt.DTypeLike]
Quant = Union[int, str]
