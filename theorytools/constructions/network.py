r"""What a network of this package can do, under the same names for every construction.

A network is one function with several evaluators.  :class:`Network` names them, and a construction that lacks one says
so and why (:func:`absent`): reading the member is then an error with that reason, and ``hasattr`` is False.  What binds
the evaluators together is checked by :func:`theorytools.constructions.conformance.check_network`.

Floats are compared by derived bounds only.  With the unit roundoff :math:`u` of a type and
:math:`\gamma_k=ku/(1-ku)`, a sum of :math:`k` products is off by at most :math:`\gamma_k` times the sum of their
moduli, in whatever order it is summed (Higham 2002, section 3.1).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.blocks.facts import Fact
from theorytools.errors import AbsentError, DomainError
from theorytools.numbers import Enclosure, at_precision, float_upper

if TYPE_CHECKING:
    import torch


DOUBLE, SINGLE = 2.0**-53, 2.0**-24  # unit roundoffs
LARGEST = 16.0  # of drawn normals: numpy's ziggurat ends at r - log(2^-53) / r < 13.8 with r = 3.65


class Network(ABC):
    """A function with explicit weights, its evaluators, what is proved of it, and its sizes.

    Every member is either defined or declared :func:`absent` by a subclass; one that is silent cannot be made.  The
    inputs are those of the task, numpy arrays whose first axis counts prompts; numbers among them may be integers, and
    integers are what all evaluators take.

    References
    ----------
    Higham (2002), Accuracy and Stability of Numerical Algorithms, SIAM, for the bounds of :meth:`rounding`.

    Examples
    --------
    >>> from theorytools.papers.sep import OneLayerEquality
    >>> net = OneLayerEquality(2)
    >>> isinstance(net, Network), net.exact([[0, 1, 0, 1]]), hasattr(net, "certificate")
    (True, [Fraction(0, 1)], False)
    """

    facts: ClassVar[tuple[Fact, ...]] = ()  # closed forms, invariants, gauges; each agrees with an evaluator

    @abstractmethod
    def __call__(self, *inputs: Any, **options: Any) -> NDArray[Any]:
        """Return the outputs in float64; integer networks return integers for integers."""

    @abstractmethod
    def exact(self, *inputs: Any, **options: Any) -> Any:
        """Return the outputs in exact arithmetic, nested sequences or an array of the shape of a call.

        Parameters
        ----------
        inputs, options : those of a call; numbers are integers or Fractions.

        Returns
        -------
        sequence or array : integers and Fractions, or enclosures at the ambient precision where a number is irrational.
        """

    @abstractmethod
    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the distance of an evaluation in floats from :meth:`exact`.

        It holds for any order of the sums, and for the module too, where no number overflows the type.

        Parameters
        ----------
        size : bound on the moduli of the inputs, integers.
        u : unit roundoff of the floats, :math:`2^{-53}` for doubles.

        Returns
        -------
        float : infinite where nothing is proved.
        """

    @abstractmethod
    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a torch module of the same function.

        Parameters
        ----------
        dtype : type of the weights; float64 unless given.
        device : where they are kept.

        Returns
        -------
        torch.nn.Module : trainable where the network has weights.
        """

    @abstractmethod
    def certificate(self, *assumptions: Any) -> Any:
        """Return a proved bound on the distance of the outputs from the task's answers.

        Parameters
        ----------
        assumptions : what the inputs are assumed to satisfy, such as a bound on their norms.

        Returns
        -------
        Recipe or number : in the units of the outputs.
        """

    @abstractmethod
    def norms(self) -> Mapping[str, Any]:
        """Return the exact Frobenius norm of each array of weights, under its name in the module."""

    @abstractmethod
    def sizes(self) -> Mapping[str, int]:
        """Return the sizes that theorems speak of: ``width``, ``heads``, ``bits``, ``parameters``, where defined."""


class Absent:
    """A member that a construction does not have, with the reason."""

    def __init__(self, reason: str) -> None:
        self.reason, self.name = reason, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Absent:
        if instance is None:
            return self
        raise AbsentError(f"{owner.__name__}.{self.name}", required="a member this network has", why=self.reason)


@checked
def absent(reason: str) -> Any:
    """Return what stands for a member that a class does not have: a class sets the member's name to it.

    Parameters
    ----------
    reason : why the class has no such member; it is shown where the member is asked for.

    Returns
    -------
    Any : the stand-in.

    Examples
    --------
    >>> class Sum:
    ...     norms = absent("it has no weights")
    >>> hasattr(Sum(), "norms")
    False
    """
    return Absent(reason)


@checked
def changed(net: Any, **weights: Any) -> Any:
    """Return a copy with some weights replaced, none of them checked: a spoiled twin for a control or a test.

    Parameters
    ----------
    net : a network or any other construction.
    weights : its fields, or numbers that it derives from them and keeps (``cached_property``); what is derived from
        the replaced ones is derived anew.

    Returns
    -------
    Any : the copy, of the class of ``net``.

    Raises
    ------
    DomainError : a name that is neither.

    Examples
    --------
    >>> from theorytools.papers.sep import OneLayerEquality
    >>> import numpy as np
    >>> net = OneLayerEquality(2)
    >>> changed(net, weights=np.array([1, 1, -1, -1])).execute(np.array([[0, 1, 1, 0]]))
    array([ True])
    """
    if not hasattr(net, "__dict__") or isinstance(net, type):
        raise DomainError(f"{type(net).__name__}", required="a construction", why="a control replaces its weights")
    derived = {name for kind in type(net).__mro__ for name, value in vars(kind).items() if _is_derived(value)}
    given = {name for name in vars(net) if name not in derived}
    if unknown := sorted(set(weights) - given - derived):
        raise DomainError(
            f"{', '.join(unknown)} of {type(net).__name__}",
            required=f"among {sorted(given | derived)}",
            why="a control replaces weights",
        )
    before = vars(net).get("_changed", {})
    twin = object.__new__(type(net))
    vars(twin).update({name: vars(net)[name] for name in given} | before | weights)
    vars(twin)["_changed"] = {name: value for name, value in (before | weights).items() if name in derived}
    return twin


def _is_derived(value: Any) -> bool:
    return isinstance(value, cached_property)


# -- bounds on what floats do ------------------------------------------------------------------------------------------
def gamma(k: float, u: float) -> float:
    r"""Return :math:`\gamma_k=ku/(1-ku)`, infinite from :math:`ku\ge1` on."""
    return k * u / (1 - k * u) if k * u < 1 else math.inf


def weights_rounding(
    score: float, terms: int, keys: int, u: float, *, inherited: float = 0.0, leak: float = 1.0, each: int = 13
) -> float:  # fmt: skip
    r"""Return a bound on :math:`\sum_j|\hat w_j-w_j|` for softmax weights :math:`w` computed in floats.

    A score is a sum of ``terms`` products of weights and inputs, whose moduli sum to at most ``score``; a product is
    rounded ``each`` times at most, its factors included: three factors that were rounded three times, and two products
    and a share of the scale, unless told otherwise.  So a score is off by
    :math:`\delta\le\gamma_{terms-1+each}\,score+\text{inherited}`.  That the
    largest score is subtracted moves all alike but for the rounding, :math:`2u(score+\delta)`; an exponential is off by
    4 units.  So the weights are those of scores off by :math:`\kappa=\delta+2u(score+\delta)+\gamma_4`.

    *What that moves.*  The derivative of softmax along :math:`v`, :math:`|v_j|\le\kappa`, has entries
    :math:`w_j(v_j-\sum_iw_iv_i)`; the sum of their moduli is convex in :math:`v`, hence largest at signs times
    :math:`\kappa`, where it is :math:`4p(1-p)\kappa` with :math:`p` the weight of the signs +.  This is at most
    :math:`\kappa`, and at most :math:`4L\kappa` where one weight is at least :math:`1-L`; on the way from the exact to
    the computed scores :math:`L` grows by at most :math:`e^{2\kappa}`.

    A sum of ``keys`` exponentials and the quotient are off by :math:`\gamma_{keys}`; :math:`\gamma_{keys+1}` are left
    for the average of values, stored in the type, by these weights; what underflows is below :math:`u^5`.

    Parameters
    ----------
    score, terms, keys : a bound on scores, how many products each sums, and how many there are.
    u : the unit roundoff.
    inherited : by how much the scores are off before.
    leak : a bound :math:`L` on the weight outside one key, for all prompts.
    each : how often a product is rounded, with its factors.
    """
    delta = gamma(terms - 1 + each, u) * score + inherited
    kappa = delta + 2 * u * (score + delta) + gamma(4, u)
    if not kappa < 1:
        return math.inf
    moved = kappa * min(1.0, 4 * leak * math.exp(2 * kappa))
    return moved + (1 + moved) * gamma(2 * keys + 1, u) + keys * u**5


def upper_leak(leakage: Callable[[], Enclosure]) -> float:
    """Return a leakage as ``leak`` of :func:`weights_rounding` takes it; 1, which says nothing, where there is none."""
    try:
        return min(1.0, float_upper(at_precision(64, leakage).upper))
    except DomainError:
        return 1.0


def layers_rounding(layers: Iterable[tuple[Any, Any]], size: float, u: float) -> float:
    r"""Return a bound for a ReLU network in floats; 0 where weights and inputs are integers and all sums stay exact.

    ``layers`` are pairs of weights and biases (None for none), :math:`v\mapsto Wv+b`, with ReLU in between.  With
    :math:`s_0` the ``size`` of inputs, :math:`s_l=\max_i\sum_j|W_{ij}|s_{l-1}+|b_i|` bounds every partial sum and
    :math:`e_l=\max_i\sum_j|W_{ij}|e_{l-1}+\gamma_{k+3}s_l` the error, ``k`` terms and weights rounded at most twice.
    """
    error, whole = 0.0, True
    for W, b in layers:
        A = np.abs(np.asarray(W, dtype=np.float64))
        bias = np.zeros(len(A)) if b is None else np.abs(np.asarray(b, dtype=np.float64))
        rows = A.sum(axis=1)
        whole = whole and np.asarray(W).dtype.kind in "iu" and (b is None or np.asarray(b).dtype.kind in "iu")
        size = float((rows * size + bias).max(initial=0))
        error = float(rows.max(initial=0)) * error + gamma(A.shape[1] + 4, u) * size
        if whole and size * u <= 1:
            error = 0.0
    return error
