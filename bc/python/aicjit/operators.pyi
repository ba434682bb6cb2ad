"""Types of the operators' functions.

Made from the operators' lists; see generate.py.
"""

from typing import Literal, Optional, Sequence, Union

from ._types import Array, Context, DType, Input, Number, Quant

__all__ = ['conv2d', 'mmad', 'fixpipe', 'tik_fixpipe', 'nd2nz', 'load_data', 'load_data_transpose', 'transdata', 'tensor_arithmetic', 'tensor_arithmetic_quantized', 'texpands']

def conv2d(
    feature_map: Union[Input, Number],
    weight: Union[Input, Number],
    *,
    dtype: Optional[DType] = ...,
    fm_shape: Optional[Sequence[int]] = ...,
    kernel_shape: Optional[Sequence[int]] = ...,
    stride: Union[int, Sequence[int]] = ...,
    pad: Union[int, Sequence[int]] = ...,
    dilation: Union[int, Sequence[int]] = ...,
    pad_value: float = ...,
    init_l1out: bool = ...,
    accumulate: Literal["cube", "fast", "winograd"] = ...,
    l1out: Literal["tensor", "channel"] = ...,
    groups: int = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def mmad(
    a: Union[Input, Number],
    b: Union[Input, Number],
    *,
    dtype: Optional[DType] = ...,
    m: Optional[int] = ...,
    n: Optional[int] = ...,
    k: Optional[int] = ...,
    a_format: Literal["ND", "Zz"] = ...,
    b_format: Literal["ND", "Zn"] = ...,
    c_format: Literal["ND", "Nz"] = ...,
    init_c: bool = ...,
    accumulate: Literal["cube", "fast", "winograd"] = ...,
    l1out: Literal["tensor", "channel"] = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def fixpipe(
    src_array: Union[Input, Number],
    cbufWorkspace: Optional[Union[Input, Number]] = None,
    *,
    dst: Optional[DType] = ...,
    src: Optional[DType] = ...,
    format: Literal["NZ", "ROW_MAJOR"] = ...,
    nSize: int = ...,
    mSize: int = ...,
    srcStride: int = ...,
    dstStride: int = ...,
    quantPre: Literal["NoQuant", "F322F16", "VREQ8", "REQ8", "VDEQF16", "DEQF16", "F322BF16", "VQF322B8_PRE", "QF322B8_PRE"] = ...,
    deqScalar: Quant = ...,
    ndNum: int = ...,
    srcNdStride: int = ...,
    dstNdStride: int = ...,
    reluEn: bool = ...,
    unitFlag: int = ...,
    isChannelSplit: bool = ...,
    fill_block: bool = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def tik_fixpipe(
    src_array: Union[Input, Number],
    bias_array: Optional[Union[Input, Number]] = None,
    mode_param_array: Optional[Union[Input, Number]] = None,
    *,
    dst: Optional[DType] = ...,
    src: Optional[DType] = ...,
    cburst_num: int = ...,
    burst_len: int = ...,
    dst_stride: int = ...,
    src_stride: int = ...,
    bias: bool = ...,
    quantize_params: Literal["none", "fp322fp16", "int322fp16"] = ...,
    mode_param: float = ...,
    mode_param_tensor: bool = ...,
    relu: bool = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def nd2nz(
    src: Union[Input, Number],
    *,
    dtype: Optional[DType] = ...,
    ndNum: int = ...,
    nValue: Optional[int] = ...,
    dValue: Optional[int] = ...,
    srcNdMatrixStride: int = ...,
    srcDValue: Optional[int] = ...,
    dstNzC0Stride: Optional[int] = ...,
    dstNzNStride: int = ...,
    dstNzMatrixStride: int = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def load_data(
    src: Union[Input, Number],
    *,
    dtype: Optional[DType] = ...,
    startIndex: int = ...,
    repeatTimes: Optional[int] = ...,
    srcStride: int = ...,
    dstGap: int = ...,
    ifTranspose: bool = ...,
    addrMode: int = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def load_data_transpose(
    src: Union[Input, Number],
    *,
    dtype: Optional[DType] = ...,
    startIndex: int = ...,
    repeatTimes: Optional[int] = ...,
    srcStride: int = ...,
    dstGap: int = ...,
    dstFracGap: int = ...,
    addrMode: int = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def transdata(
    src_array: Union[Input, Number],
    *,
    dtype: Optional[DType] = ...,
    src: Optional[Literal["ND", "Nz", "Zz", "Zn", "Nn", "NCHW", "NHWC", "NC1HWC0", "OIHW", "HWIO", "FRACTAL_Z", "4N", "2N"]] = ...,
    dst: Optional[Literal["ND", "Nz", "Zz", "Zn", "Nn", "NCHW", "NHWC", "NC1HWC0", "OIHW", "HWIO", "FRACTAL_Z", "4N", "2N"]] = ...,
    shape: Optional[Sequence[int]] = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def tensor_arithmetic(
    input0: Optional[Union[Input, Number]] = None,
    input1: Optional[Union[Input, Number]] = None,
    *,
    memory: Literal["flat", "local"] = ...,
    input0_addr: int = ...,
    input1_addr: int = ...,
    output_addr: int = ...,
    shape: Sequence[int] = ...,
    input0_stride: Sequence[int] = ...,
    input1_stride: Sequence[int] = ...,
    output_stride: Sequence[int] = ...,
    op: Optional[Literal["BM_MUL", "BM_MAC", "BM_ADD", "BM_SUB", "BM_MAX", "BM_MIN", "BM_SHIFT", "BM_AND", "BM_OR", "BM_XOR", "BM_SG", "BM_SE", "BM_DIV", "BM_CPY"]] = ...,
    input0_is_const: bool = ...,
    input1_is_const: bool = ...,
    input0_const: float = ...,
    input1_const: float = ...,
    select_value: float = ...,
    shift_type: int = ...,
    input1_stage: int = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def tensor_arithmetic_quantized(
    input0: Optional[Union[Input, Number]] = None,
    input1: Optional[Union[Input, Number]] = None,
    *,
    memory: Literal["flat", "local"] = ...,
    input0_addr: int = ...,
    input1_addr: int = ...,
    output_addr: int = ...,
    shape: Optional[Sequence[int]] = ...,
    input0_stride: Sequence[int] = ...,
    input1_stride: Sequence[int] = ...,
    output_stride: Sequence[int] = ...,
    op: Optional[Literal["BM_MUL", "BM_MAC", "BM_ADD", "BM_SUB", "BM_MAX", "BM_MIN", "BM_SHIFT", "BM_AND", "BM_OR", "BM_XOR", "BM_CPY"]] = ...,
    input0_is_const: bool = ...,
    input1_is_const: bool = ...,
    rshift_bit: int = ...,
    lshift_bit: int = ...,
    shift_type: int = ...,
    input0_sign: bool = ...,
    input1_sign: bool = ...,
    output_sign: bool = ...,
    input0_8bit: bool = ...,
    input1_8bit: bool = ...,
    output_8bit: bool = ...,
    input1_n_is1: bool = ...,
    input1_h_is1: bool = ...,
    input1_w_is1: bool = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...

def texpands(
    scalar: Optional[Union[Input, Number]] = None,
    v_row_array: Optional[Union[Input, Number]] = None,
    v_col_array: Optional[Union[Input, Number]] = None,
    *,
    arch: Literal["A2A3", "A5"] = ...,
    loc: Literal["vec", "mat"] = ...,
    dtype: Optional[DType] = ...,
    rows: int = ...,
    cols: int = ...,
    v_row: Optional[int] = ...,
    v_col: Optional[int] = ...,
    blayout: Literal["row_major", "col_major"] = ...,
    slayout: Literal["none_box", "row_major", "col_major"] = ...,
    fractal: int = ...,
    pad: Literal["0", "1", "2", "3"] = ...,
    compact: int = ...,
    layout: Literal["ND", "NC1HWC0", "FRACTAL_Z", "NDC1HWC0", "FRACTAL_Z_3D"] = ...,
    shape: Optional[Sequence[int]] = ...,
    buffer_size: int = ...,
    manual: bool = ...,
    address: Optional[int] = ...,
    literal: Optional[int] = ...,
    out: Optional[Array] = ...,
    context: Optional[Context] = ...,
) -> Array:
    ...
