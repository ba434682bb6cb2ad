"""From an ONNX file to a Graph: everything is checked, shapes are known, what is constant is computed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

import aicjit

from .._program import Array
from .._values import integer, kind_of
from .graph import LARGEST, Graph, ModelError, Node

Source = Union[str, "os.PathLike[str]", bytes, Any]
Shapes = Mapping[str, Sequence[int]]
_TYPES = ("float32", "float16", "int8", "uint8")
#: Operators whose results are other ones each time, and elements above which what is constant is not computed here.
_RANDOM = ("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli")
_FOLDED = 1 << 28
#: The first set of operators that count axes as those of today do.
_FIRST = 7


def package() -> Any:
    """The PyPI package onnx."""
    try:
        import onnx  # type: ignore[import-untyped, import-not-found, unused-ignore]
        import onnx.reference  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: F401
    except ImportError as error:
        raise aicjit.Error("aicjit.onnx needs the package onnx (pip install onnx): %s" % error) from error
    return onnx


def _external(model: Any, name: str, folder: str) -> None:
    """Raises where a file of external data is missing or short."""
    for tensor in model.graph.initializer:
        entries = {entry.key: entry.value for entry in tensor.external_data}
        if not entries:
            continue
        path = os.path.join(folder, entries.get("location", ""))
        if not os.path.isfile(path):
            raise ModelError("%s: tensor %s: its data are in the file %s, which is %s" % (
                name, tensor.name, path, "no file" if os.path.exists(path) else "not there"))
        for key in ("offset", "length"):
            if not entries.get(key, "0").isdecimal():
                raise ModelError("%s: tensor %s: the %s of its data is %r" % (name, tensor.name, key, entries[key]))
        end = int(entries.get("offset", 0)) + int(entries.get("length", 0))
        if os.path.getsize(path) < end:
            raise ModelError("%s: tensor %s: the file %s has %d bytes, its data end at %d" % (
                name, tensor.name, path, os.path.getsize(path), end))


def read_model(source: Source) -> tuple[Any, str]:
    """The model and a name for messages."""
    onnx = package()
    if isinstance(source, onnx.ModelProto):
        model = onnx.ModelProto()
        model.CopyFrom(source)
        return model, "model"
    name, folder = "model", ""
    if not isinstance(source, (bytes, bytearray, memoryview, str, os.PathLike)):
        raise aicjit.ArgumentTypeError("onnx.load: %s is no path, no bytes of a file and no ModelProto" % kind_of(source))
    try:
        if isinstance(source, (bytes, bytearray, memoryview)):
            model = onnx.load_model_from_string(bytes(source))
        else:
            name = os.fspath(source)
            folder = os.path.dirname(os.path.abspath(name))
            model = onnx.load(name, load_external_data=False)
    except OSError as error:
        raise aicjit.FileError("%s: %s" % (name, error.strerror or error), aicjit.Status.IO) from error
    except Exception as error:  # what the parser of protocol buffers raises is not of the package
        raise ModelError("%s: is no ONNX file: %s" % (name, error)) from error
    if not model.graph.node and not model.graph.output:
        raise ModelError("%s: is no ONNX file: there is no graph in it" % name)
    _external(model, name, folder)
    try:
        if folder:
            onnx.load_external_data_for_model(model, folder)
    except OSError as error:
        raise aicjit.FileError("%s: %s" % (name, error), aicjit.Status.IO) from error
    except Exception as error:  # such as links and paths out of the folder, which the package does not follow
        raise ModelError("%s: external data: %s" % (name, error)) from error
    return model, name


def _given_shapes(graph: Any, name: str, shapes: Shapes, constants: set[str]) -> None:
    """Sets the shapes of inputs: those given, and one image."""
    known = [value.name for value in graph.input if value.name not in constants]
    if not isinstance(shapes, Mapping):
        raise aicjit.ArgumentTypeError("onnx.load: shapes: %s is no mapping of names to shapes" % kind_of(shapes))
    for given in shapes:
        if given not in known:
            raise ModelError("%s: shapes: there is no input %s; the inputs are %s" % (name, given, ", ".join(known)))
    for value in graph.input:
        if value.name in constants:
            continue
        dims = value.type.tensor_type.shape.dim
        shape = shapes.get(value.name)
        if shape is not None and (isinstance(shape, str) or not isinstance(shape, (Sequence, np.ndarray))):
            raise aicjit.ArgumentTypeError("onnx.load: shapes: %s: %s is no list of integers" % (value.name, kind_of(shape)))
        if shape is not None and len(shape) != len(dims):
            raise ModelError("%s: shapes: %s has %d axes, not %d" % (name, value.name, len(dims), len(shape)))
        for i, dim in enumerate(dims):
            if shape is not None:
                size = integer("onnx.load: shapes: %s" % value.name, shape[i], 1, LARGEST)
            elif i == 0:
                size = 1
            elif dim.dim_value > 0:
                size = dim.dim_value
            else:
                if dim.HasField("dim_value"):
                    raise ModelError("%s: input %s: axis %d has %d elements" % (name, value.name, i, dim.dim_value))
                example = ", ".join(str(d.dim_value or (1 if j == 0 else 224)) for j, d in enumerate(dims))
                raise ModelError("%s: input %s: axis %d (%s) has no fixed size: pass shapes={%r: (%s)}, or the tool --shape "
                                 "'%s=%s', with the size that it has" % (name, value.name, i, dim.dim_param or "unnamed", value.name,
                                                                         example, value.name, example.replace(" ", "")))
            dim.ClearField("dim_param")
            dim.dim_value = 1 if i == 0 else size


def _one_image(onnx: Any, model: Any, images: set[int]) -> None:
    """Lets Reshape make one image where it made as many as the inputs had."""
    shapes = {node.input[1] for node in model.graph.node if node.op_type == "Reshape" and len(node.input) > 1}
    for tensor in model.graph.initializer:
        if tensor.name in shapes:
            values = onnx.numpy_helper.to_array(tensor).copy()
            if values.size and int(values.flat[0]) in images:
                values.flat[0] = 1
                tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))


def _node(onnx: Any, node: Any, index: int) -> Node:
    attrs = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    attrs = {key: value.decode() if isinstance(value, bytes) else value for key, value in attrs.items()}
    domain = "" if node.domain == "ai.onnx" else node.domain
    return Node(node.op_type, node.name or (node.output[0] if node.output else "node %d" % index), list(node.input),
                list(node.output), attrs, domain)


def _evaluate(onnx: Any, node: Any, values: dict[str, Array], model: Any) -> Optional[list[Array]]:
    """What a node of constants gives; None: it cannot be computed here."""
    random = node.op_type in _RANDOM or (node.op_type == "Dropout" and len(node.input) > 2)
    if random or any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for a in node.attribute):
        return None
    inputs = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(values[name].dtype),
                                                 values[name].shape) for name in dict.fromkeys(node.input) if name]
    outputs = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.UNDEFINED, None) for name in node.output if name]
    try:
        single = onnx.helper.make_model(onnx.helper.make_graph([node], "one", inputs, outputs), ir_version=8,
                                        opset_imports=model.opset_import)
        run = onnx.reference.ReferenceEvaluator(single)
        return [np.asarray(v) for v in run.run(None, {value.name: values[value.name] for value in inputs})]
    except Exception:  # of any kind: the node is not folded, and the message is that of who needs a constant
        return None


def _arrays(onnx: Any, model: Any, name: str) -> dict[str, Array]:
    """The initializers."""
    values: dict[str, Array] = {}
    for tensor in model.graph.initializer:
        try:
            if tensor.data_type not in onnx.TensorProto.DataType.values():
                raise ValueError("its type has the number %d, which the package onnx does not know" % tensor.data_type)
            values[tensor.name] = onnx.numpy_helper.to_array(tensor)
        except Exception as error:
            raise ModelError("%s: tensor %s: %s" % (name, tensor.name, error)) from error
    return values


def _constants(onnx: Any, model: Any, values: dict[str, Array]) -> list[Any]:
    """Computes what is constant; the nodes that are left. DequantizeLinear of a constant stays: its integers are wanted."""
    left = []
    sizes = {value.name: float(np.prod([max(dim.dim_value, 1) for dim in value.type.tensor_type.shape.dim], dtype=np.float64))
             for value in (*model.graph.value_info, *model.graph.output)}
    for node in model.graph.node:
        large = any(sizes.get(output, 0) > _FOLDED for output in node.output)
        if node.op_type != "DequantizeLinear" and not large and all(i in values or not i for i in node.input):
            found = _evaluate(onnx, node, values, model)
            if found is not None:
                values.update(zip([output for output in node.output if output], found))
                continue
        left.append(node)
    return left


def _take_weights(onnx: Any, model: Any) -> list[Any]:
    """Makes inputs of large initializers, so that checks need not carry them about; gives them."""
    large = [tensor for tensor in model.graph.initializer if tensor.ByteSize() > 4096]
    small = [tensor for tensor in model.graph.initializer if tensor.ByteSize() <= 4096]
    known = {value.name for value in model.graph.input}
    copies = [onnx.TensorProto.FromString(tensor.SerializeToString()) for tensor in small]
    del model.graph.initializer[:]
    model.graph.initializer.extend(copies)
    for tensor in large:
        if tensor.name not in known:
            model.graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
    return large


def _whole(onnx: Any, model: Any, large: list[Any]) -> bytes:
    """The model in one piece, its constants no inputs."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    made.graph.initializer.extend(large)
    constants = {tensor.name for tensor in made.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    del made.graph.input[:]
    made.graph.input.extend(inputs)
    made.ir_version = max(made.ir_version, 4)
    content: bytes = made.SerializeToString()
    return content


def _type_of(onnx: Any, value: Any, name: str) -> str:
    try:
        return str(onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
    except KeyError:
        raise ModelError("%s: %s: has no element type" % (name, value.name)) from None


def _select(model: Any, outputs: Sequence[str], name: str) -> None:
    """Makes these values the outputs of the graph, and leaves out the nodes that they do not need."""
    onnx = package()
    made = {output: node for node in model.graph.node for output in node.output}
    for wanted in outputs:
        if wanted not in made:
            raise ModelError("%s: outputs: no node gives %s" % (name, wanted))
    needed, stack = set(), list(outputs)
    while stack:
        node = made.get(stack.pop())
        if node is not None and id(node) not in needed:
            needed.add(id(node))
            stack.extend(node.input)
    kept = [node for node in model.graph.node if id(node) in needed]
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in kept]
    del model.graph.node[:]
    model.graph.node.extend(copies)
    known = {value.name: value for value in (*model.graph.value_info, *model.graph.output)}
    chosen = [known.get(wanted) or onnx.helper.make_tensor_value_info(wanted, onnx.TensorProto.FLOAT, None)
              for wanted in outputs]
    del model.graph.output[:]
    model.graph.output.extend(chosen)


def _infer(onnx: Any, model: Any, name: str) -> Any:
    """The model with the shapes of all values."""
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    try:
        return onnx.shape_inference.infer_shapes(model, data_prop=True, strict_mode=False)
    except Exception as error:
        raise ModelError("%s: shapes: %s" % (name, str(error).strip())) from error


def _inlined(onnx: Any, model: Any, name: str) -> Any:
    """The model with the nodes of its own functions in place of their calls."""
    if not model.functions:
        return model
    try:
        import onnx.inliner  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # of any kind; an older package has none
        raise ModelError("%s: functions: %s" % (name, str(error).strip())) from error


def _check_names(graph: Any) -> None:
    """Raises UnicodeDecodeError where a name is not UTF-8: of some such texts the package gives bytes."""
    names = [value.name for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer)]
    for node in graph.node:
        names += [node.name, node.op_type, node.domain, *node.input, *node.output, *(a.name for a in node.attribute)]
    for name in names:
        if isinstance(name, bytes):
            name.decode()


