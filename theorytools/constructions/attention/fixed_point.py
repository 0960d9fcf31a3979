r"""How a one-layer attention model of one's own enters the protocol: under exact sums, or with a margin.

One head at a public last token adds up numerators :math:`e_j` and products :math:`e_jv_j` over the positions
:math:`j` and divides.  A lower bound by communication needs these sums to split between two parties, so a model comes
with one of two semantics:

* **E**, :class:`FixedPointAttention`: integers :math:`e_j\in\{1,\dots,2^p-1\}` and
  :math:`v_j\in[-2^{p-1},2^{p-1}-1]`, sums exact;
* **R**, :class:`MarginAttention`: real arithmetic, logits in :math:`[-S,S]`, values in :math:`[-V,V]`, and an answer
  that stays the same within sup-distance :math:`\tau` of every output.

Everything else is refused by name.  Sequential floating-point sums in particular depend on the order of the positions:
such a sum is itself a recurrent computation, to which neither bound applies.  A model becomes admissible by a subclass
that reads its weights; the example quantises a module with one weight and one value per position and token.  The
page ``docs/own_models.md`` goes on from here: messages counted, a wrong pair executed, margins, recurrent networks.

Examples
--------
>>> import torch
>>> import numpy as np
>>> class Tiny(torch.nn.Module):  # a user's own module: one head, logits and values from tables of shape (L, 2)
...     def __init__(self):
...         super().__init__()
...         self.logits = torch.nn.Parameter(torch.zeros(4, 2))
...         self.values = torch.nn.Parameter(torch.tensor([[-1.0, 1.0]] * 2 + [[1.0, -1.0]] * 2))
>>> class Fixed(FixedPointAttention):
...     def __init__(self, module, p):
...         e, v = module.logits.detach().double(), module.values.detach().double()
...         self.p, self.heads, self.width, self.length = p, 1, 1, len(e)
...         top = 2**p - 1  # a public reference: the largest logit of the table, not that of the input
...         self.e = np.rint(np.exp((e - e.max()).numpy()) * top).clip(1, top).astype(int)
...         self.v = np.rint(v.numpy()).astype(int)
...     def numerators(self, tokens):
...         return self.e[np.arange(self.length), tokens][..., None]
...     def values(self, tokens):
...         return self.v[np.arange(self.length), tokens][..., None, None]
...     def answer(self, N, D):
...         return N[:, 0, 0] == 0
>>> model = admitted(Fixed(Tiny(), p=2))
>>> model.execute(np.array([[0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 1, 0]]))  # 01 and 10 have one sum
array([ True, False,  True])
>>> admitted(Tiny())
Traceback (most recent call last):
    ...
theorytools.errors.DomainError: given:    plain floating-point accumulation (torch.float32) of the module Tiny
required: exact fixed point (semantics E) or bounds with a margin (semantics R)
why:      a float sum depends on the order of the positions, so it does not split between two parties
try:      a subclass of FixedPointAttention or of MarginAttention that reads the module's weights

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bounds, arXiv 2406.09347v1; the constants are derived here.
"""

from __future__ import annotations

import abc
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.arguments.values import checked_integer
from theorytools.errors import DomainError

Integers = NDArray[np.int64]
_SPLIT = "a float sum depends on the order of the positions, so it does not split between two parties"


@checked
class FixedPointAttention(abc.ABC):
    r"""One attention layer with exact integer sums, :math:`o=\sum_je_jv_j/\sum_je_j` (semantics E).

    A subclass sets the attributes, and gives numerators and values of all positions attended to, for ``tokens`` of
    shape ``(k, length)``.  They should depend on the token and the position only; where they depend on other tokens, as
    in a second layer, the protocol does not reproduce the answer, and says so.

    Attributes
    ----------
    p : bits of a numerator and of a value, ``length * 4**p < 2**62``.
    heads, width : number of heads and value width :math:`d_v`.
    length : positions attended to.

    Examples
    --------
    >>> class Parity(FixedPointAttention):  # of the number of ones, with uniform weights
    ...     p, heads, width, length = 2, 1, 1, 4
    ...     def numerators(self, tokens):
    ...         return np.ones((len(tokens), 4, 1), dtype=int)
    ...     def values(self, tokens):
    ...         return tokens[..., None, None]
    ...     def answer(self, N, D):
    ...         return N[:, 0, 0] % 2
    >>> Parity().execute(np.array([[1, 0, 1, 1], [1, 1, 0, 0]]))
    array([1, 0])
    """

    semantics: ClassVar[str] = "E"
    p: int
    heads: int
    width: int
    length: int

    @abc.abstractmethod
    def numerators(self, tokens: Integers) -> Integers:
        r"""Return :math:`e_j\in\{1,\dots,2^p-1\}`, integers of shape ``(k, length, heads)``."""

    @abc.abstractmethod
    def values(self, tokens: Integers) -> Integers:
        r"""Return :math:`v_j\in[-2^{p-1},2^{p-1}-1]`, integers of shape ``(k, length, heads, width)``."""

    @abc.abstractmethod
    def answer(self, N: Integers, D: Integers) -> NDArray[Any]:
        """Return the answers ``(k,)`` from ``N`` ``(k, heads, width)`` and ``D`` ``(k, heads)``; each row by itself."""

    @ranks(positions=1)
    def sums(self, tokens: Integers, positions: Any = slice(None)) -> tuple[Integers, Integers]:
        r"""Return :math:`N=\sum_je_jv_j` and :math:`D=\sum_je_j` over some positions.

        Parameters
        ----------
        tokens : inputs, shape ``(k, length)``.
        positions : those summed over; all unless given.

        Returns
        -------
        tuple of arrays : integers of shapes ``(k, heads, width)`` and ``(k, heads)``.

        Raises
        ------
        DomainError
            For numerators or values that are not integers of the declared range and shape.
        """
        k, top = len(tokens), 1 << (self.p - 1)
        e = _integers(self.numerators(tokens), "numerators", (k, self.length, self.heads), 1, 2 * top - 1)
        v = _integers(self.values(tokens), "values", (k, self.length, self.heads, self.width), -top, top - 1)
        e, v = e[:, positions], v[:, positions]
        return (e[..., None] * v).sum(axis=1), e.sum(axis=1)

    def execute(self, tokens: Integers) -> NDArray[Any]:
        """Run the model on whole inputs ``(k, length)``; override it with the module's own forward pass.

        Parameters
        ----------
        tokens : inputs, shape ``(k, length)``.

        Returns
        -------
        array : the answers, shape ``(k,)``.
        """
        return self.answer(*self.sums(tokens))


