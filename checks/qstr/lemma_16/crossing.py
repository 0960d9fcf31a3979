r"""The two branches of the covering bound cross once, at a dimension far beyond any model.

Setting    As in lemma_16_branches, at $N=100,10^4,10^6$, $q=1$, $n=10^6$.
Statement  $C_2<C_3$ from a dimension $d_0$ on, between $4\cdot10^{14}$ and $6\cdot10^{14}$ at
           $N=100$; on the grid it grows at least like $(\log N)^3$ and at most like $(\log N)^{10/3}$.
Proof      $C_2\propto d\beta^2$, $C_3\propto(d+(q+1)d_e)^2$, and $\beta$ is logarithmic in $d$: from $d=2(q+1)d_e$ on
           the quotient falls, and before that it is above $10^9$. So it falls below 1 only once.
Witness    The dimension found by bisection.
Measured   An integer $d_0$ with $C_2<C_3$ at $d_0$ and $C_2\ge C_3$ at $d_0-1$, both proved by enclosures.
Control    $r_z^4$ for $r_z^6$; $d_e$ left out of $r_{QK}$; $A$ left out.
"""

from sympy import Eq, Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import UndecidedError
from theorytools.numbers import at_precision

from ..notation import N, n, q
from .branches import construct, of_constants

crossing = Quantity("crossing", "d_0", "the dimension from which C_2 < C_3", (1, None))


def first_dimension(p, **spoiled) -> int:
    """The ``d`` with the quotient below 1 there and at least 1 one before, both proved."""
    def below(d):
        return at_precision(256, lambda: of_constants(construct(p, d), **spoiled).certainly_lt(1))
    low, high = 1, 10**18
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if below(middle) else (middle, high)
    if not (below(high) is True and below(low) is False):
        raise UndecidedError(f"C_2/C_3 at d = {low} and {high}", required="proved at least 1, and proved below 1")
    return high


times = log(N) / log(100)
claim = Claim(
    "Lemma 16, crossing of the branches",
    role="variant", source="derived here: Lemma 16", scope={"every N, n, q": "points", "every dimension": "proof"},
    asserts=[crossing >= 4 * 10**14 * times**3, crossing <= 6 * 10**14 * times**Rational(10, 3)],
    requires=[N >= 100, Eq(n, 10**6), Eq(q, 1)],
    grid=points("N n q", (100, 10**6, 1), (10**4, 10**6, 1), (10**6, 10**6, 1)), construct=first_dimension,
    measure=lambda found, p: {crossing: found}, controls=[
        Control("r_z^4 for r_z^6", asserts=[crossing >= 4 * 10**14], breaks=crossing,
                construct=lambda p: first_dimension(p, power=4)),
        Control("the norm of the output weights left out", asserts=[crossing >= 4 * 10**14 * times**3], breaks=crossing,
                construct=lambda p: first_dimension(p, output=False)),
        Control("d_e left out of r_QK", asserts=[crossing >= 4 * 10**14], breaks=crossing,
                construct=lambda p: first_dimension(p, length=0)),
    ],
)
