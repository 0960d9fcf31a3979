r"""The explicit generalisation bound, factor by factor: Lemmas 11, 12, 18, 20 and Proposition 17 composed.

With probability at least :math:`1-\delta-(nN)^{-1/2}`, for the constrained empirical risk minimiser over
:math:`\|a\|\le A`, :math:`\|(W,b)\|_F\le B`, :math:`\|\Theta_{QK}\|_F\le R_F`, :math:`H=q` heads,

.. math:: R(\hat\Theta)\le(\sqrt{\varepsilon_{2NN}}+\eta)^2+2\hat{\mathfrak R}_n+3\tau^\ast\sqrt{\tfrac{\log(2/\delta)}
          {2n}}+\sqrt{\tfrac2n}.

The class is as large as the construction of Lemma 11 asks; its codes have coherence at most :math:`\rho` (random ones
do with probability :math:`1-\delta_{\rm code}`).  All constants are derived here; none is the paper's.

*The bound less its first term decreases in* :math:`n` *for* :math:`\log n\ge2s+3`, if :math:`N\ge3`, :math:`E_2\ge1`
and both arguments :math:`X` of :math:`\log(1+X)` in :math:`\Lambda` are at least :math:`\sqrt n` there, that is
:math:`16AB\sqrt{\tau^\ast}\ge1`, :math:`8ABR_Fr_z^3\sqrt{\tau^\ast}\ge1`.  *Proof.*  Let :math:`l=\log n` and the rate
of :math:`f` be :math:`f'/f` in :math:`l`.  Rates: of :math:`r_x^2`, :math:`r_z^2`, :math:`1+qr_z^2` and :math:`R_F` at
most :math:`1/l`; of :math:`\tau^\ast` at most :math:`s/l`; of :math:`X` at most :math:`\frac12+\frac{5+s}{2l}`, and as
:math:`\log(1+X)\ge\frac l2` that of :math:`\Lambda` at most :math:`\frac1l(1+\frac{5+s}l)`.
So every term has a rate between :math:`-\frac12` and
:math:`-\frac12+\frac{s+1/2}l+\frac{s+5}{2l^2}`, which is negative from :math:`l=2s+3` on.  ∎

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorems 4 and 10, arXiv 2503.11272v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import sympy
from sympy import E, Max, Rational, Symbol, ceiling, log, sqrt

from theorytools.arguments.checked import Formula, Precision, Real, checked
from theorytools.claims.language.bound import Bound, expression
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, evaluate
from theorytools.papers.qstr.capacity import covering, truncation
from theorytools.papers.qstr.capacity import deviation as rademacher
from theorytools.papers.qstr.capacity.deviation import Variant
from theorytools.papers.qstr.capacity.sample_size import crossing
from theorytools.papers.qstr.capacity.sample_size import exponent as exponent_of

if TYPE_CHECKING:
    from theorytools.claims.language.growth import Growth

_ROOT_2, _HALF, _TENTH = sqrt(2), Rational(1, 2), Rational(1, 10)
VARIANTS: tuple[Variant, ...] = ("dudley", "one-step", "clipped")
_ZERO_ALLOWED = (0, None, False)
_RANGES: dict[str, tuple[int, int | None, bool]] = {
    **dict.fromkeys("Nndqm", (1, None, False)), "s": (1, None, False), "d_e": (1, None, False), "eps2": _ZERO_ALLOWED,
    "rho": (-1, 1, False), "delta": (0, 1, True), "delta_code": (0, 1, True),
}  # fmt: skip
_LOG_N = Symbol("log_N", positive=True)


@dataclass(frozen=True)
class Factor:
    """One named factor of the bound: where it comes from, and its formula in the letters and earlier factors."""

    name: str
    source: str
    meaning: str
    formula: sympy.Expr


@checked
@dataclass(frozen=True)
class GeneralisationBound:
    r"""The right side of the general sample-complexity theorem, every factor visible.

    Every field is an exact number or a sympy expression in letters.

    Parameters
    ----------
    N, n, d, q : sequence length, training prompts, token dimension, indexed tokens.
    A, B, m : norms of the head and its width.
    rho : largest inner product of two codes.
    s, C_x, C_y : constants of Assumption 1; ``C_y`` may be enlarged to 1, which makes :math:`nE_2^2\ge e^{s/2}` hold.
    eta : how far leakage may move a label.
    eps2 : :math:`\varepsilon_{2NN}` of Assumption 2.
    delta, delta_code : failure probabilities of the sample and of random codes.
    d_e : dimension of a code; unless given, what Hoeffding's inequality asks of random signs.
    clip : level at which the variant ``"clipped"`` cuts predictions and labels, for labels :math:`y\sim N(0,1)`.

    Raises
    ------
    DomainError : a number outside the range of its letter.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorems 4 and 10, arXiv 2503.11272v1.

    Examples
    --------
    >>> bound = GeneralisationBound(N=100, n=10**6, d=10, q=1)
    >>> round(float(bound.value("one-step")), 3)
    53429.304
    """

    N: Formula
    n: Formula
    d: Formula
    q: Formula
    A: Formula = _ROOT_2
    B: Formula = _ROOT_2
    m: Formula = 2
    rho: Formula = _HALF
    s: Formula = 1
    C_x: Formula = 1
    C_y: Formula = 1
    eta: Formula = _TENTH
    eps2: Formula = 0
    delta: Formula = _TENTH**2
    delta_code: Formula = _TENTH**2
    d_e: Formula = None
    clip: Formula = 5

    def __post_init__(self) -> None:
        for name, value in self.letters.items():
            low, high, strict = _RANGES.get(name, (0, None, True))
            if value.is_number:
                below = value < low or (strict and value == low)
                if below or (high is not None and value >= high):
                    top = "" if high is None else f" < {high}"
                    raise DomainError(f"{name} = {value}", required=f"{low} {'<' if strict else '<='} {name}{top}")

    @cached_property
    def letters(self) -> Mapping[str, sympy.Expr]:
        """The given letters by name, as expressions."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: expression(value, f"the letter {name}") for name, value in given.items() if value is not None}

    def steps(self, variant: Variant = "dudley") -> tuple[Factor, ...]:
        """Return the factors in the order of the proof, each in the letters and the factors before it.

        Parameters
        ----------
        variant : ``"dudley"`` (chaining), ``"one-step"`` (a single covering) or ``"clipped"`` (the latter, for clipped
            predictions).

        Returns
        -------
        tuple of Factor : the last one is the bound.

        Raises
        ------
        DomainError : another variant.
        """
        if variant not in VARIANTS:
            raise DomainError(f"the variant {variant!r}", required=f"one of {', '.join(VARIANTS)}")
        return tuple(factor for factor in _chain(variant) if factor.name != "d_e" or self.d_e is None)

    def values(
        self, variant: Variant = "dudley", *, given: Mapping[str, Enclosure] | None = None
    ) -> dict[str, Enclosure]:
        """Return an enclosure of every factor at the ambient precision; the last one is the bound.

        Parameters
        ----------
        variant : as in :meth:`steps`.
        given : numbers in place of letters or formulas: another ``n``, a factor that was measured, 0 to leave a term
            out.

        Returns
        -------
        dict : by name.

        Raises
        ------
        DomainError : a name that is no letter or factor.
        """
        given, factors = given or {}, self.steps(variant)
        if unknown := set(given) - {factor.name for factor in factors} - set(self.letters) - {"log_N"}:
            raise DomainError(f"the factors {sorted(unknown)}", required="names of letters or factors, see steps()")
        # log N of N = e^L is L itself: exact however large
        known = {name: evaluate(value) for name, value in self.letters.items()} | {"log_N": evaluate(self._log_N)}
        known.update(given)
        for factor in factors:
            if factor.name not in given:
                known[factor.name] = evaluate(factor.formula, known)
        return known

    @cached_property
    def _log_N(self) -> sympy.Expr:
        return log(expression(self.N))

    def value(self, variant: Variant = "dudley", *, bits: Precision = 128) -> Enclosure:
        """Return an enclosure of the bound.

        Parameters
        ----------
        variant : as in :meth:`steps`.
        bits : precision of the arithmetic.

        Returns
        -------
        Enclosure : in the units of the squared label.
        """
        return at_precision(bits, lambda: self.values(variant)["bound"])

    def bound(self, variant: Variant = "dudley") -> Bound:
        """Return the bound as one expression in those letters that are not numbers.

        Parameters
        ----------
        variant : as in :meth:`steps`.

        Returns
        -------
        Bound : of the letters left.
        """
        known: dict[Any, sympy.Expr] = {Symbol(k, positive=True): v for k, v in self.letters.items()}
        known[_LOG_N] = self._log_N
        for factor in self.steps(variant):
            known[Symbol(factor.name, positive=True)] = factor.formula.xreplace(known)
        return Bound(known[Symbol("bound", positive=True)])

    def growth(self, letter: sympy.Symbol, variant: Variant = "dudley") -> Mapping[str, Growth]:
        """Return the leading term of every factor as ``letter``, the only one left among the fields, grows.

        Parameters
        ----------
        letter : the one that grows.
        variant : as in :meth:`steps`.

        Returns
        -------
        mapping : leading terms by the names of letters and factors.
        """
        from theorytools.claims.language.growth import leading_term

        letters = {Symbol(k, positive=True): v for k, v in self.letters.items()}
        letters[_LOG_N] = self._log_N
        known = {symbol: leading_term(value, letter) for symbol, value in letters.items() if value != 0}
        zeros = {symbol: value for symbol, value in letters.items() if value == 0}
        for factor in self.steps(variant):
            formula = factor.formula.xreplace(zeros)
            known[Symbol(factor.name, positive=True)] = leading_term(formula, letter, known)
        return {symbol.name: term for symbol, term in known.items()}

    def floor(self, variant: Variant = "dudley") -> sympy.Expr:
        """Return the part of the bound that no number of prompts lowers.

        Parameters
        ----------
        variant : as in :meth:`steps`.

        Returns
        -------
        sympy.Expr : in the letters left.
        """
        hidden = truncation.gaussian_excess(self.clip).expr if variant == "clipped" else 0
        return (sqrt(expression(self.eps2)) + expression(self.eta)) ** 2 + hidden

    def required_n(self, target: Real = 1, variant: Variant = "dudley", *, factor: Real = Fraction(101, 100)) -> int:
        """Return an ``n`` with the bound proved below ``target``, not so at ``n/factor`` (see :func:`.crossing`).

        Parameters
        ----------
        target : positive exact number.
        variant : as in :meth:`steps`.
        factor : above 1; how far the result may lie above the least ``n``.

        Returns
        -------
        int : number of prompts.
        """
        return crossing(self, target, variant, factor=factor)[1]

    def exponent(self, letter: str, variant: Variant = "dudley") -> sympy.Expr:
        """Return the exact exponent of the required ``n`` in a letter; see ``capacity/sample_size.py``.

        Parameters
        ----------
        letter : its name.
        variant : as in :meth:`steps`.

        Returns
        -------
        sympy.Expr : exact.
        """
        return exponent_of(self, letter, variant)


