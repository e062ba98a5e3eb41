"""Gradients of DepthToSpace, SpaceToDepth, ReverseSequence and Trilu."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN

from .registry import NONE_IN_ORT, gradient
from .scope import Scope


@gradient("DepthToSpace", differs=NONE_IN_ORT)
def depth_to_space(s: Scope) -> None:
    """dX = SpaceToDepth(dY), which numbers channels as DCR does; for CRD they are put in that order."""
    blocksize = s.attribute("blocksize", 1)
    if s.attribute("mode", "DCR") == "DCR":
        s.emit("SpaceToDepth", [s.GO(0)], [s.GI(0)], blocksize=blocksize)
        return
    channels = s.shape(s.I(0))[1]
    if not isinstance(channels, int):
        raise InvalidInputError(f"The gradient of {s.node.label} must know the number of channels; give {s.I(0)!r} a fixed one.")
    s.refuse_huge(channels)
    order = np.arange(channels).reshape(blocksize**2, -1).T.ravel()
    blocks = s.emit("SpaceToDepth", [s.GO(0)], [s.helper("blocks")], blocksize=blocksize)
    s.emit("Gather", [blocks, s.constant("channel_order", order)], [s.GI(0)], axis=1)


@gradient("SpaceToDepth", differs=NONE_IN_ORT)
def space_to_depth(s: Scope) -> None:
    """dX = DepthToSpace(dY) in the same mode."""
    s.emit("DepthToSpace", [s.GO(0)], [s.GI(0)], copied=s.node.attributes)


@gradient("ReverseSequence", stop=(1,), differs=NONE_IN_ORT)
def reverse_sequence(s: Scope) -> None:
    """dX = dY with the same steps reversed again."""
    s.emit("ReverseSequence", [s.GO(0), s.I(1)], [s.GI(0)], copied=s.node.attributes)


@gradient("Trilu", stop=(1,))
@gradient("Trilu", domain=MS_DOMAIN, stop=(1,))
def trilu(s: Scope) -> None:
    """dX = the same triangle of dY."""
    s.emit("Trilu", [s.GO(0), *s.node.inputs[1:]], [s.GI(0)], domain=s.node.domain, copied=s.node.attributes)
