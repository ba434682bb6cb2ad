"""One function for each operator.

Made from the operators' lists; see generate.py.
"""

from ._call import call_operator

__all__ = ['conv2d', 'mmad', 'fixpipe', 'tik_fixpipe', 'nd2nz', 'load_data', 'load_data_transpose', 'transdata', 'tensor_arithmetic', 'tensor_arithmetic_quantized', 'texpands']


def conv2d(feature_map, weight, *, dtype=None, fm_shape=None, kernel_shape=None, stride=(1, 1), pad=(0, 0, 0, 0),
        dilation=(1, 1), pad_value=0.0, init_l1out=True, accumulate='cube', l1out='tensor', groups=1, out=None,
        context=None):
    """Two-dimensional cross-correlation of one image in blocks of channels (TIK conv2d).

    Operands:
        feature_map [C1, H, W, C0]: the image, channels in blocks of C0
        weight [C1, Kh, Kw, Cout, C0]: the kernel; with groups C1 and C0 are of the channels of a group

    Parameters of the document (those that are None follow from the operands):
        dtype (int8, float16): of feature_map and weight: int8 (dst int32) or float16 (dst float32)
        fm_shape (4 integers): [C1, H, W, C0] of the feature map; C0 is 32 or 4 (int8), 16 or 4 (float16); [1..256,
            1..4096, 1..4096, any]
        kernel_shape (5 integers): [C1, Kh, Kw, Cout, C0] of the weight; Cout is a multiple of 16; [any, 1..255, 1..255,
            16..4096, any]
        stride (2 integers, or one for all): [stride_h, stride_w]; 1..63
        pad (4 integers, or one for all): [left, right, top, bottom]; 0..255
        dilation (2 integers, or one for all): [dilation_h, dilation_w]; 1..255
        pad_value (a number): value of every padding cell in every input channel; int8: an integer in -128..127; float16:
            -65504..65504
        init_l1out (True or False): true: dst is overwritten; false: the products are added to the old dst, in a chain to
            the operand l1out
        accumulate (cube, fast, winograd): not in the document: how float16 adds up, by the document's block arithmetic,
            in any order, or (winograd) in any order and, of 3x3, by Winograd's method; ignored for int8
        l1out (tensor, channel): not in the document: in a chain with init_l1out=false, what l1out is: the old
            accumulators, or one value a channel, a bias
        groups (an integer): not in the document: input and output channels are cut into so many groups of neighbours, and
            an output channel sees its own group only; C1*C0 of them: depthwise; 1..4096

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns dst.
        [Cout/16, round_howo, 16]: the accumulators; round_howo is Ho*Wo rounded up to 16, rows past Ho*Wo are left alone

    In operator text: conv2d(dtype=int8, fm_shape=[2,56,56,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1])
    """
    return call_operator("conv2d", (feature_map, weight,), (dtype, fm_shape, kernel_shape, stride, pad, dilation,
        pad_value, init_l1out, accumulate, l1out, groups), out, context)


def mmad(a, b, *, dtype=None, m=None, n=None, k=None, a_format='ND', b_format='ND', c_format='ND', init_c=True,
        accumulate='cube', l1out='tensor', out=None, context=None):
    """Matrix multiply-add (AscendC).

    Operands:
        a [m, k]; Zz: [M1, K1, 16, K0], K0 = 32 bytes: the left matrix
        b [k, n]; Zn: [K1, N1, 16, K0]: the right matrix

    Parameters of the document (those that are None follow from the operands):
        dtype (int8, float16, bfloat16, float32): of a and b: int8 (c int32), float16, bfloat16 or float32 (c float32)
        m (an integer): rows of a and c; 0..4095
        n (an integer): columns of b and c; 0..4095
        k (an integer): columns of a, rows of b; 0..4095
        a_format (ND, Zz): layout of a: ND or Zz
        b_format (ND, Zn): layout of b: ND or Zn
        c_format (ND, Nz): layout of c: ND or Nz
        init_c (True or False): cmatrixInitVal: true: start from 0; false: the products are added to the old c, in a chain
            to the operand l1out
        accumulate (cube, fast, winograd): not in the document: how float types add up, by the document's block arithmetic
            or in any order (fast, and winograd, which means fast here); ignored for int8
        l1out (tensor, channel): not in the document: in a chain with init_c=false, what l1out is: the old accumulators,
            or one value a column, a bias

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns c.
        [m, n]; Nz: [N1, M1, 16, 16]: the result

    In operator text: mmad(dtype=float16, m=128, n=64, k=256)
    """
    return call_operator("mmad", (a, b,), (dtype, m, n, k, a_format, b_format, c_format, init_c, accumulate, l1out),
        out, context)


