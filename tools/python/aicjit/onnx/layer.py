"""A layer: what nodes of a graph become, and kernels are made from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Optional

from .._blocks import PLAIN, Act, Window
from .._program import Array, Floats
from .graph import Node, Quant, Refused

Image = tuple[int, int, int]


@dataclass(eq=False)
class Layer:
    """A step of the network: kind says which fields count."""

    kind: str
    nodes: list[Node]
    inputs: list[str]
    outputs: list[str]
    image: Image
    window: Window = field(default_factory=Window)
    weight: Optional[Floats] = None  # conv: [O, I, Kh, Kw]
    bias: Optional[Floats] = None
    integers: Optional[tuple[Array, Quant]] = None  # conv: the weights as the file has them
    gain: Optional[Floats] = None  # affine
    shift: Optional[Floats] = None
    act: Act = PLAIN
    include_pad: bool = False  # average
    factor: int = 1  # shuffle
    crd: bool = False
    linear: Optional[str] = None  # resize: by which coordinates values between pixels are mixed; None: the nearest one
    order: tuple[int, ...] = ()  # pick: the channels of the input that the output has
    residual: Optional[str] = None  # conv: a value that is added before act
    op: str = ""  # pair: of arithmetic; curve: Sigmoid, Tanh, Silu

    @property
    def name(self) -> str:
        return self.nodes[0].name


def along(quant: Quant, axis: int) -> Quant:
    """The scales of weights, which are those of outputs, whose axis this is, or one for all."""
    if quant.scale.size > 1 and quant.axis != axis:
        raise Refused("weights with a scale for each input")
    return replace(quant, axis=0)


def sized(what: str, values: Optional[Array], *sizes: int) -> None:
    """Raises where there are other than so many numbers."""
    if values is not None and values.size not in sizes:
        raise Refused("%s of %d numbers, not %d" % (what, values.size, sizes[-1]))
