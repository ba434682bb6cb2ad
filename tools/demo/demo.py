#!/usr/bin/python3
"""aicjit-demo INPUT.png OUTPUT_DIR [--isa LEVEL]: a photograph through a bank of 16 filters, and the example that the
operator's document prints. Exit status as for aicjit; 1 when the example differs.

Debian's Python runs it, for which Debian has NumPy and Pillow. It lies in the build folder, and takes the package there."""

import os
import pathlib
import sys
import time

import numpy as np
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "python"))
import aicjit

SIDE_MAX = 4096  # conv2d's limit for H and W
MID_GREY = 128  # what is seen outside the picture
JOBS = {"int8": ("int8", "cube"), "float16": ("float16", "cube"), "float16-fast": ("float16", "fast")}


class Failed(Exception):
    """What goes to standard error, and the exit status."""


# ---- the bank of filters ----

LUMA = 1, 2, 1  # brightness as (red + 2 green + blue) / 4
POINT, BINOMIAL, NARROW, RISE = [0, 0, 1, 0, 0], [1, 4, 6, 4, 1], [0, 1, 2, 1, 0], [-1, -2, 0, 2, 1]
SPOT, EDGES = np.outer(NARROW, NARROW), np.outer(BINOMIAL, RISE)
SHARPEN = [[-1, -1, -1, -1, -1], [-1, 2, 2, 2, -1], [-1, 2, 8, 2, -1], [-1, 2, 2, 2, -1], [-1, -1, -1, -1, -1]]
EMBOSS = [[0, 0, 0, 0, 0], [0, -2, -1, 0, 0], [0, -1, 1, 1, 0], [0, 0, 1, 2, 0], [0, 0, 0, 0, 0]]
DIAGONAL = [[0, 1, 2, 1, 0], [-1, 0, 3, 2, 1], [-2, -3, 0, 3, 2], [-1, -2, -3, 0, 1], [0, -1, -2, -1, 0]]
LAPLACIAN = [[0, 0, -1, 0, 0], [0, -1, -2, -1, 0], [-1, -2, 16, -2, -1], [0, -1, -2, -1, 0], [0, 0, -1, 0, 0]]
WHISKERS = [[-2, -2, -2, 0, 3], [-2, -2, 1, 4, 0], [-2, 1, 6, 1, -2], [0, 4, 1, -2, -2], [3, 0, -2, -2, -2]]
STEEP = [[-1, -1, 0, 1, 1], [-1, -2, 0, 2, 1], [-2, -4, 0, 4, 2], [-1, -2, 0, 2, 1], [-1, -1, 0, 1, 1]]

# Name; how the result is shown: as a brightness, positive warm and negative cold, or as the absolute value, the last two
# scaled to the picture's own range; a weight a colour; what the sum is divided by; taps as they lie on the picture.
FILTERS = (
    ("identity", "grey", LUMA, 4, np.outer(POINT, POINT)),
    ("box-blur", "grey", LUMA, 4 * 25, np.ones((5, 5))),
    ("gaussian-blur", "grey", LUMA, 4 * 256, np.outer(BINOMIAL, BINOMIAL)),
    ("motion-blur", "grey", LUMA, 4 * 5, np.fliplr(np.eye(5))),
    ("sharpen", "grey", LUMA, 4 * 8, SHARPEN),
    ("emboss", "grey", LUMA, 4, EMBOSS),
    ("edges-horizontal", "signed", LUMA, 4 * 48, EDGES.T),
    ("edges-vertical", "signed", LUMA, 4 * 48, EDGES),
    ("edges-diagonal-down", "signed", LUMA, 4 * 16, DIAGONAL),
    ("edges-diagonal-up", "signed", LUMA, 4 * 16, np.fliplr(DIAGONAL)),
    ("laplacian", "magnitude", LUMA, 4 * 16, LAPLACIAN),
    ("lines-vertical", "magnitude", LUMA, 4 * 16, np.outer([1, 2, 2, 2, 1], [-1, 0, 2, 0, -1])),
    ("whiskers", "magnitude", LUMA, 4 * 16, WHISKERS),
    ("red-against-green", "signed", (1, -1, 0), 16, SPOT),
    ("blue-against-yellow", "signed", (-1, -1, 2), 32, SPOT),
    ("colour-edges", "magnitude", (2, -1, -1), 16, STEEP),
)
NAMES = [name for name, *_ in FILTERS]
WEIGHTS = np.array([np.multiply.outer(colour, taps) for _, _, colour, _, taps in FILTERS])  # [O, I, Kh, Kw]
DIVISORS = np.array([divisor for _, _, _, divisor, _ in FILTERS])


# ---- the convolution ----


