r"""Two layers of attention follow a pointer to a pointer: the token :math:`x_{t_{t_i}}`, for all pointers at once.

Layer 1 is that of Lemma 11: position ``i`` attends to :math:`t_i`, and its values hand on the index slot, not the
token.  Layer 2 compares what arrived with the own codes,

.. math:: r_i=\sum_j\pi^{(1)}_{ij}\omega_{t_j},\qquad \pi^{(2)}_{ij}\propto e^{\beta_2\langle r_i,\omega_j\rangle},
          \qquad f_i=\sum_j\pi^{(2)}_{ij}x_j .

*Leakage.*  Let :math:`a=t_i`, :math:`s=t_a`, let :math:`L_a\le L_1` be the leakage of layer 1 and
:math:`S=\sum_{j\ne s}e^{\beta_2\langle r_i,\omega_j-\omega_s\rangle}`: the weight outside ``s`` is :math:`S/(1+S)`.  As
:math:`r_i\in(1-L_a)\omega_s+L_a\operatorname{conv}\{\omega_k\}` and ``S`` is convex in :math:`r_i`,

.. math:: S\le\max_kS_{sk}(L_a),\qquad
          S_{sk}(L)=\sum_{j\ne s}e^{\beta_2[(1-L)(G_{sj}-1)+L(G_{kj}-G_{ks})]} .

:math:`\max_kS_{sk}` is convex in ``L`` and at least :math:`S_{ss}=S_{sk}(0)`, hence non-decreasing: :math:`L_1` may
stand for :math:`L_a`.  The exponent of :math:`j=k` is :math:`-\beta_2(1-2L)(1-G_{sk})`, the others are at most
:math:`-\beta_2(1-\rho-L(1-\rho_{\min}))`, :math:`\rho_{\min}=\min_{i\ne j}G_{ij}`; so for :math:`L_1\le\frac12`

.. math:: S\le e^{-\beta_2(1-\rho)(1-2L_1)}+(N-2)e^{-\beta_2(1-\rho-L_1(1-\rho_{\min}))} .

Equiangular codes attain both bounds: all leaked weight points to ``a`` itself.

References
----------
Derived here, from the construction of Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked, ranks
from theorytools.blocks import network as form
from theorytools.blocks.facts import Fact
from theorytools.blocks.lookups import copied, looked_up
from theorytools.claims.language.estimate import Recipe, enclosed
from theorytools.codes.duplicates import has_duplicates
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.layer import AttentionLayer, softmax
from theorytools.constructions.attention.leakage import checked_radius
from theorytools.constructions.attention.temperature import sufficient_temperature
from theorytools.constructions.network import DOUBLE, Network, absent, upper_leak, weights_rounding
from theorytools.constructions.shapes import exact_array, in_range, indices, shaped
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, ball_matmul, evaluate, total
from theorytools.numbers.softmax import exact_number
from theorytools.tasks.sparse_regression import checked_prompts

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Pointers = NDArray[np.int64]
TABLE = 2**26  # products of codes that are held


def least_product(code: Code) -> Fraction:
    r"""Return :math:`\rho_{\min}=\min_{i\ne j}G_{ij}`."""
    if isinstance(code, SignCode):  # no table of counts
        return Fraction(code.d_e - 2 * code.maximum_distance(), code.d_e)
    return Fraction(int(min(code.gram_counts()[0])), code.gram_denominator)


@checked
def two_step_temperatures(code: Code, leakage: Real) -> tuple[sympy.Expr, sympy.Expr]:
    r"""Return inverse temperatures of the two layers at which at most ``leakage`` escapes, for all pointers.

    .. math:: \beta_1=\frac{\log((N-1)(1/\lambda-1))}{1-\rho},\quad
              \lambda=\min\Bigl(\tfrac14,\frac{1-\rho}{2(1-\rho_{\min})}\Bigr),\qquad
              \beta_2=\frac{2\log((N-1)(1/\delta-1))}{1-\rho} ,

    since then both exponents of the bound are at least :math:`\beta_2(1-\rho)/2`.

    The first does not depend on the error :math:`\delta`; the second is twice that of a one-step look-up.

    Raises
    ------
    DomainError
        If ``leakage`` is not positive, or two codes are equal.

    Examples
    --------
    >>> from theorytools import hadamard
    >>> two_step_temperatures(hadamard(8), Fraction(7, 23))
    (log(21), 2*log(16))
    """
    second = 2 * sufficient_temperature(code, leakage)  # first: it refuses equal codes
    share = min(Fraction(1, 4), (1 - code.coherence()) / (2 * (1 - least_product(code))))
    return sufficient_temperature(code, share), second


def equiangular_leakage(net: TwoStepAttention) -> Enclosure:
    r"""Return the bound above at the exact :math:`L_1`; where all products are equal, it is attained."""
    gap, L, beta = 1 - net.codes.coherence(), net.first_leakage(), evaluate(exact_number(net.beta_2, "beta_2"))
    S = (-beta * gap * (1 - 2 * L)).exp() + (net.N - 2) * (-beta * gap * (1 - L)).exp()
    return S / (1 + S)


def _equiangular(net: TwoStepAttention) -> bool:
    return net.N <= 64 and net.codes.coherence() == least_product(net.codes)


@checked
@dataclass(frozen=True)
class TwoStepAttention(Network):
    r"""Two layers, one head each, on tokens :math:`z_i=(x_i,\sqrt d\,(\omega_i,\omega_{t_i},0))`; the free slot holds
    :math:`\sqrt d\,r_i` after layer 1.

    Parameters
    ----------
    codes : unit position codes.
    beta_1, beta_2 : effective inverse temperatures of the layers, exact positive numbers.
    d : token dimension.

    Raises
    ------
    DomainError
        For a temperature that is not positive, ``d < 1``, equal codes.

    References
    ----------
    Derived here, from the construction of Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1.

    Examples
    --------
    >>> from theorytools import hadamard
    >>> net = TwoStepAttention(hadamard(8), 12, 24, d=2)
    >>> T = np.array([[3, 5, 5, 6, 0, 1, 2, 2]])  # position 0 points to 3, and 3 to 6
    >>> np.round(net(np.arange(16.0).reshape(1, 8, 2), T)[0, 0], 2)
    array([12., 13.])
    """

    codes: Code
    beta_1: Real
    beta_2: Real
    d: int = 1

    facts: ClassVar[tuple[Fact, ...]] = (
        Fact("leakage", equiangular_leakage, lambda net: net.worst_leakage(), "worst case", _equiangular),
        Fact("leakage of extremal pointers", equiangular_leakage, lambda net: net.escaped(*net.extremal()), "exact",
             _equiangular),
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("beta_1", "beta_2"):
            if not exact_number(getattr(self, name), name).is_positive:
                raise DomainError(f"{name} = {getattr(self, name)}", required=f"{name} > 0")
        if self.d < 1:
            raise DomainError(f"d = {self.d}", required="d >= 1")
        if has_duplicates(self.codes):
            raise DomainError(
                "codes of which two are equal",
                required="distinct codes",
                why="two positions with one code share the attention",
            )

    @property
    def N(self) -> int:
        """Sequence length."""
        return self.codes.N

    @cached_property
    def handed(self) -> str:
        """The slot that layer 1 hands on, the index; its own code would stay where it is."""
        return "index"

    @cached_property
    def asked(self) -> str:
        """The slot that layer 2 compares, what layer 1 wrote into the free one; the index would undo layer 1."""
        return "free"

    @cached_property
    def layers(self) -> tuple[AttentionLayer, AttentionLayer]:
        """The softmax of each layer: scores are the Gram matrix of the codes."""
        return AttentionLayer.of(self.codes, self.beta_1), AttentionLayer.of(self.codes, self.beta_2)

    @cached_property
    def _gram(self) -> Array:
        return self.codes.gram_numerators() / self.codes.gram_denominator

    # -- certified -------------------------------------------------------------------------------------------
    def first_leakage(self) -> Enclosure:
        """Return the leakage of layer 1 over all prompts, at the ambient precision."""
        return self.layers[0].leakage()

    def worst_leakage(self) -> Enclosure:
        r"""Return :math:`S/(1+S)` for :math:`S=\max_{s,k}S_{sk}(L_1)`: no prompt leaks more.

        Returns
        -------
        Enclosure : in [0, 1], at the ambient precision.

        Raises
        ------
        DomainError : layer 1 does not hand on the index, or layer 2 does not ask for it (spoiled twins).
        """
        self._takes_two_steps()
        return self.layers[1].leakage(near=self.first_leakage())

    def leakage_bound(self) -> Enclosure:
        r"""Return the bound on :meth:`worst_leakage` by :math:`L_1`, :math:`\rho` and :math:`\rho_{\min}`: no table.

        Returns
        -------
        Enclosure : in [0, 1], at the ambient precision; 1, which says nothing, where :math:`L_1` may exceed 1/2.

        Raises
        ------
        DomainError : as :meth:`worst_leakage`.
        """
        self._takes_two_steps()
        L = self.first_leakage()
        if L.certainly_le(Fraction(1, 2)) is not True:
            return Enclosure(1)
        beta, gap = evaluate(exact_number(self.beta_2, "beta_2")), 1 - self.codes.coherence()
        others = gap - L * (1 - least_product(self.codes))
        S = (-beta * gap * (1 - 2 * L)).exp() + (self.N - 2) * (-beta * others).exp()
        return S / (1 + S)

    def _takes_two_steps(self) -> None:
        if (self.handed, self.asked) != ("index", "free"):
            raise DomainError(f"slots {self.handed!r}, {self.asked!r}", required="'index', 'free'", why="two steps")

    def leakage(self) -> Recipe:
        """Return :meth:`worst_leakage`, refinable."""
        return enclosed(self.worst_leakage)

    def certificate(self, r_x: Real = 1) -> Recipe:
        r"""Return :math:`2r_xL_2`: no retrieved token is off by more where :math:`\lVert x_j\rVert\le r_x`.

        Of more than 8192 codes, whose products are too many to hold, :math:`L_2` is :meth:`leakage_bound`.

        Parameters
        ----------
        r_x : bound on the norm of every token, positive.

        Returns
        -------
        Recipe : evidence ENCLOSED.
        """
        radius = checked_radius(r_x)
        leakage = self.worst_leakage if self.N**2 <= TABLE else self.leakage_bound
        return enclosed(lambda: 2 * evaluate(radius) * leakage())

    # -- executed --------------------------------------------------------------------------------------------
    @ranks(T=1)
    def weights(self, T: Pointers, i: int) -> list[Enclosure]:
        """Return the weights of layer 2 at one position, at the ambient precision.

        Parameters
        ----------
        T : the pointers of one prompt, positions from 0, shape ``(N,)``.
        i : the position, from 0.

        Returns
        -------
        list of Enclosure : ``N`` of them, with sum 1.

        Raises
        ------
        DomainError : pointers or a position that do not exist.
        """
        T = indices("T", T, self.N, self.N)
        a, (first, second) = int(T[in_range("i", i, self.N)]), self.layers
        if self.asked == "index":
            arrived = [Enclosure(int(j == a)) for j in range(self.N)]
        else:
            arrived = first.handed(a, T if self.handed == "index" else np.arange(self.N))
        return second.mixed(arrived, goal=int(T[a]))

    @ranks(T=1)
    def escaped(self, T: Pointers, i: int) -> Enclosure:
        """Return the weight of layer 2 outside the position that two steps from ``i`` lead to.

        Parameters
        ----------
        T, i : as in :meth:`weights`.

        Returns
        -------
        Enclosure : in [0, 1].
        """
        T = indices("T", T, self.N, self.N)
        goal = int(T[int(T[in_range("i", i, self.N)])])
        return total(w for j, w in enumerate(self.weights(T, i)) if j != goal)

    def extremal(self) -> tuple[Pointers, int]:
        """Return pointers and a position that leak most among those that doubles single out.

        They have :math:`t_i=a`, :math:`t_a=s` and all else pointing to one ``k``; with ``k = a`` nothing is lost by
        :math:`t_i=a`.  Equiangular codes leak no more anywhere.

        Returns
        -------
        tuple : the pointers, shape ``(N,)``, and the position.
        """
        G = self._gram
        first = np.exp(float(self.beta_1) * (G - 1))
        a = int(first.sum(axis=1).argmax())
        i = (a + 1 + int(np.roll(first[a], -a - 1)[:-1].argmin())) % self.N
        leaked = 1 - 1 / first[a].sum()
        over = np.exp(float(self.beta_2) * (1 - leaked) * (G - 1)) * (1 - np.eye(self.N))
        spill = np.exp(float(self.beta_2) * leaked * (G[:, None] - G[:, :, None]))  # [k, s, j]
        S = np.einsum("sj,ksj->sk", over, spill)
        best = np.unravel_index(S.argmax(), S.shape), (int(S[:, a].argmax()), a)
        found = []
        for s, k in best:
            T = np.full(self.N, k)
            T[[i, a]] = a, s
            found.append(T)
        return max(found, key=lambda T: float(self.escaped(T, i))), i

    @ranks(T=2)
    def exact(self, X: Any, T: Pointers) -> list[Any]:
        """Return a call on integers or Fractions by enclosures at the ambient precision, as nested lists."""
        X, T = exact_array("X", X, "n", self.N, self.d), indices("T", T, self.N, len(X), self.N)
        return [ball_matmul([self.weights(t, i) for i in range(self.N)], x.tolist()) for x, t in zip(X, T, strict=True)]

    # -- float64 ---------------------------------------------------------------------------------------------
    def __call__(self, X: Array, T: Pointers) -> Array:
        """Return the retrieved tokens ``(n, N, d)`` of prompts ``X`` ``(n, N, d)`` with pointers ``T`` ``(n, N)``."""
        X, T = checked_prompts(X, np.asarray(T)[..., None])
        shaped("X", X, "n", self.N, self.d)
        T, G = T[..., 0], self._gram
        handed = G[T] if self.handed == "index" else G
        scores = G[T] if self.asked == "index" else self.layers[0].attention(T) @ handed
        return np.asarray(softmax(float(self.beta_2) * scores) @ X)

    def network(self) -> form.Network:
        """Return it as blocks: the fields ``x`` and ``index``, the word that a position points to."""
        fields, (first, second) = (form.Field("x", self.d), form.Field("index", self.N, word=True)), self.layers
        handed = copied("index" if self.handed == "index" else form.PLACE, self.N)
        one = looked_up("free", first.box(), handed, ("index", form.PLACE))
        two = looked_up("tokens", second.box(), copied("x", self.d), (self.asked, form.PLACE))
        return form.Network(self.N, fields, (one, two), copied("tokens", self.d), shape=(self.N, self.d))

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of tokens; what arrives from layer 1 adds to the scores of layer 2."""
        N, k, (one, two) = self.N, self.codes.d_e, (float(exact_number(b, "beta")) for b in (self.beta_1, self.beta_2))
        first, second = (upper_leak(leakage) for leakage in (self.first_leakage, self.worst_leakage))
        arrived = weights_rounding(one, k, N, u, leak=first) + (N + k + 8) * u
        return size * weights_rounding(two, k, N, u, inherited=two * arrived, leak=second)

    norms = absent("the weights are blocks of identities: temperatures and codes say all")

    def sizes(self) -> dict[str, int]:
        """Return the width of the tokens, the heads of both layers, and the module's parameters."""
        width = self.d + 3 * self.codes.d_e
        return {"width": width, "heads": 2, "parameters": 3 * width**2}

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable ``torch.nn.Module`` with these weights that computes the same function."""
        return twin("theorytools.papers.qstr.torch.two_hop:TwoStepModule")(self, dtype, device)