def fixpipe(src_array, cbufWorkspace=None, *, dst=None, src=None, format='ROW_MAJOR', nSize=0, mSize=0, srcStride=0,
        dstStride=0, quantPre='NoQuant', deqScalar=0, ndNum=1, srcNdStride=0, dstNdStride=0, reluEn=False, unitFlag=0,
        isChannelSplit=False, fill_block=False, out=None, context=None):
    """Stores accumulators: rectified, scaled, converted, row by row or in column blocks (AscendC Fixpipe).

    Operands:
        src_array [extent of the strides]: accumulators: blocks of 16 columns, each [srcStride, 16]
        cbufWorkspace [nSize]: quantisation words of the columns; taken by the modes that begin with V only

    Parameters of the document (those that are None follow from the operands):
        dst (int8, uint8, int32, float16, bfloat16, float32): DstT, the type of the result: float16, bfloat16, float32,
            int32, int8 or uint8
        src (int32, float32): SrcT, the type of the accumulators: float32 or int32
        format (NZ, ROW_MAJOR): config.format: rows, or blocks of 16 columns
        nSize (an integer): columns; NZ: a multiple of 16, of 8 with isChannelSplit; in a chain 0: all of the producer's;
            1..4095
        mSize (an integer): rows; in a chain 0: all of the producer's; 1..65535
        srcStride (an integer): from one 16-column block of src to the next, in rows of 16 elements (C0_Size); in a chain
            0: the producer's; 0..65535
        dstStride (an integer): NZ: from one column block to the next, in 32 bytes; ROW_MAJOR: from row to row, in
            elements; in a chain 0: dense; 1..4294967295
        quantPre (NoQuant, F322F16, VREQ8, REQ8, VDEQF16, DEQF16, F322BF16, VQF322B8_PRE, QF322B8_PRE): conversion; it
            must be one for these types
        deqScalar (an integer, or "quant(...)"): quantisation word of DEQF16, QF322B8_PRE, REQ8
        ndNum (an integer): matrices (ROW_MAJOR); 0: nothing is done, with a warning; 0..65535
        srcNdStride (an integer): from one matrix of src to the next, in 1024 bytes; 1..512 where ndNum > 1
        dstNdStride (an integer): from one matrix of dst to the next, in elements; 1..65535 where ndNum > 1
        reluEn (True or False): negative source values become 0 before they are scaled
        unitFlag (an integer): reserved: 0; 0..0
        isChannelSplit (True or False): NZ, float32 to float32: blocks of 8 columns
        fill_block (True or False): not in the document: NZ, int8 and uint8: an odd last block of 16 columns is stored as
            one of 32, zeros behind them

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns dst.
        [extent of the strides]: the result, ROW_MAJOR [mSize, nSize] or in column blocks (NZ)

    In operator text: fixpipe(src=int32, dst=int8, format=NZ, nSize=64, mSize=49, srcStride=64, dstStride=49, quantPre=REQ8, deqScalar=0x7f82bd800000)
    """
    return call_operator("fixpipe", (src_array, cbufWorkspace,), (dst, src, format, nSize, mSize, srcStride,
        dstStride, quantPre, deqScalar, ndNum, srcNdStride, dstNdStride, reluEn, unitFlag, isChannelSplit,
        fill_block), out, context)


