"""A picture four times as large in each direction by a published network (README.md):

    python -m superres MODEL PICTURE.png FOLDER [--fit WxH] [--tile PIXELS] [--rounds N]

MODEL.param and MODEL.bin are the network. FOLDER gets the pictures, and the networks for this size in FOLDER/networks.
"""

import argparse
import itertools
import pathlib
import sys
import time

import numpy as np
from PIL import Image

import aicjit

from . import model, network

PIXELS_MAX, SIDE_MAX, COMPARED_MAX = 1 << 22, 4096, 1 << 18
CROP = 12, 9  # of what the reference computes, too


class Wrong(Exception):
    """The request cannot be served."""


def pair(text):
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise argparse.ArgumentTypeError("%r is not WIDTHxHEIGHT" % text)
    return int(width), int(height)


def bounded(low, high):
    def number(text):
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError("%r is not a number of %d to %d" % (text, low, high))
        return int(text)
    return number


def load_picture(path, fit):
    try:
        image = Image.open(path)
        if image.width > SIDE_MAX or image.height > SIDE_MAX or image.width * image.height > PIXELS_MAX:
            raise Wrong('"%s": %d x %d pixels are more than %d on a side, or %d in all'
                        % (path, image.width, image.height, SIDE_MAX, PIXELS_MAX))
        if image.mode.startswith("I"):  # 16 bits
            image = Image.fromarray((np.asarray(image, np.int64) >> 8).clip(0, 255).astype(np.uint8))
        image = image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise Wrong('"%s": %s' % (path, error)) from error
    if fit is not None:
        if image.width < fit[0] or image.height < fit[1]:
            raise Wrong('"%s": %d x %d pixels are fewer than %d x %d' % (path, image.width, image.height, *fit))
        scale = max(fit[0] / image.width, fit[1] / image.height)
        box = fit[0] / scale, fit[1] / scale
        left, top = (image.width - box[0]) / 2, (image.height - box[1]) / 2
        image = image.resize(fit, Image.Resampling.BOX, (left, top, left + box[0], top + box[1]))
    return np.asarray(image)


