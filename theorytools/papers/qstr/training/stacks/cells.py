r"""The three recurrent cells: one step forward in place, and one step of the gradient backward in place.

With :math:`a=W_{ih}x+b_{ih}` and :math:`s=W_{hh}h+b_{hh}`, cut into as many blocks of the width as the cell has gates,

- GRU: :math:`r,z=\sigma(a+s)`, :math:`n=\tanh(a_n+r\odot s_n)`, :math:`h'=(1-z)\odot n+z\odot h`;
- LSTM: :math:`i,f,o=\sigma(a+s)`, :math:`g=\tanh(a_g+s_g)`, :math:`c'=f\odot c+i\odot g`, :math:`h'=o\odot\tanh c'`;
- ReLU: :math:`h'=\max(a+s,0)`.

Arrays are ``(…, B, k H)`` with an optional leading axis of groups.  A cell with a slot for each time step keeps what
the way back needs; a cell with one slot forgets, and an evaluation needs no more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import torch

from theorytools.papers.qstr.training.stacks.maps import Maps, affine, product, rows

Allocate = Callable[..., torch.Tensor]
sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
tanh_backward = torch.ops.aten.tanh_backward.grad_input


def tanh_(x: torch.Tensor) -> torch.Tensor:
    r"""Put :math:`\tanh x=2\sigma(2x)-1` in place of ``x``.

    The error is a few roundings of 1; on a CPU it takes a third of the time of ``tanh``.
    """
    if x.device.type != "cpu":
        return x.tanh_()
    return x.mul_(2).sigmoid_().mul_(2).sub_(1)


class Cell(ABC):
    r"""Buffers of a cell for some time steps.

    Parameters
    ----------
    width : the width ``H`` of the state.
    allocate : ``allocate(k)`` gives an array ``(…, slots, B, k H)``, ``allocate(k, slots)`` one of so many slots.

    Attributes
    ----------
    sums : :math:`a+s`, then the gates, and after the way back the gradient of :math:`s`.
    """

    gates: ClassVar[int]

    def __init__(self, width: int, allocate: Allocate) -> None:
        self.width, self.sums, self.first = width, allocate(self.gates), True

    def enter(self, Z: torch.Tensor, maps: Maps) -> None:
        """Begin all slots with the part of the inputs ``Z`` ``(…, slots B, D)``."""
        affine((maps.b_ih + maps.b_hh)[..., None, :], Z, maps.ih.transpose(-1, -2), rows(self.sums))

    def step(self, k: int, h: torch.Tensor, W: torch.Tensor | None, out: torch.Tensor) -> torch.Tensor:
        r"""Write the state after slot ``k`` to ``out``, which may be ``h`` itself.

        ``W`` is :math:`W_{hh}^\top`, or None at the first step, where ``h = 0``.
        """
        s, self.first = self.sums[..., k, :, :], W is None
        return self.advance(k, s if W is None else affine(s, h, W, s), h, out)

    @abstractmethod
    def advance(self, k: int, s: torch.Tensor, h: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """Write the next state to ``out``, given the complete sums of slot ``k``."""

    @abstractmethod
    def retreat(self, k: int, h: torch.Tensor, dh: torch.Tensor) -> torch.Tensor | None:
        r"""Turn slot ``k`` into gradients, given that of its state; return what reaches ``h`` other than by ``s``."""

    def leave(self, Z: torch.Tensor, gradients: Maps) -> None:
        """Write the gradients of the biases and of the map of the inputs; the last column of ``Z`` is 1."""
        da = product(Z.transpose(-1, -2), rows(self.sums)).transpose(-1, -2)
        gradients.ih.copy_(da[..., :-1])
        gradients.b_ih.copy_(da[..., -1])
        gradients.b_hh.copy_(da[..., -1])


class GRU(Cell):
    """Gates in the order reset, update, candidate; :math:`n` has an array of its own."""

    gates = 3

    def __init__(self, width: int, allocate: Allocate) -> None:
        super().__init__(width, allocate)
        self.candidates, self.scratch = allocate(1), allocate(2, 1)[..., 0, :, :]

    def enter(self, Z: torch.Tensor, maps: Maps) -> None:
        """Begin all slots with the part of the inputs."""
        cut, W, s = 2 * self.width, maps.ih.transpose(-1, -2), rows(self.sums)
        affine((maps.b_ih + maps.b_hh)[..., None, :cut], Z, W[..., :cut], s[..., :cut])
        affine(maps.b_ih[..., None, cut:], Z, W[..., cut:], rows(self.candidates))
        s[..., cut:] = maps.b_hh[..., None, cut:]

    def advance(self, k: int, s: torch.Tensor, h: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """One step of the GRU."""
        cut, n = 2 * self.width, self.candidates[..., k, :, :]
        r, z = s[..., :cut].sigmoid_().chunk(2, -1)
        tanh_(n.addcmul_(r, s[..., cut:]))
        return torch.lerp(n, h, z, out=out)

    def retreat(self, k: int, h: torch.Tensor, dh: torch.Tensor) -> torch.Tensor:
        r"""One step back, from :math:`h'=n+z\odot(h-n)`."""
        s, n, cut = self.sums[..., k, :, :], self.candidates[..., k, :, :], 2 * self.width
        gates, s_n = s[..., :cut], s[..., cut:]
        (r, z), (dr, dz) = gates.chunk(2, -1), self.scratch.chunk(2, -1)
        carried = dh * z
        torch.sub(h, n, out=dz).mul_(dh)
        tanh_backward(dh.sub_(carried), n, grad_input=n)
        torch.mul(n, s_n, out=dr)
        torch.mul(n, r, out=s_n)
        sigmoid_backward(self.scratch, gates, grad_input=gates)
        return carried

    def leave(self, Z: torch.Tensor, gradients: Maps) -> None:
        """Write the gradients of the biases and of the map of the inputs."""
        cut, s, inputs = 2 * self.width, rows(self.sums), Z.transpose(-1, -2)
        for part, where in ((s[..., :cut], slice(cut)), (rows(self.candidates), slice(cut, None))):
            da = product(inputs, part).transpose(-1, -2)
            gradients.ih[..., where, :] = da[..., :-1]
            gradients.b_ih[..., where] = da[..., -1]
        gradients.b_hh[..., :cut] = gradients.b_ih[..., :cut]
        torch.sum(s[..., cut:], -2, out=gradients.b_hh[..., cut:])


class LSTM(Cell):
    """Gates in the order input, forget, candidate, output."""

    gates = 4

    def __init__(self, width: int, allocate: Allocate) -> None:
        super().__init__(width, allocate)
        self.memories, self.bounded = allocate(1), allocate(1)  # c and tanh c after each slot
        self.carried: torch.Tensor | None = None

    def advance(self, k: int, s: torch.Tensor, h: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """One step of the LSTM."""
        s[..., : 2 * self.width].sigmoid_()
        i, f, g, o = s.chunk(4, -1)
        o.sigmoid_()
        tanh_(g)
        c, bounded = self.memories[..., k, :, :], self.bounded[..., k, :, :]
        if self.first:
            torch.mul(i, g, out=c)
        else:
            before = self.memories[..., k - 1, :, :] if k else c  # the only slot
            torch.mul(before, f, out=c).addcmul_(i, g)
        tanh_(bounded.copy_(c))
        return torch.mul(o, bounded, out=out)

    def retreat(self, k: int, h: torch.Tensor, dh: torch.Tensor) -> None:
        r"""One step back; the gradient of :math:`c` is carried from step to step."""
        bounded = self.bounded[..., k, :, :]
        i, f, g, o = self.sums[..., k, :, :].chunk(4, -1)
        dc = torch.ops.aten.tanh_backward(dh * o, bounded)
        if self.carried is not None:
            dc.add_(self.carried)
        self.carried = dc * f if k else None
        sigmoid_backward(dh.mul_(bounded), o, grad_input=o)
        di = dc * g
        tanh_backward(dc * i, g, grad_input=g)
        sigmoid_backward(di, i, grad_input=i)
        if k:
            sigmoid_backward(dc.mul_(self.memories[..., k - 1, :, :]), f, grad_input=f)
        else:
            f.zero_()  # the first step forgets c = 0


class ReLU(Cell):
    """No gates."""

    gates = 1

    def advance(self, k: int, s: torch.Tensor, h: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """One step of the ReLU network."""
        return torch.clamp_min(s, 0, out=out)

    def retreat(self, k: int, h: torch.Tensor, dh: torch.Tensor) -> None:
        """One step back: the gradient passes where the sum is positive."""
        s = self.sums[..., k, :, :]
        torch.mul(dh, s > 0, out=s)


CELLS: dict[str, type[Cell]] = {"gru": GRU, "lstm": LSTM, "rnn": ReLU}