@checked
class MarginAttention(abc.ABC):
    """One softmax layer in real arithmetic whose answer has a margin (semantics R).

    A subclass sets the attributes.  Logits and values are exact numbers: integers, Fractions, or doubles taken at their
    word.

    Attributes
    ----------
    heads, width, length : number of heads, value width and positions attended to.
    S, V : bounds of the moduli of logits and of values.
    tau : the margin: the answer is constant within closed sup-distance ``tau`` of every attained output.

    Examples
    --------
    >>> from theorytools.constructions.attention.attention_tables import MarginEquality
    >>> net = MarginEquality(3, Fraction(1, 32))
    >>> [str(value) for value in net.values(np.array([[0, 1, 1, 0, 1, 0]])).flat]
    ['-1', '1/2', '1/4', '1', '-1/2', '1/4']
    """

    semantics: ClassVar[str] = "R"
    heads: int
    width: int
    length: int
    S: Fraction
    V: Fraction
    tau: Fraction

    @abc.abstractmethod
    def logits(self, tokens: Integers) -> NDArray[Any]:
        """Return logits in ``[-S, S]``, shape ``(k, length, heads)``."""

    @abc.abstractmethod
    def values(self, tokens: Integers) -> NDArray[Any]:
        """Return values in ``[-V, V]``, shape ``(k, length, heads, width)``."""


@checked
def admitted(model: Any) -> Any:
    """Return a model whose semantics is one of the two; refuse any other by its name.

    Raises
    ------
    DomainError
        For a bare torch module, a floating-point semantics, and anything that does not say what its sums are.
    """
    if isinstance(model, FixedPointAttention) and model.semantics == "E":
        for name in ("p", "heads", "width", "length"):
            checked_integer(name, getattr(model, name, None), least=1, why="the sizes enter the number of bits")
        if model.length << (2 * model.p) >= 1 << 62:
            limit = "length * 4^p < 2^62"
            raise DomainError(f"p = {model.p}, length = {model.length}", required=limit, why="sums are 64-bit integers")
        return model
    if isinstance(model, MarginAttention) and model.semantics == "R":
        if not (model.tau > 0 and model.V > 0 and model.S >= 0):
            given = f"tau = {model.tau}, V = {model.V}, S = {model.S}"
            raise DomainError(given, required="tau > 0, V > 0, S >= 0", why="without a margin no message is finite")
        return model
    raise DomainError(
        _described(model), required="exact fixed point (semantics E) or bounds with a margin (semantics R)",
        why=_SPLIT, advice="a subclass of FixedPointAttention or of MarginAttention that reads the module's weights",
    )  # fmt: skip


def _described(model: Any) -> str:
    name = type(model).__name__
    if any(base.__module__.startswith("torch.nn") for base in type(model).__mro__):
        kinds = ", ".join(sorted({str(weights.dtype) for weights in model.parameters()})) or "no parameters"
        return f"plain floating-point accumulation ({kinds}) of the module {name}"
    semantics = getattr(model, "semantics", None)
    return f"{name} without a semantics" if semantics is None else f"{name} with semantics {semantics!r}"


def _integers(array: Any, what: str, shape: tuple[int, ...], low: int, high: int) -> Integers:
    given = np.asarray(array)
    if given.dtype.kind not in "iu":
        raise DomainError(f"{what} of type {given.dtype}", required="integers", why=_SPLIT, advice="quantise them")
    if given.shape != shape:
        raise DomainError(f"{what} of shape {given.shape}", required=f"{shape}", why="one for each position and head")
    if given.size and not (low <= given.min() and given.max() <= high):
        raise DomainError(
            f"{what} from {given.min()} to {given.max()}",
            required=f"from {low} to {high}",
            why="p bits: the range enters the number of messages",
        )
    return given.astype(np.int64, copy=False)