def cuts(length, size, reach):
    """[(first of a tile, first and last pixel of it that count)] along an axis: tiles of one size that overlap."""
    count = 1 if size >= length else 1 + -(-(length - size) // (size - 2 * reach))
    firsts = [round(i * (length - size) / (count - 1)) if count > 1 else 0 for i in range(count)]
    ends = [(a + size + b) // 2 for a, b in zip(firsts, firsts[1:])] + [length]
    return list(zip(firsts, [0] + ends[:-1], ends))


def tiling(height, width, pixels, reach):
    """Size of tiles, and their cuts down and across. reach: so many pixels around it the value of one depends on."""
    if height * width <= pixels:
        return (height, width), cuts(height, height, reach), cuts(width, width, reach)
    side = int(pixels**0.5)
    if side <= 2 * reach:
        raise Wrong("--tile: a picture cannot be cut into tiles of %d pixels: %d of each side overlap" % (pixels, 2 * reach))
    tall = min(height, side)
    wide = min(width, pixels // tall)
    tall = min(height, pixels // wide)
    return (tall, wide), cuts(height, tall, reach), cuts(width, wide, reach)


def enlarge(net, mode, picture, tiles):
    """The whole picture, tile by tile: uint8 [4H, 4W, 3]."""
    (tall, wide), down, across = tiles
    result = np.zeros((4 * picture.shape[0], 4 * picture.shape[1], 3), np.uint8)
    for (y, top, bottom), (x, left, right) in itertools.product(down, across):
        part = net(*network.inputs(np.ascontiguousarray(picture[y : y + tall, x : x + wide]), mode))[0]
        result[4 * top : 4 * bottom, 4 * left : 4 * right] = part[4 * (top - y) : 4 * (bottom - y), 4 * (left - x) : 4 * (right - x)]
    return result


def find_peaks(folder, layers, picture, tiles, context):
    """The largest value of each channel of every layer, by `float16-cube`, which tiles do not change."""
    (tall, wide), down, across = tiles
    network.write_half(folder, layers, tall, wide, "cube", maps=True)
    peaks = []
    with aicjit.Network.open(folder, context=context) as net:
        for (y, top, bottom), (x, left, right) in itertools.product(down, across):
            part = np.ascontiguousarray(picture[y : y + tall, x : x + wide])
            _, *maps = net(*network.inputs(part, "float16"))
            maps = [one[:, top - y : bottom - y, left - x : right - x] for one in maps]
            peaks.append([np.abs(one).max((1, 2)).ravel().astype(np.float32) for one in maps])
    return [np.max(layer, 0) for layer in zip(*peaks)]


def write(folder, mode, layers, size, peaks, values=False):
    if mode == "int8":
        network.write_int8(folder, layers, *size, peaks, values)
    else:
        network.write_half(folder, layers, *size, mode.partition("-")[2], values)
    return folder


def check_exact(folder, mode, layers, picture, peaks, context):
    """Whether kernels and the plain-C reference give the same bytes of a part of the picture."""
    part = np.ascontiguousarray(picture[: CROP[1], : CROP[0]])
    write(folder, mode, layers, part.shape[:2], peaks)
    one, other = (aicjit.Network.open(folder, context=context, reference=reference) for reference in (False, True))
    given = network.inputs(part, mode)
    return np.array_equal(one(*given), other(*given))


def decibels(values, expected):
    error = np.square(values.astype(np.float64) - expected).mean()
    return float("inf") if error == 0 else -10 * np.log10(error)


def median_times(entrants, rounds):
    """Milliseconds by the wall clock, all in turns, so that what slows the machine down slows all of them down."""
    taken = {name: [] for name, _ in entrants}
    for turn in range(rounds + 1):
        for name, run in entrants:
            start = time.perf_counter()
            run()
            if turn:  # the first one prepares
                taken[name].append(1e3 * (time.perf_counter() - start))
    return {name: float(np.median(times)) for name, times in taken.items()}


def find_peers(options, layers, picture, threads):
    try:
        from . import peers
    except ImportError:
        return []
    return peers.runners(options.model, layers, picture, threads)


def measure(options, folders, layers, picture, contexts):
    """One thread, then all; the peers in the same rounds."""
    for context in contexts:
        entrants = []
        for mode, folder in folders.items():
            net, given = aicjit.Network.open(folder, context=context), network.inputs(picture, mode)
            entrants.append((mode, lambda net=net, given=given: net(*given)))
        entrants += find_peers(options, layers, picture, context.threads)
        times = median_times(entrants, options.rounds)
        print("%d thread%s, ms:" % (context.threads, "s" if context.threads > 1 else ""))
        for name, ms in times.items():
            print("  %-20s %8.1f   %s" % (name, ms, ", ".join("%s / it %.2f" % (peer, times[peer] / ms)
                                                              for peer, _ in entrants[len(folders):] if name in folders)))


def compare(options, source, turned, picture, peaks, context, folder):
    """How far each mode is from float32, before it becomes bytes."""
    expected = model.plain(source, picture)
    known = find_peers(options, source, picture, 1)
    if known:
        planes = np.array(known[0][1]()).reshape(3, picture.shape[0], 4, picture.shape[1], 4)
        expected = planes.transpose(1, 3, 0, 2, 4).reshape(expected.shape)
    print("distance from float32 (%s), dB:" % (known[0][0] if known else "NumPy"))
    for mode in network.MODES:
        write(folder, mode, turned, picture.shape[:2], peaks, values=True)
        with aicjit.Network.open(folder, context=context) as net:
            values = net(*network.inputs(picture, mode)).reshape(expected.shape) * np.float64(256 / 255)
        print("  %-16s %.1f" % (mode, decibels(values, expected)))


def sheet(folder, picture, results):
    """Input, bicubic enlargement and two of the results side by side."""
    image = Image.fromarray(picture)
    size = 4 * image.width, 4 * image.height
    parts = [image.resize(size, Image.Resampling.NEAREST), image.resize(size, Image.Resampling.BICUBIC),
             Image.fromarray(results["float16-cube"]), Image.fromarray(results["int8"])]
    whole = Image.new("RGB", (4 * size[0], size[1]))
    for i, part in enumerate(parts):
        whole.paste(part, (i * size[0], 0))
    whole.save(folder / "sheet.png")


def run(options):
    source = model.read(options.model + ".param", options.model + ".bin")
    picture = load_picture(options.picture, options.fit)
    tiles = tiling(*picture.shape[:2], options.tile, len(source))
    layers, folder = model.turned(source), pathlib.Path(options.folder)
    (folder / "networks").mkdir(parents=True, exist_ok=True)
    # As wide as a kernel and higher: the documents call such pictures unsupported.
    contexts = [aicjit.Context(limits="host", threads=1), aicjit.Context(limits="host")]
    every, work = contexts[1], folder / "networks" / "work"
    peaks = find_peaks(work, layers, picture, tiles, every)
    print("%d x %d pixels, %d x %d tiles of %d x %d" % (*picture.shape[1::-1], len(tiles[2]), len(tiles[1]), *tiles[0][::-1]))
    folders, results = {}, {}
    for mode in network.MODES:
        folders[mode] = write(folder / "networks" / mode, mode, layers, tiles[0], peaks)
        with aicjit.Network.open(folders[mode], context=every) as net:
            results[mode] = enlarge(net, mode, picture, tiles)
            info = net.info
        Image.fromarray(results[mode]).save(folder / (mode + ".png"))
        exact = mode not in network.BITWISE or check_exact(work, mode, layers, picture, peaks, every)
        if not exact:
            raise RuntimeError("%s: kernels and reference differ" % mode)
        print("%s/%s.png: %d kernels, %d bytes of buffers%s" % (
            folder, mode, len(info.kernels), info.arena_bytes,
            "; the reference gives the same bytes" if mode in network.BITWISE else ""))
    sheet(folder, picture, results)
    if picture.shape[0] * picture.shape[1] <= COMPARED_MAX and tiles[0] == picture.shape[:2]:
        compare(options, source, layers, picture, peaks, every, work)
        measure(options, folders, source, picture, contexts[: 1 if every.threads == 1 else 2])


def main():
    parser = argparse.ArgumentParser(prog="superres", description=__doc__.split("\n")[0])
    for name in ("model", "picture", "folder"):
        parser.add_argument(name)
    parser.add_argument("--fit", type=pair, metavar="WxH", help="scale the picture down to this size first")
    parser.add_argument("--tile", type=bounded(1, 1 << 18), default=1 << 18, help="the most pixels that are computed at once")
    parser.add_argument("--rounds", type=bounded(1, 64), default=5, help="runs of each that is measured")
    try:
        run(parser.parse_args())
    except (Wrong, model.ModelError, OSError, aicjit.Error) as error:
        print("superres: %s" % error, file=sys.stderr)
        sys.exit(3 if isinstance(error, aicjit.Error) and error.status >= aicjit.Status.OUT_OF_MEMORY else 2)


if __name__ == "__main__":
    main()