def tik_fixpipe(src_array, bias_array=None, mode_param_array=None, *, dst=None, src=None, cburst_num=0, burst_len=0,
        dst_stride=0, src_stride=0, bias=False, quantize_params='none', mode_param=1.0, mode_param_tensor=False,
        relu=False, out=None, context=None):
    """The TIK form of fixpipe: drops the padding rows of conv2d's result and converts (TIK).

    Operands:
        src_array [cburst_num, burst_len/2 rounded up to 16, 16]: accumulators, as conv2d writes them
        bias_array [cburst_num*16]: type of src; with bias=true only
        mode_param_array [16]: float16 scales; with mode_param_tensor=true only

    Parameters of the document (those that are None follow from the operands):
        dst (int32, float16, float32): type of the result: float32, int32 or float16
        src (int32, float32): type of the accumulators: float32 or int32
        cburst_num (an integer): bursts: blocks of 16 columns; in a chain 0: all of the producer's; 1..4095
        burst_len (an integer): a burst of src, in 32 bytes: two a row, so an even number; in a chain 0: all of the
            producer's rows; 1..65535
        dst_stride (an integer): from the end of one burst of dst to the next, in 32 bytes; 0..65535
        src_stride (an integer): reserved: 0; 0..0
        bias (True or False): a value a column is added first
        quantize_params (none, fp322fp16, int322fp16): then the conversion to float16
        mode_param (a number): the scale of int322fp16, rounded once to float16; -65504..65504
        mode_param_tensor (True or False): or 16 of them, one a column of a block, as an operand
        relu (True or False): at last, negative values become 0

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns dst.
        [extent of the bursts]: the result: bursts of [burst_len/2, 16]

    In operator text: tik_fixpipe(src=float32, dst=float16, cburst_num=4, burst_len=98, quantize_params=fp322fp16)
    """
    return call_operator("tik_fixpipe", (src_array, bias_array, mode_param_array,), (dst, src, cburst_num, burst_len,
        dst_stride, src_stride, bias, quantize_params, mode_param, mode_param_tensor, relu), out, context)


def nd2nz(src, *, dtype=None, ndNum=1, nValue=None, dValue=None, srcNdMatrixStride=0, srcDValue=None,
        dstNzC0Stride=None, dstNzNStride=1, dstNzMatrixStride=0, out=None, context=None):
    """Copies row-major matrices into blocks of 32-byte columns (AscendC).

    Operands:
        src [extent of the strides]: row-major matrices

    Parameters of the document (those that are None follow from the operands):
        dtype (int8, uint8, int16, uint16, int32, uint32, float16, bfloat16, float32): of 1, 2 or 4 bytes
        ndNum (an integer): matrices; 0..4095
        nValue (an integer): rows; 0..16384
        dValue (an integer): columns; 0..65535
        srcNdMatrixStride (an integer): from matrix to matrix of src, in elements; 0..65535
        srcDValue (an integer): from row to row of src, in elements; 1..65535
        dstNzC0Stride (an integer): from column block to column block of dst, in 32 bytes; 1..16384
        dstNzNStride (an integer): from row to row of dst, in 32 bytes; 1..16384
        dstNzMatrixStride (an integer): from matrix to matrix of dst, in elements; 0..16384

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns dst.
        [extent of the strides]: blocks of 32-byte columns

    In operator text: nd2nz(dtype=float16, nValue=48, dValue=64, srcDValue=64, dstNzC0Stride=48)
    """
    return call_operator("nd2nz", (src,), (dtype, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride,
        dstNzNStride, dstNzMatrixStride), out, context)


def load_data(src, *, dtype=None, startIndex=0, repeatTimes=None, srcStride=0, dstGap=0, ifTranspose=False,
        addrMode=0, out=None, context=None):
    """Copies fractals of 512 bytes (AscendC).

    Operands:
        src [extent of the fractals]: fractals of 512 bytes; a file may be longer, and lack rows at the end of the last
            fractal, which count as 0

    Parameters of the document (those that are None follow from the operands):
        dtype (int8, uint8, int16, uint16, int32, uint32, float16, bfloat16, float32): of 1, 2 or 4 bytes
        startIndex (an integer): the first fractal of src; 0..65535
        repeatTimes (an integer): fractals; 0..255
        srcStride (an integer): from fractal to fractal of src, in fractals; 0..65535
        dstGap (an integer): from the end of one fractal of dst to the next, in fractals; 0..65535
        ifTranspose (True or False): each fractal is transposed; 2-byte types only
        addrMode (an integer): 0: fractals of src are counted upwards; 0..0

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns dst.
        [extent of the fractals]: fractals of 512 bytes, from the first that this instruction writes; transdata turns a
            whole matrix from Nz into Zz or Zn

    In operator text: load_data(dtype=float16, repeatTimes=12, srcStride=1)
    """
    return call_operator("load_data", (src,), (dtype, startIndex, repeatTimes, srcStride, dstGap, ifTranspose,
        addrMode), out, context)