def read(source: Source, shapes: Optional[Shapes] = None,
         outputs: Optional[Sequence[str]] = None) -> tuple[Graph, Callable[[], bytes]]:
    """The graph of a file, and a function that gives the model as one piece, with the shapes given."""
    model, name = read_model(source)
    try:
        _check_names(model.graph)
        return _read(model, name, shapes, outputs)
    except UnicodeDecodeError as error:  # names are decoded when they are asked for
        raise ModelError("%s: a text in it is not UTF-8: %s" % (name, error)) from error


def _read(model: Any, name: str, shapes: Optional[Shapes],
          outputs: Optional[Sequence[str]]) -> tuple[Graph, Callable[[], bytes]]:
    onnx = package()
    opset = max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)
    if opset and not _FIRST <= opset <= onnx.defs.onnx_opset_version():
        raise ModelError("%s: is of operator set %d: %d to %d are supported, the latter by this version of the package onnx" % (
            name, opset, _FIRST, onnx.defs.onnx_opset_version()))
    model = _inlined(onnx, model, name)
    constants = _arrays(onnx, model, name)
    initial = set(constants)
    large = _take_weights(onnx, model)
    for value in model.graph.output:
        value.type.tensor_type.shape.SetInParent()  # it follows from the nodes
    try:
        onnx.checker.check_model(model)
    except Exception as error:
        raise ModelError("%s: %s" % (name, str(error).strip())) from error
    images = {value.type.tensor_type.shape.dim[0].dim_value for value in model.graph.input
              if value.name not in initial and value.type.tensor_type.shape.dim} - {0, 1}
    _given_shapes(model.graph, name, shapes or {}, initial)
    if images:
        _one_image(onnx, model, images)
        constants.update(_arrays(onnx, model, name))
    model = _infer(onnx, model, name)
    if outputs is not None:
        _select(model, [outputs] if isinstance(outputs, str) else list(outputs), name)
    nodes = _constants(onnx, model, constants)
    known: dict[str, tuple[int, ...]] = {key: value.shape for key, value in constants.items()}
    for value in (*model.graph.value_info, *model.graph.input, *model.graph.output):
        dims = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(dim.dim_value > 0 for dim in dims):
            known[value.name] = tuple(dim.dim_value for dim in dims)
    ins = {v.name: (_type_of(onnx, v, name), known[v.name]) for v in model.graph.input if v.name not in initial}
    for key, (dtype, shape) in ins.items():
        if dtype not in _TYPES:
            raise ModelError("%s: input %s: is %s, not one of %s" % (name, key, dtype, ", ".join(_TYPES)))
        if max(shape, default=1) > LARGEST:
            raise ModelError("%s: input %s: an axis of %d elements, more than %d" % (name, key, max(shape), LARGEST))
    outs = {v.name: (_type_of(onnx, v, name), known.get(v.name, ())) for v in model.graph.output}
    codes = {onnx.TensorProto.INT8: "int8", onnx.TensorProto.UINT8: "uint8"}
    types = {value.name: codes[value.type.tensor_type.elem_type] for value in (*model.graph.value_info, *model.graph.input)
             if value.type.tensor_type.elem_type in codes}
    graph = Graph([_node(onnx, node, i) for i, node in enumerate(nodes)], ins, outs, constants, known, opset, types=types)
    return graph, lambda: _whole(onnx, model, large)
