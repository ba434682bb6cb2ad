"""What follows from arrays: parameters of an operator that need not be given, by the shapes and types of its operands.

Each function gets the parameters by name, checked, those that are None or 0 being left out, and the operands, and fills
in what follows. An operand from which something should follow, and does not, is refused by its own name.
"""

import math

import numpy as np

from . import _lists
from ._arrays import describe
from ._errors import ArgumentError, OperandTypeError, OperandValueError
from ._library import lib
from ._spec import dtype_name
from ._values import integer, is_integer, is_number, kind_of


def _dtype_of(fields, name, *arrays):
    if fields[name] is None:
        for array in arrays:
            if isinstance(array, (np.ndarray, np.generic)):
                fields[name] = dtype_name(array.dtype)
                return


def _ceil(a, b):
    return -(-a // b)


def _sizes(operator, operand, array, axes, parameters):
    """The sizes of an array's axes, of which parameters follow. There may be axes of 1 in front."""
    rank = axes.count(",") + 1
    if not isinstance(array, np.ndarray):
        raise OperandTypeError("%s: %s: is %s, not an array [%s], of which %s would follow"
                               % (operator, operand, kind_of(array), axes, parameters))
    if array.ndim < rank or not set(array.shape[:-rank]) <= {1}:
        raise OperandValueError("%s: %s: is %s, not an array [%s], of which %s would follow"
                                % (operator, operand, describe(array), axes, parameters))
    return array.shape[-rank:]


def _is_open(value):
    """Whether a parameter is left to be filled in: it is None, 0, or sizes that are all 0."""
    return value is None or (value == 0 if is_integer(value) else not any(value))


def _fill(fields, name, value):
    if _is_open(fields[name]):
        fields[name] = value


def conv2d(fields, feature_map, weight):
    _dtype_of(fields, "dtype", feature_map, weight)
    if fields["fm_shape"] is None:
        fields["fm_shape"] = _sizes("conv2d", "feature_map", feature_map, "C1, H, W, C0", "fm_shape")
    if fields["kernel_shape"] is None:
        fields["kernel_shape"] = _sizes("conv2d", "weight", weight, "C1, Kh, Kw, Cout, C0", "kernel_shape")


def mmad(fields, a, b):
    _dtype_of(fields, "dtype", a, b)
    if fields["dtype"] == "uint16":  # how bfloat16 travels; there is no mmad of uint16
        fields["dtype"] = "bfloat16"
    if fields["m"] is None or fields["k"] is None:
        sizes = _sizes("mmad", "a", a, "m, k" if fields["a_format"] == "ND" else "M1, K1, 16, K0", "m and k")
        m, k = sizes if len(sizes) == 2 else (sizes[0] * 16, sizes[1] * sizes[3])
        fields["m"] = m if fields["m"] is None else fields["m"]
        fields["k"] = k if fields["k"] is None else fields["k"]
    if fields["n"] is None:
        sizes = _sizes("mmad", "b", b, "k, n" if fields["b_format"] == "ND" else "K1, N1, 16, K0", "n")
        fields["n"] = sizes[1] if len(sizes) == 2 else sizes[1] * 16


def fixpipe(fields, src, cbufWorkspace=None):
    """Of accumulators [blocks, rows, 16]; a dense result."""
    _dtype_of(fields, "src", src)
    if _is_open(fields["nSize"]) or _is_open(fields["mSize"]):
        axes = "N/16, rows, 16"
        shape = _sizes("fixpipe", "src", src, axes, "nSize and mSize")
        if shape[2] != 16:
            raise OperandValueError("fixpipe: src: is %s, not an array [%s], of which nSize and mSize would follow"
                                    % (describe(src), axes))
        _fill(fields, "nSize", shape[0] * 16)
        _fill(fields, "mSize", shape[1])
    if isinstance(src, np.ndarray) and src.ndim >= 3 and src.shape[-1] == 16:
        _fill(fields, "srcStride", src.shape[-2])
    if fields["dst"] is not None:
        size = lib.aic_dtype_size(lib.aic_dtype_parse(dtype_name(fields["dst"]).encode()))
        width = 8 if fields["isChannelSplit"] else 32 if size == 1 else 16
        rows = fields["format"] == "ROW_MAJOR"
        _fill(fields, "dstStride", fields["nSize"] if rows else _ceil(int(fields["mSize"]) * width * size, 32))


def tik_fixpipe(fields, src, bias=None, mode_param=None):
    _dtype_of(fields, "src", src)
    if _is_open(fields["cburst_num"]) or _is_open(fields["burst_len"]):
        shape = _sizes("tik_fixpipe", "src", src, "cburst_num, rows, 16", "cburst_num and burst_len")
        _fill(fields, "cburst_num", shape[0])
        _fill(fields, "burst_len", 2 * shape[1])
    fields["bias"] = bool(fields["bias"]) or bias is not None
    fields["mode_param_tensor"] = bool(fields["mode_param_tensor"]) or mode_param is not None


def nd2nz(fields, src):
    """Of one dense matrix."""
    _dtype_of(fields, "dtype", src)
    if _is_open(fields["nValue"]) or _is_open(fields["dValue"]):
        shape = _sizes("nd2nz", "src", src, "nValue, dValue", "nValue and dValue")
        _fill(fields, "nValue", shape[0])
        _fill(fields, "dValue", shape[1])
        _fill(fields, "srcDValue", fields["dValue"])
        _fill(fields, "dstNzC0Stride", fields["nValue"])


def load_data(fields, src):
    _dtype_of(fields, "dtype", src)


def load_data_transpose(fields, src):
    _dtype_of(fields, "dtype", src)


_PLAIN = {"ND": "rows, columns", "NCHW": "N, C, H, W", "NHWC": "N, H, W, C", "OIHW": "O, I, H, W", "HWIO": "H, W, I, O"}

# The sizes of the tensor without blocks from the shape of one with blocks, padding counted in.
_UNBLOCKED = {
    "Nz": lambda s: (s[1] * s[2], s[0] * s[3]),
    "Zz": lambda s: (s[0] * s[2], s[1] * s[3]),
    "Zn": lambda s: (s[0] * s[3], s[1] * s[2]),
    "Nn": lambda s: (s[1] * s[3], s[0] * s[2]),
    "NC1HWC0": lambda s: (s[0], s[1] * s[4], s[2], s[3]),
    "FRACTAL_Z": lambda s: (s[3], s[0] * s[4], s[1], s[2]),
    "4N": lambda s: (s[0] * 4, s[1], s[2], s[3]),
    "2N": lambda s: (s[0] * 2, s[1], s[2], s[3]),
}
# Where N, C, H, W (or O, I, H, W) of such a shape go in a layout without blocks.
_ORDER = {"NHWC": (0, 2, 3, 1), "HWIO": (2, 3, 1, 0)}
_BLOCKED = {"NC1HWC0": "N, C1, H, W, C0", "FRACTAL_Z": "C1, Kh, Kw, O, C0", "4N": "N/4, C, H, W, 4", "2N": "N/2, C, H, W, 2"}


def transdata(fields, src):
    """The shape is that of src where it has no blocks; else what fills the blocks."""
    _dtype_of(fields, "dtype", src)
    layout = fields["src"]
    if fields["shape"] is not None or layout is None:
        return
    if layout == "ND" and isinstance(src, np.ndarray):
        fields["shape"] = src.shape
    elif layout in _PLAIN:
        fields["shape"] = _sizes("transdata", "src", src, _PLAIN[layout], "shape")
    else:
        layout = _lists.SPELLINGS["LAYOUT"][layout]
        if layout not in _UNBLOCKED:
            return
        sizes = _UNBLOCKED[layout](_sizes("transdata", "src", src, _BLOCKED.get(layout, "blocks, blocks, a, b"), "shape"))
        order = _ORDER.get(fields["dst"])
        fields["shape"] = sizes if order is None else tuple(sizes[axis] for axis in order)


# Operations on integers and on bits: what a number is among integers.
_ON_BITS, _ON_WORDS = ("BM_AND", "BM_OR", "BM_XOR", "BM_SHIFT"), ("BM_SE", "BM_CPY")


def _is_bits(operation, value, inputs):
    """Whether a constant is the integer itself and not a float32 of that value: of operations on bits, and of those
    that only compare or copy where the other input has integers."""
    integers = any(isinstance(array, np.ndarray) and array.dtype.kind in "iu" for array in inputs)
    return is_integer(value) and (operation in _ON_BITS or (operation in _ON_WORDS and integers))


def _constants(fields, inputs):
    """Inputs that are numbers are constants of the operator."""
    for i, value in enumerate(inputs):
        if is_number(value):
            fields["input%d_is_const" % i] = True
            if _is_bits(fields["op"], value, inputs):
                value = "0x%08x" % (integer("tensor_arithmetic: input%d" % i, value, -(2**31), 2**32 - 1) & 0xFFFFFFFF)
            fields["input%d_const" % i] = value


def tensor_arithmetic(fields, input0=None, input1=None):
    """The shape is that of an input, with axes of 1 in front. The result has it, too, where its strides are compact."""
    _constants(fields, (input0, input1))
    array = next((a for a in (input0, input1) if isinstance(a, np.ndarray)), None)
    if _is_open(fields["shape"]):
        if array is None:
            raise ArgumentError("tensor_arithmetic: shape: is needed, and does not follow: no operand is an array")
        if array.ndim > 4:
            name = "input0" if array is input0 else "input1"
            raise OperandValueError("tensor_arithmetic: %s: is %s, not an array [N, C, H, W], of which shape would follow"
                                    % (name, describe(array)))
        fields["shape"] = (1,) * (4 - array.ndim) + array.shape
    return _compact_shape(fields, array)


def _compact_shape(fields, array):
    """The shape of a result that can have that of an input."""
    compact = tuple(fields["output_stride"]) == (-1, -1, -1, -1) and fields["memory"] == "flat"
    if not compact or array is None:
        return None
    return array.shape if array.size == math.prod(map(int, fields["shape"])) else tuple(fields["shape"])


def tensor_arithmetic_quantized(fields, input0=None, input1=None):
    """Inputs are words [N/4, C, H, W] (of 16-bit elements [N/2, C, H, W]), or their elements, an axis of 4 or 2 behind."""
    for i, array in enumerate((input0, input1)):
        if is_number(array):
            raise OperandTypeError("tensor_arithmetic_quantized: input%d: is a number, not an array: give input%d_is_const "
                                   "and its value as input%d_addr" % (i, i, i))
        if isinstance(array, np.ndarray) and array.ndim in (4, 5) and _is_open(fields["shape"]):
            elements = array.shape[4] if array.ndim == 5 else 4 if fields["input%d_8bit" % i] else 2
            fields["shape"] = (array.shape[0] * elements,) + array.shape[1:4]
    if _is_open(fields["shape"]):
        _sizes("tensor_arithmetic_quantized", "input0", input0, "N/4 or N/2, C, H, W", "shape")


def texpands(fields, scalar=None, v_row=None, v_col=None):
    _dtype_of(fields, "dtype", scalar)
    for name, value in (("v_row", v_row), ("v_col", v_col)):
        if value is not None and fields[name] is None:
            fields[name] = "dyn"


DERIVE = {function.__name__: function for function in
          (conv2d, mmad, fixpipe, tik_fixpipe, nd2nz, load_data, load_data_transpose, transdata, tensor_arithmetic,
           tensor_arithmetic_quantized, texpands)}