def filtered(context, picture, dtype, accumulate):
    """Brightnesses [H, W, filters], what the kernel and its calls took, and milliseconds of the first call. int8 computes
    with pixel - 128 and the taps themselves, float16 with pixel / 256 and taps divided."""
    height, width, _ = picture.shape
    if dtype == "int8":
        x, weights, grey = aicjit.pack_picture(picture, c0=4, zero_point=MID_GREY), WEIGHTS.astype(np.int8), 0
    else:
        x, weights, grey = np.zeros((1, height, width, 4), np.float16), WEIGHTS / DIVISORS[:, None, None, None], MID_GREY / 256
        x[0, :, :, :3] = picture / 256
    w = aicjit.pack_weights(weights.astype(x.dtype), c0=4)
    spec = aicjit.op("conv2d", dtype=dtype, fm_shape=x.shape, kernel_shape=w.shape, pad=2, pad_value=grey, accumulate=accumulate)
    start = time.perf_counter()
    kernel = aicjit.compile(spec, context=context)
    dst = kernel(x, w)
    first, sums = 1e3 * (time.perf_counter() - start), aicjit.unpack_accumulators(dst, height, width)
    figures = aicjit.bench(kernel, x, w, min_time=0.3)
    if dtype == "int8":
        sums = (sums + MID_GREY * WEIGHTS.sum((1, 2, 3)).astype(np.int32)).astype(np.float32) / DIVISORS.astype(np.float32)
        return sums, figures, first
    return sums * np.float32(256), figures, first


def print_figures(name, figures, first, folder):
    print("\n%s" % name)
    print("  compiled     %s" % figures.spec)
    print("  for          %s, %s" % (figures.isa, figures.schedule))
    print("  compilation  %.2f ms" % (1e-6 * figures.compile_ns))
    print("  first call   %.2f ms, compilation included" % first)
    print("  later calls  %.3f ms (median), %.1f GMAC/s" % (1e-6 * figures.median_ns, figures.gmacs_per_s))
    print("  IR           %s/ir/%s.ll" % (folder, figures.kernel))


# The second example of the TIK conv2d document: feature map 0.0, 0.01, ... 5.11, weight 0.0, 0.01, ... 20.47, of which
# element k is half(k * half(0.01)); the bits of the 64 printed float32 values, rows of 16 output channels.
PRINTED = bytes.fromhex("""
455F0BCC 4561CD7E 456490FD 45675298 456A1498 456CD7BC 456F9A0D 45725E04 45751FB3 4577E131 457AA4FA 457D6697 45801492 4581759E
4582D6C4 45843840 456A9FD2 456D95F9 45708DFA 4573840E 45767A7E 4579722A 457C68F0 457F6176 45812BCA 4582A6C4 458422EA 45859DF6
45871976 458894C2 458A1021 458B8BE0 4586A991 45887343 458A3DF6 458C07A7 458DD174 458F9C0B 4591660A 45933114 4594FAB8 4596C453
45988F2D 459A58E2 459C22FE 459DECFB 459FB6F8 45A1816F 458C739F 458E578D 45903C83 45922072 45940478 4595E954 4597CD8F 4599B2E2
459B96BF 459D7A96 459F5FB3 45A143A6 45A327FE 45A50C3C 45A6F074 45A8D52E""")


def repeat_example(context):
    """Prints how many of its values come out bit for bit; whether all do."""
    x, w = ((np.arange(count) * np.float64(np.float16(0.01))).astype(np.float16) for count in (512, 2048))
    dst = aicjit.conv2d(x.reshape(2, 4, 4, 16), w.reshape(2, 2, 2, 16, 16), dilation=2, context=context)
    printed = np.frombuffer(PRINTED, ">u4")
    equal = int((dst.ravel()[: len(printed)].view(np.uint32) == printed).sum())
    print("vendor example: %d of %d values bit for bit" % (equal, len(printed)))
    return equal == len(printed)


# ---- pictures ----


def load(path):
    """uint8 [H, W, 3]; what is behind transparent parts is black."""
    try:
        with Image.open(path, formats=["PNG"]) as image:
            if max(image.size) > SIDE_MAX:
                raise Failed('"%s": %d x %d pixels are more than %d x %d' % (path, *image.size, SIDE_MAX, SIDE_MAX), 2)
            if image.mode.startswith("I"):  # 16 bits
                image = Image.fromarray((np.asarray(image, np.int64) >> 8).astype(np.uint8))
            return np.asarray(Image.alpha_composite(Image.new("RGBA", image.size, "black"), image.convert("RGBA")))[:, :, :3]
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise Failed('"%s" is no PNG that can be read: %s' % (path, error), 2) from error


def save(pixels, path):
    try:
        Image.fromarray(pixels).save(path, compress_level=1)  # else half of the demo's time is compression
    except OSError as error:
        raise Failed('"%s": %s' % (path, error.strerror), 3) from error


def make_folder(path):
    try:
        os.mkdir(path)
    except OSError as error:
        if not os.path.isdir(path):
            raise Failed('"%s" cannot be made: %s' % (path, error.strerror), 2) from error


def painted(values, show):
    """A result as pixels. What has no natural range is scaled so that the strongest hundredth saturates."""
    strong, shares = 255, values.astype(np.float64)
    if show != "grey":
        sizes, at = np.abs(values).ravel(), (values.size - 1) * 99 // 100
        strong = max(np.partition(sizes, at)[at], np.float32(1))
    shares = shares[:, :, None] / strong
    colours = np.where(shares > 0, (255, 170, 60), (60, 150, 255)) if show == "signed" else (255, 255, 255)
    pixels = (shares if show == "grey" else np.abs(shares)) * colours
    return np.clip(np.floor(pixels + 0.5), 0, 255).astype(np.uint8)


