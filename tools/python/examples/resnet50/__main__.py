"""ResNet-50 in int8 by the operators of aicjit: exact against integers in NumPy, timed against onnxruntime.

    tools/dev resnet50 [PICTURE.png] [--threads N] [--runs N] [--seed N] [--folder DIR] [--json FILE]

The topology is that of the ONNX project's ResNet-50 v1.5; the weights are pseudo-random. Every result of every layer is
compared, each element. The exit status is 1 when one differs.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time

import numpy as np

import aicjit

from . import model, network, peer, topology

SIZE = 224


def read_picture(path, seed):
    """uint8 [224, 224, 3]: the middle of the picture, or noise."""
    if path is None:
        smooth = np.random.default_rng(seed).integers(0, 256, (SIZE // 8, SIZE // 8, 3), dtype=np.uint8)
        return np.ascontiguousarray(smooth.repeat(8, axis=0).repeat(8, axis=1))
    from PIL import Image

    try:
        picture = Image.open(path).convert("RGB")
    except OSError as error:
        raise SystemExit("resnet50: %s: %s" % (path, error))
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    return np.asarray(picture.crop((left, top, left + side, top + side)).resize((SIZE, SIZE)))


def check(layers, given, results):
    """Compares every layer; the number of those that differ. given, layers: by the names that they have in the folder."""
    wrong = 0
    for name, layer in layers.items():
        ours, wanted = network.canonical(given[name]), results[layer.name]
        if not np.array_equal(ours, wanted):
            positions = np.argwhere(ours != wanted)
            print("%s %s: %d of %d elements differ, first at %s: %d, not %d"
                  % (layer.kind, layer.name, len(positions), ours.size, tuple(positions[0]), ours[tuple(positions[0])],
                     wanted[tuple(positions[0])]))
            wrong += 1
    return wrong


def median_times(functions, runs):
    """Median seconds of each, called in turn."""
    times = [[] for _ in functions]
    for _ in range(runs + 1):
        for function, found in zip(functions, times):
            start = time.perf_counter()
            function()
            found.append(time.perf_counter() - start)
    return [statistics.median(found[1:]) for found in times]


def shape_text(layer):
    if layer.kind != "conv":
        return ""
    o, i, k = layer.weight[:3]
    return "%dx%d%s %d-%d" % (k, k, "/%d" % layer.stride if layer.stride > 1 else "", i, o)


def print_table(table, layers, results, peer_times):
    """table: Network.table(), a row a kernel."""
    print("\n%-13s %-6s %-18s %-10s %8s %8s %8s" % ("layer", "result", "shape", "output", "us", "GMAC/s", "peer us"))
    rows = []
    for name, layer in layers.items():
        own = [row for row in table if network.result_of(row["layer"]) == name]
        result, us = results[layer.name], sum(row["us"] for row in own)
        output, rate = "x".join(map(str, result.shape[1:])) or "-", network.macs(layer, result) / us * 1e-3
        theirs = sum(peer_times.get(layer.name + part, 0) for part in peer.PARTS)
        rows.append({"layer": layer.kind, "result": layer.name, "shape": shape_text(layer), "output": output, "us": us,
                     "gmacs_per_s": rate, "peer_us": theirs, "kernels": [row["spec"] for row in own]})
        print("%-13s %-6s %-18s %-10s %8.1f %8s %8s"
              % (layer.kind, layer.name, shape_text(layer), output, us, "%.1f" % rate if rate else "",
                 "%.0f" % theirs if theirs else ""))
    return rows


def main():
    parser = argparse.ArgumentParser(prog="resnet50", description=__doc__.split("\n")[0])
    parser.add_argument("picture", nargs="?", help="PNG or other picture; without one: noise")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="resnet50-network", help="where the network goes; default: %(default)s")
    parser.add_argument("--json", help="where to write the table")
    parser.add_argument("--no-peer", action="store_true", help="without onnxruntime")
    options = parser.parse_args()
    picture, layers = read_picture(options.picture, options.seed), topology.layers()
    print("aicjit %s, %s, LLVM %s, %d thread(s)"
          % (aicjit.version(), aicjit.isa_levels()[-1], aicjit.llvm_version(), options.threads))
    constants, results = model.build(layers, picture, options.seed)
    context = aicjit.Context(threads=options.threads)
    with tempfile.TemporaryDirectory() as folder:
        names = network.write(folder, layers, constants, picture.shape[:2], every=True)
        wrong = check(names, aicjit.Network.open(folder, context=context)(network.image(picture)), results)
    network.write(options.folder, layers, constants, picture.shape[:2])
    print("%d of %d layers are what the integer model gives, bit for bit" % (len(layers) - wrong, len(layers)))
    start = time.perf_counter()
    net = aicjit.Network.open(options.folder, context=context)
    print("%d kernels, opened from %s in %.2f s" % (len(net.info.kernels), options.folder, time.perf_counter() - start))

    functions, peer_times = [lambda: net(network.image(picture))], {}
    if not options.no_peer:
        content = peer.model(layers, constants, picture.shape[:2])
        theirs = peer.Peer(content, options.threads)
        functions.append(lambda: theirs.run(picture))
        profiled = peer.Peer(content, options.threads, profile=True)
        for _ in range(options.runs):
            profiled.run(picture)
        peer_times = profiled.profile()
    total = median_times(functions, options.runs)
    rows = print_table(net.table(options.runs), names, results, peer_times)
    print("\nwhole network: %.2f ms" % (total[0] * 1e3), end="")
    print("; onnxruntime %s: %.2f ms, %.2f of its speed" % (theirs.version, total[1] * 1e3, total[1] / total[0])
          if len(total) > 1 else "")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"layers": rows, "ms": total[0] * 1e3, "peer_ms": total[1] * 1e3 if len(total) > 1 else None,
                       "wrong": wrong}, file, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
