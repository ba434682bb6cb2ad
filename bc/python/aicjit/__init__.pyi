"""Types of what the package offers besides the operators' functions."""

import enum
import os
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Literal, NamedTuple, Optional, Union, overload

import numpy as np
import numpy.typing as npt

from . import onnx as onnx
from . import operators as operators
from ._layers import Conv2d as Conv2d
from ._layers import average_pool as average_pool
from ._layers import from_blocks as from_blocks
from ._layers import max_pool as max_pool
from ._layers import to_blocks as to_blocks
from ._net import Network as Network
from ._types import Array, Input, Number
from .operators import *

__version__: str
__all__: list[str]

Path = Union[str, "os.PathLike[str]"]
Operators = Union[str, "Spec"]

class Status(enum.IntEnum):
    OK = 0
    INVALID_ARGUMENT = 1
    UNSUPPORTED = 2
    OUT_OF_MEMORY = 3
    IO = 4
    COMPILE = 5
    INTERNAL = 6

class Error(Exception):
    status: Status
    messages: tuple[str, ...]
    def __init__(self, message: str, status: int = ..., messages: Sequence[str] = ...) -> None: ...

class ArgumentError(Error, ValueError): ...
class ArgumentTypeError(Error, TypeError): ...
class OperandTypeError(ArgumentTypeError): ...
class OperandValueError(ArgumentError): ...
class UnsupportedError(Error, NotImplementedError): ...
class MemoryRanOut(Error, MemoryError): ...
class FileError(Error, OSError): ...
class AdviceWarning(UserWarning): ...

class Context:
    def __init__(
        self,
        *,
        isa: Optional[str] = ...,
        threads: int = ...,
        tuning_db: Optional[Path] = ...,
        cache: Optional[Literal["off", "ro", "rw"]] = ...,
        cache_dir: Optional[Path] = ...,
        cache_bytes: int = ...,
        cache_kernels: int = ...,
        cache_disk_bytes: int = ...,
        verbose: int = ...,
        dump_dir: Optional[Path] = ...,
        profile: Optional[str] = ...,
        passes: Optional[str] = ...,
        **semantics: Union[int, str],
    ) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Context: ...
    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None: ...
    @property
    def isa(self) -> str: ...
    @property
    def machine(self) -> str: ...
    @property
    def threads(self) -> int: ...

class Operand(NamedTuple):
    name: str
    direction: Literal["unused", "in", "out", "inout"]
    dtype: str
    numpy_dtype: np.dtype[Any]
    shape: tuple[int, ...]
    elements: int
    bytes: int
    words: bool
    sub_words: Optional[str]
    strided: bool
    fractals: bool
    spare: int

