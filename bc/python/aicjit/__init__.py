"""aicjit: the operators of a neural processor on an ordinary CPU, compiled while the program runs.

    y = aicjit.conv2d(x, w, pad=(1, 1, 1, 1))             arrays in the documents' layouts; shapes and types follow
    k = aicjit.compile("conv2d(...) | fixpipe(...)")      operator text, or aicjit.op("conv2d", ...) | aicjit.op(...)
    y = k(x, k.pack(w), words)                            inputs in calling order; out=array writes there

Inputs are NumPy arrays, or what has DLPack, __array_interface__ or the buffer protocol, in C order, and are not copied;
the interpreter's lock is given up during calls. bfloat16 travels as uint16 or ml_dtypes.bfloat16. A call that fails
raises aicjit.Error, whose `status` is the library's and whose text is its message (rules() tells where the rules come
from); what is legal but hardly meant is an
aicjit.AdviceWarning. `python -m aicjit` is the command line tool.
"""

from importlib import import_module as _import_module

from ._context import Context
from ._errors import (AdviceWarning, ArgumentError, ArgumentTypeError, Error, FileError, MemoryRanOut, OperandTypeError,
                      OperandValueError, Status, UnsupportedError)
from ._kernel import Explanation, Kernel, Packed, compile, dump, explain
from ._library import isa_levels, llvm_version, rules, version
from ._many import compile_many
from ._network import NetworkInfo, NetworkKernel
from ._pack import pack_picture, pack_weights, quant_word, quant_words, unpack_accumulators
from ._spec import Operand, Spec, op
from ._tools import BenchResult, TuneCandidate, TuneResult, bench, random_operands, reference, tune
from ._trace import Diagnosis, Trace, diagnose, trace
from . import operators
from .operators import *

__version__ = version()
# What programs that call kernels do not need, by the module that is imported when it is asked for.
_LATER = {"Network": "_net", "onnx": "onnx",
          **dict.fromkeys(("Conv2d", "average_pool", "from_blocks", "max_pool", "to_blocks"), "_layers")}
__all__ = [name for name in globals() if not name.startswith("_")] + [name for name in _LATER if name not in globals()]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError("module 'aicjit' has no attribute %r" % name, name=name)
    module = _import_module("." + _LATER[name], __name__)
    globals()[name] = module if name == _LATER[name] else getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
