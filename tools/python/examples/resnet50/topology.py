"""ResNet-50's layers from the ONNX graph `light_resnet50`, whose weights are missing: names, shapes and wiring are there."""

import os
from collections import namedtuple

#: A layer that the operators run. kind: conv, add, max_pool, average_pool or dense; source: the tensors that it reads;
#: name: that of its result. A convolution contains the normalisation that follows it; relu: negative results become 0.
Layer = namedtuple("Layer", "kind name source weight stride pad relu", defaults=((), None, 1, 0, False))


def graph_file():
    """The file in the package `onnx`."""
    import onnx

    path = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light", "light_resnet50.onnx")
    if not os.path.exists(path):
        raise SystemExit("resnet50: the package onnx %s has no light_resnet50.onnx" % onnx.__version__)
    return path


def _attributes(node):
    import onnx

    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def _shapes(graph):
    """Shape of each weight. It is filled by a node of its own, which reads the shape."""
    import onnx

    values = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
    return {node.output[0]: tuple(int(n) for n in values[node.input[0]])
            for node in graph.node if node.op_type == "ConstantOfShape"}


def _convolution(node, weight):
    a = _attributes(node)
    strides, pads = a.get("strides", [1, 1]), a.get("pads", [0, 0, 0, 0])
    if len(set(strides)) != 1 or len(set(pads)) != 1 or a.get("group", 1) != 1 or set(a.get("dilations", [1])) != {1}:
        raise SystemExit("resnet50: %s: this convolution is none of ResNet-50's" % node.input[1])
    return Layer("conv", node.output[0], (node.input[0],), weight, strides[0], pads[0])


def layers():
    """The layers in order. A node that is folded into the layer before hands its name on."""
    import onnx

    graph = onnx.load(graph_file()).graph
    shapes, found, same = _shapes(graph), [], {}
    for node in graph.node:
        source = tuple(same.get(name, name) for name in node.input)
        kind = node.op_type
        if kind == "ConstantOfShape":
            continue
        if kind in ("BatchNormalization", "Relu", "Reshape", "Softmax"):
            same[node.output[0]] = source[0]
            if kind == "Relu":
                if found[-1].name != source[0]:
                    raise SystemExit("resnet50: %s does not follow the layer that it rectifies" % node.output[0])
                found[-1] = found[-1]._replace(relu=True)
        elif kind == "Conv":
            found.append(_convolution(node, shapes[node.input[1]])._replace(source=source[:1]))
        elif kind == "Sum":
            found.append(Layer("add", node.output[0], source))
        elif kind == "MaxPool":
            found.append(Layer("max_pool", node.output[0], source, None, 2, 1))
        elif kind == "AveragePool":
            found.append(Layer("average_pool", node.output[0], source))
        elif kind == "Gemm":
            found.append(Layer("dense", node.output[0], source[:1], shapes[node.input[1]]))
        else:
            raise SystemExit("resnet50: %s: an operator that ResNet-50 does not have" % kind)
    return found