@lru_cache(maxsize=8)
def _chain(variant: Variant) -> tuple[Factor, ...]:
    head = _class_factors()
    n, delta, tau, Lambda, eta, eps2 = _symbols("n delta tau Lambda eta eps2")
    form = rademacher.dudley if variant == "dudley" else rademacher.one_step
    complexity = form(lambda eps: Lambda, tau=tau, n=n).expr
    hidden = truncation.gaussian_excess(_symbols("clip")[0]).expr if variant == "clipped" else sqrt(2 / n)
    names = _symbols("fit complexity deviation hidden")
    return (
        *head,
        *_loss_factors(variant),
        Factor("fit", "Lemma 11", "risk of the construction", (sqrt(eps2) + eta) ** 2),
        Factor("complexity", "Lemma 18", "twice the Rademacher complexity", 2 * complexity),
        Factor("deviation", "Corollary 19", "deviation", rademacher.deviation(tau=tau, delta=delta, n=n).expr),
        Factor("hidden", "Lemma 20", "risk above the truncation level", hidden),
        Factor("bound", "Theorem 10", "bound on the risk", sympy.Add(*names)),
    )


def _class_factors() -> tuple[Factor, ...]:
    N, n, d, q, A, B, m = _symbols("log_N n d q A B m")
    rho, C_x, eta, delta_code = _symbols("rho C_x eta delta_code")
    d_e, D_e, r_x, beta, alpha = _symbols("d_e D_e r_x beta alpha")
    odds = Max(2 * A * B * sqrt(q) * r_x / eta - 1, 1)
    return (
        Factor("d_e", "Assumption 3", "dimension of a code", ceiling(2 / rho**2 * (2 * N + log(1 / delta_code)))),
        Factor("D_e", "Section 2", "embedding width", d + (q + 1) * d_e),
        Factor("r_x", "Lemma 12", "largest norm of a token", sqrt(3 * C_x * E * d * (log(n) + N))),
        Factor("r_z", "Lemma 12", "largest norm of an encoded token", sqrt(r_x**2 + d * (1 + 1 / q))),
        Factor("beta", "Lemma 11", "inverse temperature for leakage below eta", (N + log(odds)) / (1 - rho)),
        Factor("alpha", "Lemma 11", "block scale", beta * q / d),
        Factor("R_F", "Lemma 11", "Frobenius norm of the attention parameters", alpha * sqrt(q * d_e)),
        Factor("D_1", "Lemma 14", "parameters of the head", m * (q * D_e + 2)),
        Factor("D_2", "Lemma 16", "parameters of the attention", q * D_e**2),
    )