GAP, LABEL, LINE, HEAD, COLUMNS, ROWS = 6, 12, 22, 34, 6, 3  # of the sheet, in pixels; tiles


def write(sheet, x, y, text, scale=1):
    """Text with its upper left corner at (x, y)."""
    font = ImageFont.load_default()
    mask = Image.new("L", font.getbbox(text)[2:])
    ImageDraw.Draw(mask).text((0, 0), text, 255, font)
    mask = mask.resize((scale * mask.width, scale * mask.height), Image.Resampling.NEAREST)
    sheet.paste((232, 232, 232), (x, y), mask)


def sheet_of(picture, results, largest):
    """The results of int8, labelled; what each job took; where float16 differs from int8. results: of filtered(), by jobs."""
    whole, figures, _ = results["int8"]
    apart = np.abs(whole - results["float16"][0]).max(2) * (255 / largest if largest > 0 else 0)
    edges = np.hypot(whole[:, :, NAMES.index("edges-vertical")], whole[:, :, NAMES.index("edges-horizontal")])
    tiles = [("photograph", picture)]
    tiles += [(name, painted(whole[:, :, f], show)) for f, (name, show, *_) in enumerate(FILTERS)]
    tiles += [("edges", painted(edges, "magnitude")),
              ("float16 against int8: at most %.2f of 255 grey levels, which is white here" % largest, painted(apart, "grey"))]
    height, width = picture.shape[0] // 2, picture.shape[1] // 2
    pitch, beside = height + LABEL + GAP, width + 3 * GAP
    last = HEAD + ROWS * pitch
    size = max(COLUMNS * (width + GAP) + GAP, beside + 1080), last + max(pitch, LABEL + LINE * len(results) + GAP)
    sheet = Image.new("RGB", size)
    write(sheet, GAP, GAP, "%d filters of 5x5 as one conv2d, %d x %d pixels, %s" % (
        len(FILTERS), picture.shape[1], picture.shape[0], figures.isa), 2)
    for i, (name, (_, own, first)) in enumerate(results.items()):
        told = "%-13s compiled in %.1f ms, first call %.1f ms, later %.2f ms, %.0f GMAC/s" % (
            name, 1e-6 * own.compile_ns, first, 1e-6 * own.median_ns, own.gmacs_per_s)
        write(sheet, beside, last + LABEL + GAP + i * LINE, told, 2)
    for i, (label, pixels) in enumerate(tiles):
        x, y = GAP + i % COLUMNS * (width + GAP), HEAD + i // COLUMNS * pitch
        write(sheet, x, y, label)
        four = pixels[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3).sum((1, 3), dtype=np.int64)
        sheet.paste(Image.fromarray(((four + 2) // 4).astype(np.uint8)), (x, y + LABEL))
    return np.asarray(sheet)


# ---- the whole ----


def demo(source, folder, isa):
    """Whether the example comes out."""
    picture = load(source)
    for name in ("", "/ir"):
        make_folder(folder + name)
    context = aicjit.Context(isa=isa, dump_dir=folder + "/ir", limits="host")  # pictures as wide as a filter, too
    print("%s: %d x %d pixels, %d filters of 5x5, LLVM %s" % (
        source, picture.shape[1], picture.shape[0], len(FILTERS), aicjit.llvm_version()))
    results = {}
    for job, how in JOBS.items():
        results[job] = values, figures, first = filtered(context, picture, *how)
        print_figures(job, figures, first, folder)
        make_folder(os.path.join(folder, job))
        for f, (name, show, *_) in enumerate(FILTERS):
            save(painted(values[:, :, f], show), "%s/%s/%02d-%s.png" % (folder, job, f + 1, name))
        print("  pictures     %s/%s/" % (folder, job))
    apart = {job: float(np.abs(values - results["int8"][0]).max()) for job, (values, *_) in results.items() if job != "int8"}
    print()
    for job, largest in apart.items():
        print("%s differs from int8 by at most %.3f of 255 grey levels" % (job, largest))
    save(sheet_of(picture, results, apart["float16"]), folder + "/sheet.png")
    print("all of them, with their times: %s/sheet.png" % folder)
    return repeat_example(context)


def main(arguments):
    try:
        if len(arguments) not in (2, 4) or arguments[2:3] not in ([], ["--isa"]):
            raise Failed("usage: aicjit-demo INPUT.png OUTPUT_DIR [--isa LEVEL]", 2)
        status = 0 if demo(*arguments[:2], arguments[3] if len(arguments) == 4 else None) else 1
        sys.stdout.flush()
        return status
    except aicjit.Error as error:
        wrong = error.status in (aicjit.Status.INVALID_ARGUMENT, aicjit.Status.UNSUPPORTED)
        message, status = str(error), 2 if wrong else 3
    except OSError as error:
        message, status = "standard output: %s" % error.strerror, 3
        sys.stdout = None  # which is not tried again
    except Failed as error:
        message, status = error.args
    sys.stderr.write("aicjit-demo: %s\n" % message)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
