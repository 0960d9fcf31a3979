r"""How many significant bits a number must have: the construction in a format on paper, and what any network misses.

Setting    As in lemma_11_arithmetic with one format of round-off $u=2^{-p}$ for stored numbers, scores and sums, BCH
           codes, $d=1$; $\beta$ is the temperature that lemma_11 certifies for leakage $\delta$ in exact arithmetic.
Statement  The computed token is within $r_x(2L+\kappa)$, at most the bound of lemma_11_arithmetic. Any function of the
           stored tokens, computed without further error, misses some token by at least $(1-2^{-20})u$, and by the same
           proof by at least $u-\tau$ for every $\tau>0$: it tells no two tokens apart that are stored as one number.
Witness    The head of MachineAttention on paper, with correctly rounded exponentials; two tokens of one stored number.
Measured   The certificate, rational. Half of the distance of $1+3u+\tau$ and $1+5u-\tau$, $\tau=u/2^{20}$, if they are
           stored as one number: both round to $1+4u$.
Proof      A function of the stored tokens has one output for two tokens that are stored as one number, so it misses one
           of the two by half of their distance, whatever else the prompt holds.
Control    A tenth of the temperature; tokens a step further apart; twice the round-off.
Reads      Derived here. Nothing is said of how few bits the sums may have; that a token is stored decides the second
           part, whatever $N$ is. The certificate is of one construction.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from sympy import Rational, floor

from theorytools import Claim, Control, DomainError, Quantity, points
from theorytools.codes.bch import bch
from theorytools.codes.equiangular import EquiangularCode
from theorytools.constructions.attention.formats import Arithmetic, Format
from theorytools.constructions.attention.leakage import Profiles
from theorytools.constructions.attention.temperature import sufficient_temperature
from theorytools.papers.qstr.precision.rounding import MachineWeights, admit, certified_error, nearest_exponential

from ..notation import N, d, delta, r_x, spill, tiny, u, u_a, u_c
from .arithmetic import bound
from .arithmetic import certificate as certified

least = Quantity("least error", r"\inf_f\max\|f-x_t\|/r_x", "of any function of the stored tokens, over r_x", (0, None))
LEAST_EXPONENT = -1022


def paper(p) -> Format:
    if Fraction(p.u).numerator != 1 or Fraction(p.u).denominator & (Fraction(p.u).denominator - 1):
        raise DomainError(f"u = {p.u}", required="a power of 1/2", why="a format has whole bits")
    return Format("paper", Fraction(p.u).denominator.bit_length() - 1, LEAST_EXPONENT)


@lru_cache(maxsize=32)
def counted(size):
    code = bch(size)
    return code, code.gram_counts()


@dataclass(frozen=True, eq=False)
class PaperHead:
    """The head of MachineAttention in a format on paper: its weights before division, and what follows from them."""

    how: Arithmetic
    weights: MachineWeights
    profiles: Profiles
    N: int

    @cached_property
    def spill(self):
        """The largest sum of weights outside the indexed position."""
        return self.weights.spill(self.profiles)

    def certified(self, r_x):
        """The bound over r_x on the error of a token."""
        return certified_error(self.N, 1, Fraction(r_x), self.how, self.spill)


def construct(p, cooling=1) -> PaperHead:
    code, counts = counted(p.N)
    s, form = code.gram_denominator, paper(p)
    beta = cooling * sufficient_temperature(EquiangularCode(p.N, Fraction(int(counts[0][0]), s)), p.delta)
    rows = counts[1] if counts[1].strides[0] else counts[1][:1]
    profiles = Profiles(tuple(s - int(v) for v in counts[0]), rows, s)
    steps, c = tuple(sorted({0, *profiles.gaps})), form.nearest(Fraction(int(floor(beta * 2**64)), 2**64 * s))
    scores = [form.nearest(c * (s - step)) for step in steps]
    arguments = tuple(form.nearest(score - scores[0]) for score in scores)
    how = Arithmetic("paper", form, form, form)
    admit(code, how)
    weights = MachineWeights(how, steps, arguments, tuple(nearest_exponential(form, x) for x in arguments))
    return PaperHead(how, weights, profiles, p.N)


def derive(net, p):
    how = net.how
    return {spill: net.spill, u_a: how.u_a, u_c: how.u_c, tiny: how.tiny}


closed = bound.subs(d, 1)
claim = Claim(
    "Lemma 11, in a format of given bits",
    role="precision", source="derived here: Lemma 11",
    scope={"every delta, r_x": "points", "every format u": "points", "every N": "points", "some network": "exhibited",
           "every prompt and order of sums": "closed form"},
    asserts=certified <= closed, requires=[N >= 4, delta < 1, u <= Rational(1, 256)],
    derive=derive, derived=[spill, u_a, u_c, tiny],
    grid=points("N u delta r_x", (16, "1/256", "1/1000", "257/256"), (256, "1/2048", "1/1000", 5),
                (1024, Fraction(1, 2**24), "1/1000000", 1), (256, "1/256", "1/10", 1)),
    construct=construct, measure=lambda net, p: {certified: net.certified(p.r_x)},
    controls=[
        Control("a tenth of the temperature", breaks=certified, construct=lambda p: construct(p, Rational(1, 10))),
    ],
)


def two(p, step=0):
    form, token = paper(p), 1 + 4 * Fraction(p.u)
    reach = Fraction(p.u) * (1 - Fraction(1, 2**20)) + step * Fraction(p.u)
    if token + reach > Fraction(p.r_x):
        raise DomainError(f"r_x = {p.r_x}", required=f"r_x >= {token + reach}", why="no token is longer")
    return form, token - reach, token + reach


def missed(tokens, p):
    form, a, b = tokens
    return {least: (b - a) / 2 / Fraction(p.r_x) if form.nearest(a) == form.nearest(b) else Fraction(0)}


stored = replace(
    claim, label="Lemma 11, what a stored token has lost",
    role="necessity", source="derived here: Lemma 11",
    scope={"every r_x": "points", "every format u": "points", "every N": "proof",
           "every function of the stored tokens": "proof"},
    asserts=least >= u * (1 - Rational(1, 2**20)) / r_x, requires=[u < Rational(1, 2)], derive=None, derived=[],
    grid=points("N u r_x", (16, "1/256", 2), (10**6, "1/4", 4), (64, Fraction(1, 2**24), "9/8")),
    construct=two, measure=missed, controls=[
        Control("a step further apart", breaks=least, construct=lambda p: two(p, step=1)),
        Control("twice the round-off", breaks=least, asserts=[least >= 2 * u * (1 - Rational(1, 2**20)) / r_x]),
    ],
)
