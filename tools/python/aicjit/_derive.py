"""What follows from arrays: parameters of an operator that need not be given, by the shapes and types of its operands.

Each function gets the parameters by name, those that are None or 0 being left out, and the arrays, and fills in what it
can. The library refuses a call that lacks the rest.
"""

import numpy as np

from ._errors import OperandTypeError
from ._spec import dtype_name


def _dtype_of(fields, name, *arrays):
    if fields[name] is None:
        for array in arrays:
            if isinstance(array, (np.ndarray, np.generic)):
                fields[name] = dtype_name(array.dtype)
                return


def _ceil(a, b):
    return -(-a // b)


def _shape(array, rank):
    """The last `rank` axes of an array that has at least as many, else nothing."""
    if isinstance(array, np.ndarray) and array.ndim >= rank:
        return array.shape[-rank:] if set(array.shape[:-rank]) <= {1} else None
    return None


def _fill(fields, name, value):
    if not fields[name]:
        fields[name] = value


def _is_open(sizes):
    """Whether sizes are left to be filled in: they are None, or all 0."""
    return sizes is None or not any(sizes)


def conv2d(fields, feature_map, weight):
    _dtype_of(fields, "dtype", feature_map, weight)
    fields["fm_shape"] = fields["fm_shape"] or _shape(feature_map, 4)
    fields["kernel_shape"] = fields["kernel_shape"] or _shape(weight, 5)


def mmad(fields, a, b):
    _dtype_of(fields, "dtype", a, b)
    if fields["dtype"] == "uint16":  # how bfloat16 travels; there is no mmad of uint16
        fields["dtype"] = "bfloat16"
    a_shape = _shape(a, 2 if fields["a_format"] == "ND" else 4)
    b_shape = _shape(b, 2 if fields["b_format"] == "ND" else 4)
    if a_shape and len(a_shape) == 4:  # Zz [M1, K1, 16, K0]
        a_shape = (a_shape[0] * 16, a_shape[1] * a_shape[3])
    if b_shape and len(b_shape) == 4:  # Zn [K1, N1, 16, K0]
        b_shape = (b_shape[0] * b_shape[3], b_shape[1] * 16)
    for name, shape, axis in (("m", a_shape, 0), ("k", a_shape, 1), ("n", b_shape, 1)):
        if fields[name] is None and shape:
            fields[name] = shape[axis]


def fixpipe(fields, src, cbufWorkspace=None):
    """Of accumulators [blocks, rows, 16]; a dense result."""
    _dtype_of(fields, "src", src)
    shape = _shape(src, 3)
    if shape is not None and shape[2] == 16:
        _fill(fields, "nSize", shape[0] * 16)
        _fill(fields, "mSize", shape[1])
        _fill(fields, "srcStride", shape[1])
    if fields["dst"] is not None and fields["nSize"] and fields["mSize"]:
        size = np.dtype("uint16" if dtype_name(fields["dst"]) == "bfloat16" else dtype_name(fields["dst"])).itemsize
        width = 8 if fields["isChannelSplit"] else 32 if size == 1 else 16
        rows = fields["format"] == "ROW_MAJOR"
        _fill(fields, "dstStride", fields["nSize"] if rows else _ceil(fields["mSize"] * width * size, 32))


def tik_fixpipe(fields, src, bias=None, mode_param=None):
    _dtype_of(fields, "src", src)
    shape = _shape(src, 3)
    if shape is not None:
        _fill(fields, "cburst_num", shape[0])
        _fill(fields, "burst_len", 2 * shape[1])
    fields["bias"] = fields["bias"] or bias is not None
    fields["mode_param_tensor"] = fields["mode_param_tensor"] or mode_param is not None


def nd2nz(fields, src):
    """Of one dense matrix."""
    _dtype_of(fields, "dtype", src)
    shape = _shape(src, 2)
    if shape is not None:
        _fill(fields, "nValue", shape[0])
        _fill(fields, "dValue", shape[1])
        _fill(fields, "srcDValue", fields["dValue"])
        _fill(fields, "dstNzC0Stride", fields["nValue"])


def load_data(fields, src):
    _dtype_of(fields, "dtype", src)


def load_data_transpose(fields, src):
    _dtype_of(fields, "dtype", src)


_PLAIN = ("ND", "NCHW", "NHWC", "OIHW", "HWIO")

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
_RANKS = {"Nz": 4, "Zz": 4, "Zn": 4, "Nn": 4}


def transdata(fields, src):
    """The shape is that of src where it has no blocks; else what fills the blocks."""
    _dtype_of(fields, "dtype", src)
    if fields["shape"] is not None or not isinstance(src, np.ndarray):
        return
    layout = fields["src"]
    if layout in _PLAIN:
        fields["shape"] = src.shape
    elif layout in _UNBLOCKED and src.ndim == _RANKS.get(layout, 5):
        sizes = _UNBLOCKED[layout](src.shape)
        order = _ORDER.get(fields["dst"])
        fields["shape"] = sizes if order is None else tuple(sizes[axis] for axis in order)


def _constants(operator, fields, inputs):
    """Inputs that are numbers are constants of the operator."""
    for i, value in enumerate(inputs):
        if isinstance(value, (int, float, np.number)) and not isinstance(value, np.ndarray):
            name = "input%d_const" % i
            if name not in fields:
                raise OperandTypeError("%s: input%d: is a number, not an array" % (operator, i))
            fields["input%d_is_const" % i] = True
            fields[name] = value


def tensor_arithmetic(fields, input0=None, input1=None):
    """The shape is that of an input, with axes of 1 in front. The result has it, too, where its strides are compact."""
    _constants("tensor_arithmetic", fields, (input0, input1))
    array = next((a for a in (input0, input1) if isinstance(a, np.ndarray)), None)
    if _is_open(fields["shape"]) and array is not None and array.ndim <= 4:
        fields["shape"] = (1,) * (4 - array.ndim) + array.shape
    return _compact_shape(fields, array)


def _compact_shape(fields, array):
    """The shape of a result that can have that of an input."""
    compact = tuple(fields["output_stride"]) == (-1, -1, -1, -1) and fields["memory"] == "flat"
    if not compact or _is_open(fields["shape"]) or array is None:
        return None
    return array.shape if array.size == int(np.prod(fields["shape"])) else tuple(fields["shape"])


def tensor_arithmetic_quantized(fields, input0=None, input1=None):
    """Inputs are words [N/4, C, H, W] (of 16-bit elements [N/2, C, H, W]), or their elements, an axis of 4 or 2 behind."""
    _constants("tensor_arithmetic_quantized", fields, (input0, input1))
    for i, array in enumerate((input0, input1)):
        if isinstance(array, np.ndarray) and array.ndim in (4, 5) and _is_open(fields["shape"]):
            elements = array.shape[4] if array.ndim == 5 else 4 if fields["input%d_8bit" % i] else 2
            fields["shape"] = (array.shape[0] * elements,) + array.shape[1:4]
    return None


def texpands(fields, scalar=None, v_row=None, v_col=None):
    _dtype_of(fields, "dtype", scalar)
    for name, value in (("v_row", v_row), ("v_col", v_col)):
        if value is not None and fields[name] is None:
            fields[name] = "dyn"


DERIVE = {function.__name__: function for function in
          (conv2d, mmad, fixpipe, tik_fixpipe, nd2nz, load_data, load_data_transpose, transdata, tensor_arithmetic,
           tensor_arithmetic_quantized, texpands)}