def load_data_transpose(src, *, dtype=None, startIndex=0, repeatTimes=None, srcStride=0, dstGap=0, dstFracGap=0,
        addrMode=0, out=None, context=None):
    """Copies squares of fractals, transposed (AscendC).

    Operands:
        src [extent of the squares]: fractals of 512 bytes; a file may be longer, and lack rows at the end of the last
            square, which count as 0

    Parameters of the document (those that are None follow from the operands):
        dtype (int8, uint8, int16, uint16, int32, uint32, float16, bfloat16, float32): of 1, 2 or 4 bytes
        startIndex (an integer): the first square of src; 0..65535
        repeatTimes (an integer): squares; 0..255
        srcStride (an integer): from square to square of src, in squares; 0..65535
        dstGap (an integer): from the end of the first fractal of one square of dst to the first of the next, in fractals;
            0..65535
        dstFracGap (an integer): from the end of the first fractal of a square of dst to its second, in fractals; not used
            by 2-byte types; 0..65535
        addrMode (an integer): 0: squares of src are counted upwards; 0..0

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns dst.
        [extent of the squares]: fractals of 512 bytes

    In operator text: load_data_transpose(dtype=int8, repeatTimes=4, srcStride=1, dstGap=1)
    """
    return call_operator("load_data_transpose", (src,), (dtype, startIndex, repeatTimes, srcStride, dstGap,
        dstFracGap, addrMode), out, context)


def transdata(src_array, *, dtype=None, src=None, dst=None, shape=None, out=None, context=None):
    """Moves a tensor from one layout to another.

    Operands:
        src_array shape in the layout src: the tensor

    Parameters of the document (those that are None follow from the operands):
        dtype (int8, uint8, int16, uint16, int32, uint32, float16, bfloat16, float32): of 1, 2 or 4 bytes
        src (ND, Nz, Zz, Zn, Nn, NCHW, NHWC, NC1HWC0, OIHW, HWIO, FRACTAL_Z, 4N, 2N): layout of src: of a matrix ND, Nz,
            Zz, Zn or Nn; of a feature map NCHW, NHWC, NC1HWC0, 4N or 2N; of weights OIHW, HWIO or FRACTAL_Z
        dst (ND, Nz, Zz, Zn, Nn, NCHW, NHWC, NC1HWC0, OIHW, HWIO, FRACTAL_Z, 4N, 2N): layout of dst, of the same family as
            that of src; 4N and 2N go with NCHW only
        shape (at most 4 integers): of the tensor without blocks, in the order of the letters of src, or of dst where src
            has blocks: [R,C] (ND), [N,C,H,W], [N,H,W,C], [O,I,H,W], [H,W,I,O]

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns dst.
        shape in the layout dst: the tensor; cells that hold no element are written as 0

    In operator text: transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[1,56,56,64])
    """
    return call_operator("transdata", (src_array,), (dtype, src, dst, shape), out, context)


