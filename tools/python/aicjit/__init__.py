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
from ._layers import Conv2d, average_pool, from_blocks, max_pool, to_blocks
from ._net import Network
from . import onnx, operators
from .operators import *

__version__ = version()
__all__ = [name for name in globals() if not name.startswith("_")]
