r"""Pi, gamma and its kin, tails of the chi-square law, and quotients of logarithms; exact where they are rational."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq, fmpz

from theorytools.arguments.checked import Terms, checked
from theorytools.errors import DomainError
from theorytools.numbers.balls import whole_line
from theorytools.numbers.combine import total
from theorytools.numbers.enclosure import EXACT_BITS, Enclosure, power, wrap

_EXACT_FACTORIAL = 100_000  # 100000! has 1.5 million bits
_FALLING_FACTORS = 1_000
_LOGARITHM_BITS = 4_096


def pi() -> Enclosure:
    r"""Return :math:`\pi` at the ambient precision."""
    return wrap(arb.pi())


def gamma(x: Enclosure) -> Enclosure:
    r"""Return :math:`\Gamma(x)`: exact at positive integers, the whole line where a pole may be met."""
    n = integer(x)
    if n is None or n > _EXACT_FACTORIAL:
        return x.apply("gamma")
    return Enclosure(fmpz.fac_ui(fmpz(n - 1))) if n > 0 else wrap(whole_line())


def loggamma(x: Enclosure) -> Enclosure:
    r"""Return :math:`\log\Gamma(x)` for :math:`x>0`; the whole line where ``x`` may be <= 0."""
    return Enclosure(0) if integer(x) in (1, 2) else x.apply("lgamma")


def factorial(x: Enclosure) -> Enclosure:
    r"""Return :math:`x!=\Gamma(x+1)`; exact at integers."""
    return gamma(x + 1)


def binomial(n: Enclosure, k: Enclosure) -> Enclosure:
    r"""Return :math:`\binom nk`: exact for rational ``n`` and integer ``k``, through gamma otherwise.

    For an integer ``k`` it is the polynomial :math:`n(n-1)\cdots(n-k+1)/k!`, 0 for negative ``k``; beyond,
    :math:`\Gamma(n+1)/(\Gamma(k+1)\Gamma(n-k+1))`, whose poles in ``n`` give the whole line.
    """
    top, bottom = integer(n), integer(k)
    if bottom is not None and bottom < 0:
        return n * 0  # 0, unless n itself is undefined
    if top is not None and bottom is not None and bottom <= top < 1 << 62:
        small = min(bottom, top - bottom)
        if min(top, small * top.bit_length()) <= EXACT_BITS:
            return Enclosure(fmpz.bin_uiui(top, small))
    if bottom is not None and bottom <= _FALLING_FACTORS:
        return _falling(n, bottom)
    return gamma(n + 1) * (k + 1).apply("rgamma") * (n - k + 1).apply("rgamma")


def _falling(n: Enclosure, k: int) -> Enclosure:
    result = Enclosure(1)
    for i in range(k):
        result = result * (n - i) / (i + 1)
    return result


@checked
def chi_square_tail(d: Terms, x: Enclosure) -> Enclosure:
    r"""Return :math:`\Pr(\chi^2_d\ge x)` for :math:`x\ge0` at the ambient precision.

    Integration by parts lowers :math:`d` by two: with :math:`y=x/2`,

    .. math:: \Pr(\chi^2_d\ge x)=e^{-y}\sum_{k<d/2}\frac{y^k}{k!}\ (d\text{ even}),\qquad
              \operatorname{erfc}\sqrt y+e^{-y}\sum_{k\le(d-1)/2}\frac{y^{k-1/2}}{\Gamma(k+\frac12)}\ (d\text{ odd}).

    Examples
    --------
    >>> round(float(chi_square_tail(4, Enclosure(2))), 6), round(float(chi_square_tail(3, Enclosure(2))), 6)
    (0.735759, 0.572407)
    """
    if x.upper < 0:
        raise DomainError(f"x = {x!r}", required="x >= 0")
    y, odd = x / 2, d % 2
    # y^(k-1/2)/Gamma(k+1/2): k = 1 gives sqrt(y) * 2/sqrt(pi), each further one a factor y/(k-1/2)
    term = (y * 4 / pi()).sqrt() if odd else Enclosure(1)
    terms = []
    for k in range(1, d // 2 + 1):
        terms.append(term)
        term = term * y / (k + Fraction(odd, 2))
    tail = (-y).exp() * total(terms)
    return y.sqrt().apply("erfc") + tail if odd else tail


def log_quotient(a: Enclosure, b: Enclosure) -> Enclosure:
    r"""Return :math:`\log a/\log b`, exact where it is rational (``log 8 / log 4 = 3/2``).

    Without this ``ceiling(log(N)/log(2))`` stays undecided at powers of two, at every precision.
    """
    if a.exact and b.exact and a.value > 0 and b.value > 0 and b.value != 1:
        ratio = _rational_logarithm(a.value, b.value)
        if ratio is not None:
            return Enclosure(ratio)
    return a.log() / b.log()


def _rational_logarithm(a: fmpq, b: fmpq) -> fmpq | None:
    """Euclid's algorithm on the exponents: if a = g^m and b = g^n, then a/b = g^(m-n), down to 1."""
    if max(a.height_bits(), b.height_bits()) > _LOGARITHM_BITS:
        return None
    if a < 1:
        ratio = _rational_logarithm(1 / a, b)
        return None if ratio is None else -ratio
    if b < 1:
        ratio = _rational_logarithm(a, 1 / b)
        return None if ratio is None else -ratio
    count = 0
    while a >= b:
        quotient = a / b
        if quotient.p * quotient.q >= a.p * a.q:  # a proper power of g would have become smaller
            return None
        a, count = quotient, count + 1
    if a == 1:
        return fmpq(count)
    rest = _rational_logarithm(b, a)
    return None if rest is None else count + 1 / rest


def exp_of_logs(rest: Enclosure | None, powers: list[tuple[Enclosure, Enclosure]]) -> Enclosure:
    r"""Return :math:`e^{r}\prod_i b_i^{c_i}`, the exponential of :math:`r+\sum_i c_i\log b_i`.

    Exact where the powers are: ``exp(-3 log 2)`` is 1/8.  A base that may be ``<= 0`` has no logarithm.
    """
    result = Enclosure(1) if rest is None else rest.exp()
    for base, exponent in powers:
        result = result * (power(base, exponent) if base.certainly_le(0) is False else wrap(whole_line()))
    return result


def integer(x: Enclosure) -> int | None:
    """Return the integer that ``x`` is exactly, or None."""
    return int(x.value.p) if isinstance(x.value, fmpq) and x.value.q == 1 else None