def tensor_arithmetic(input0=None, input1=None, *, memory='flat', input0_addr=0, input1_addr=0, output_addr=0,
        shape=(0, 0, 0, 0), input0_stride=(-1, -1, -1, -1), input1_stride=(-1, -1, -1, -1), output_stride=(-1, -1, -1,
        -1), op=None, input0_is_const=False, input1_is_const=False, input0_const=0.0, input1_const=0.0,
        select_value=0.0, shift_type=0, input1_stage=0, out=None, context=None):
    """Element-wise arithmetic on 32-bit words (tensor arithmetic).

    Operands:
        input0 [extent of the strides]: 32-bit words; not taken where it is a constant
        input1 [extent of the strides]: 32-bit words; not taken where it is a constant

    Parameters of the document (those that are None follow from the operands):
        memory (flat, local): not in the document: three buffers, or the tensor processor's memory as one operand
        input0_addr (an integer): byte address of input0; memory=local only, a multiple of 4
        input1_addr (an integer): byte address of input1; memory=local only, a multiple of 4
        output_addr (an integer): byte address of output; memory=local only, a multiple of 4
        shape (4 integers): [N, C, H, W]; in a chain it may be left out: [1, blocks of 16 channels, rows of a block, 16];
            [1..65535, 1..4095, 1..65535, 1..65535]
        input0_stride (4 integers): [N, C, H, W] in 32-bit words; all four -1: compact, in a chain the accumulators'
        input1_stride (4 integers): [N, C, H, W] in 32-bit words; all four -1: compact; in a chain [0,16,0,1] is one value
            a channel
        output_stride (4 integers): [N, C, H, W] in 32-bit words; all four -1: compact, in a chain the accumulators'
        op (BM_MUL, BM_MAC, BM_ADD, BM_SUB, BM_MAX, BM_MIN, BM_SHIFT, BM_AND, BM_OR, BM_XOR, BM_SG, BM_SE, BM_DIV,
            BM_CPY): operation
        input0_is_const (True or False): input0 is a constant instead of a tensor
        input1_is_const (True or False): input1 is a constant instead of a tensor
        input0_const (a number, or its bits as text): its value, a number or its 32 bits in hexadecimal
        input1_const (a number, or its bits as text): its value, a number or its 32 bits in hexadecimal
        select_value (a number, or its bits as text): what BM_SG and BM_SE choose, a number or its 32 bits
        shift_type (an integer): of BM_SHIFT: 0 logical, 1 arithmetic
        input1_stage (an integer): not in the document: in a chain, input1 is the accumulators as this stage of the chain
            left them, 1 the first; 0: it is an operand or a constant

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns output.
        [extent of the strides]: 32-bit words; with memory=local `memory` [lanes*lane_bytes/4], read and written, takes
            the place of all three

    In operator text: tensor_arithmetic(op=BM_ADD, shape=[1,3,224,224])
    """
    return call_operator("tensor_arithmetic", (input0, input1,), (memory, input0_addr, input1_addr, output_addr,
        shape, input0_stride, input1_stride, output_stride, op, input0_is_const, input1_is_const, input0_const,
        input1_const, select_value, shift_type, input1_stage), out, context)


def tensor_arithmetic_quantized(input0=None, input1=None, *, memory='flat', input0_addr=0, input1_addr=0,
        output_addr=0, shape=None, input0_stride=(-1, -1, -1, -1), input1_stride=(-1, -1, -1, -1), output_stride=(-1,
        -1, -1, -1), op=None, input0_is_const=False, input1_is_const=False, rshift_bit=0, lshift_bit=0, shift_type=0,
        input0_sign=True, input1_sign=True, output_sign=True, input0_8bit=True, input1_8bit=True, output_8bit=True,
        input1_n_is1=False, input1_h_is1=False, input1_w_is1=False, out=None, context=None):
    """Element-wise arithmetic on 8- and 16-bit integers in 4N and 2N storage (tensor arithmetic).

    Operands:
        input0 [extent of the strides]: as output; not taken where it is a constant
        input1 [extent of the strides]: as output; not taken where it is a constant

    Parameters of the document (those that are None follow from the operands):
        memory (flat, local): not in the document: three buffers, or the tensor processor's memory as one operand
        input0_addr (an integer): byte address of input0 (memory=local); of a constant input its value in the low 8 or 16
            bits
        input1_addr (an integer): byte address of input1 (memory=local); of a constant input its value in the low 8 or 16
            bits
        output_addr (an integer): byte address of output; memory=local only, a multiple of 4
        shape (4 integers): [N, C, H, W]; [1..65535, 1..4095, 1..65535, 1..65535]
        input0_stride (4 integers): [word batches (N/4 or N/2), C, H, W] in 32-bit words; all four -1: compact
        input1_stride (4 integers): [word batches (N/4 or N/2), C, H, W] in 32-bit words; all four -1: compact
        output_stride (4 integers): [word batches (N/4 or N/2), C, H, W] in 32-bit words; all four -1: compact
        op (BM_MUL, BM_MAC, BM_ADD, BM_SUB, BM_MAX, BM_MIN, BM_SHIFT, BM_AND, BM_OR, BM_XOR, BM_CPY): operation
        input0_is_const (True or False): input0 is a constant instead of a tensor
        input1_is_const (True or False): input1 is a constant instead of a tensor
        rshift_bit (an integer): right shift of BM_MUL and BM_MAC: 0..31
        lshift_bit (an integer): left shift of BM_MAC: 0..31
        shift_type (an integer): of BM_SHIFT: 0 logical, 1 arithmetic
        input0_sign (True or False): input0 is signed
        input1_sign (True or False): input1 is signed
        output_sign (True or False): output is signed
        input0_8bit (True or False): input0 has 8 bits in 4N storage, else 16 in 2N
        input1_8bit (True or False): input1 has 8 bits in 4N storage, else 16 in 2N
        output_8bit (True or False): output has 8 bits in 4N storage, else 16 in 2N
        input1_n_is1 (True or False): input1 has N = 1 and is broadcast
        input1_h_is1 (True or False): input1 has H = 1 and is broadcast
        input1_w_is1 (True or False): input1 has W = 1 and is broadcast

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns output.
        [extent of the strides]: words of four 8-bit (4N) or two 16-bit (2N) elements of neighbouring batches; with
            memory=local `memory`

    In operator text: tensor_arithmetic_quantized(op=BM_MUL, shape=[4,32,7,7], rshift_bit=7)
    """
    return call_operator("tensor_arithmetic_quantized", (input0, input1,), (memory, input0_addr, input1_addr,
        output_addr, shape, input0_stride, input1_stride, output_stride, op, input0_is_const, input1_is_const,
        rshift_bit, lshift_bit, shift_type, input0_sign, input1_sign, output_sign, input0_8bit, input1_8bit,
        output_8bit, input1_n_is1, input1_h_is1, input1_w_is1), out, context)