class Spec:
    def __init__(self, operators: Operators) -> None: ...
    def __or__(self, other: Operators) -> Spec: ...
    def __ror__(self, other: str) -> Spec: ...
    @property
    def subject(self) -> str: ...
    @property
    def canonical(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    def operands(self, context: Optional[Context] = ...) -> list[Operand]: ...
    def work(self, context: Optional[Context] = ...) -> tuple[int, int]: ...
    def result_layout(self, context: Optional[Context] = ...) -> tuple[str, tuple[int, ...]]: ...

class Packed:
    @property
    def kernel(self) -> Kernel: ...
    @property
    def address(self) -> int: ...
    @property
    def identity(self) -> str | None: ...

class Explanation:
    shape: str
    kernel: str
    origin: str
    isa: str
    vector_bits: int
    schedule: str
    macs: int
    cost: float
    bound: float
    predicted_ns: float
    bound_ns: float
    operations_per_ns: float
    bytes: dict[str, float]
    text: str

class NetworkKernel(NamedTuple):
    line: int
    text: str
    output: str
    schedule: Optional[str]
    threads: int
    macs: int
    bytes: int
    packed: bool

class NetworkInfo(NamedTuple):
    inputs: list[Operand]
    outputs: list[Operand]
    kernels: list[NetworkKernel]
    arena_bytes: int
    buffer_bytes: int
    constant_bytes: int
    workspace_bytes: int
    isa: str

class Kernel:
    spec: Spec
    output: Operand
    operands: list[Operand]
    def __init__(self, spec: Operators, schedule: Optional[str] = ..., context: Optional[Context] = ...) -> None: ...
    def __call__(
        self, *inputs: Union[Input, Number, Packed, None], out: Optional[Array] = ..., **named: Union[Input, Number, Packed]
    ) -> Array: ...
    def call_batch(
        self, *inputs: Union[Input, Number, Packed, None], out: Optional[Array] = ..., **named: Union[Input, Number, Packed]
    ) -> Array: ...
    def pack(self, array: Union[Input, Number], operand: Optional[str] = ...) -> Packed: ...
    def close(self) -> None: ...
    def __enter__(self) -> Kernel: ...
    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None: ...
    @property
    def schedule(self) -> str: ...
    @property
    def isa(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def compile_ns(self) -> int: ...
    @property
    def make_ns(self) -> int: ...
    @property
    def parts(self) -> dict[str, int]: ...
    @property
    def cache(self) -> Literal["miss", "disk", "memory"]: ...
    @property
    def result_layout(self) -> tuple[str, tuple[int, ...]]: ...
    def explain(self) -> Explanation: ...
    def dump(self, stage: str = ...) -> Union[str, bytes]: ...
    @property
    def ir(self) -> str: ...
    @property
    def asm(self) -> str: ...

class Trace:
    value: Any
    text: str

class Diagnosis:
    counts: dict[str, int]
    first: dict[str, tuple[int, ...]]
    events: npt.NDArray[np.uint32]
    channel: npt.NDArray[np.int32]
    def bit(self, event: str) -> int: ...
    def channels(self, event: str) -> dict[int, int]: ...

class TuneCandidate:
    schedule: str
    state: Literal["predicted", "racing", "dropped", "wrong", "failed"]
    is_default: bool
    predicted: float
    samples: int
    median_ns: float
    low_ns: float
    high_ns: float
    gain: float

class TuneResult:
    outcome: Literal["faster", "default", "known", "unmeasured"]
    schedule: str
    gain: float
    stopped: bool
    recorded: bool
    legal: int
    measured: int
    seconds: float
    candidates: list[TuneCandidate]

class BenchResult(dict[str, Any]):
    def __getattr__(self, name: str) -> Any: ...

def op(name: str, /, **fields: Any) -> Spec: ...
def compile(spec: Operators, *, schedule: Optional[str] = ..., context: Optional[Context] = ...) -> Kernel: ...
@overload
def compile_many(
    specs: Iterable[Operators],
    threads: Optional[int] = ...,
    *,
    schedule: Optional[str] = ...,
    progress: Optional[Callable[[int, int, Kernel], object]] = ...,
    errors: Literal["raise"] = ...,
    context: Optional[Context] = ...,
) -> list[Kernel]: ...
@overload
def compile_many(
    specs: Iterable[Operators],
    threads: Optional[int] = ...,
    *,
    schedule: Optional[str] = ...,
    progress: Optional[Callable[[int, int, Union[Kernel, Error]], object]] = ...,
    errors: Literal["return"],
    context: Optional[Context] = ...,
) -> list[Union[Kernel, Error]]: ...
def explain(
    spec: Operators, *, schedule: Optional[str] = ..., isa: Optional[str] = ..., context: Optional[Context] = ...
) -> Explanation: ...
def dump(
    spec: Operators,
    stage: str = ...,
    *,
    schedule: Optional[str] = ...,
    isa: Optional[str] = ...,
    triple: Optional[str] = ...,
    context: Optional[Context] = ...,
) -> Union[str, bytes]: ...
def reference(
    spec: Operators,
    *inputs: Union[Input, Number, None],
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
    **named: Union[Input, Number],
) -> Array: ...
def trace(
    spec: Operators,
    *inputs: Union[Input, Number, None],
    at: Sequence[int],
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
    **named: Union[Input, Number],
) -> Trace: ...
def diagnose(
    spec: Operators,
    *inputs: Union[Input, Number, None],
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
    **named: Union[Input, Number],
) -> Diagnosis: ...
def tune(
    spec: Operators,
    *,
    effort: Literal["estimate", "measure", "patient"] = ...,
    budget: Optional[float] = ...,
    trials: Optional[int] = ...,
    seed: Optional[int] = ...,
    db: Optional[Path] = ...,
    again: bool = ...,
    progress: Optional[Callable[[TuneResult, float], object]] = ...,
    context: Optional[Context] = ...,
) -> TuneResult: ...
def bench(
    spec: Union[Operators, Kernel],
    *inputs: Union[Input, Number, None],
    schedule: Optional[str] = ...,
    min_time: float = ...,
    context: Optional[Context] = ...,
    **named: Union[Input, Number],
) -> BenchResult: ...
def random_operands(kernel: Union[Operators, Kernel], seed: int = ..., *, context: Optional[Context] = ...) -> list[Array]: ...
def pack_picture(
    picture: Input, *, c0: int = ..., zero_point: int = ..., layout: Optional[Literal["NHWC", "NCHW"]] = ...
) -> npt.NDArray[np.int8]: ...
def pack_weights(weights: Input, *, c0: Optional[int] = ...) -> Array: ...
def quant_word(scale: Number, offset: int = ..., dtype: Literal["int8", "uint8"] = ...) -> int: ...
def quant_words(
    scale: npt.ArrayLike, offset: npt.ArrayLike = ..., dtype: Literal["int8", "uint8"] = ...
) -> npt.NDArray[np.uint64]: ...
def unpack_accumulators(dst: Input, height: int, width: int) -> Array: ...
def version() -> str: ...
def llvm_version() -> str: ...
def isa_levels() -> list[str]: ...
def rules(op: Optional[str] = ...) -> list[dict[str, str]]: ...