def _loss_factors(variant: Variant) -> tuple[Factor, ...]:
    N, n, d, q, A, B, m = _symbols("log_N n d q A B m")
    s, C_x, C_y, clip = _symbols("s C_x C_y clip")
    D_e, r_z, R_F, E_2, tau = _symbols("D_e r_z R_F E_2 tau")
    moments = {"N": sympy.exp(N), "d": d, "q": q, "H": q, "A": A, "B": B, "C_x": C_x, "C_y": C_y, "s": s}
    level = 4 * clip**2 if variant == "clipped" else truncation.truncation_level(E_2, n=n, **moments)
    eps = 1 / sqrt(n) / (2 * sqrt(tau))
    Lambda = covering.log_covering(eps, m=m, H=q, D_e=D_e, A=A, B=B, R_F=R_F, r_z=r_z)
    return (
        Factor("E_2", "Lemma 20", "root of the fourth moment of the error", truncation.root_fourth_moment(**moments)),
        Factor("tau", "Lemma 20", "truncation level", level),
        Factor("Lambda", "Proposition 17", "log covering number at radius 1/(2 sqrt(tau n))", Lambda),
    )


def _symbols(names: str) -> tuple[sympy.Symbol, ...]:
    return tuple(Symbol(name, positive=True) for name in names.split())