def texpands(scalar=None, v_row_array=None, v_col_array=None, *, arch='A5', loc='vec', dtype=None, rows=0, cols=0,
        v_row=None, v_col=None, blayout='row_major', slayout='none_box', fractal=512, pad='0', compact=0, layout='ND',
        shape=None, buffer_size=0, manual=False, address=None, literal=None, out=None, context=None):
    """Fills a tile or a convolution tile with a scalar (PTO TEXPANDS).

    Operands:
        scalar [1]: the value; --in scalar=VALUE; not taken with a literal
        v_row_array [1]: valid rows, 0..rows; with v_row=dyn only
        v_col_array [1]: valid columns, 0..cols; with v_col=dyn only

    Parameters of the document (those that are None follow from the operands):
        arch (A2A3, A5): the architecture whose rules hold
        loc (vec, mat): where the tile is: vec or mat; the other locations are read and refused
        dtype (int8, uint8, int16, uint16, int32, uint32, float16, bfloat16, float32): of an element
        rows (an integer): of a tile; 0 in a convolution tile
        cols (an integer): of a tile; 0 in a convolution tile
        v_row (an integer, none or dyn): valid rows; none: rows; dyn: known at the call (operand v_row); used in vec only
        v_col (an integer, none or dyn): valid columns; none: cols; dyn: known at the call (operand v_col); used in vec
            only
        blayout (row_major, col_major): base layout
        slayout (none_box, row_major, col_major): order within a box
        fractal (an integer): bytes of a box: 512 or 1024
        pad (0, 1, 2, 3): no influence
        compact (an integer): reserved: 0
        layout (ND, NC1HWC0, FRACTAL_Z, NDC1HWC0, FRACTAL_Z_3D): of a convolution tile: NC1HWC0, FRACTAL_Z, NDC1HWC0,
            FRACTAL_Z_3D; ND: it is a tile
        shape (at most 6 integers): of a convolution tile
        buffer_size (an integer): elements that a convolution tile has room for; 0: those of its shape
        manual (True or False): placement by TASSIGN, which binds the tile to the byte `address` of its memory
        address (an integer, none or dyn): none: the tile is not bound
        literal (an integer, none or dyn): not in the table: the scalar is a constant with these bits; none: it is an
            operand

    out: the array that is written, old content included where that is read; a new one, zeros at first, by default.
    context: what it is compiled for; the process's own by default.

    Returns dst.
        [storage of the tile]: the tile; elements that are not filled keep their value

    In operator text: texpands(dtype=float32, rows=16, cols=16, v_row=3, v_col=5)
    """
    return call_operator("texpands", (scalar, v_row_array, v_col_array,), (arch, loc, dtype, rows, cols, v_row, v_col,
        blayout, slayout, fractal, pad, compact, layout, shape, buffer_size, manual, address, literal), out, context)
