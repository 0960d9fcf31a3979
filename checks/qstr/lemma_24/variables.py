r"""The gate has three variables where it adds to a state and two where it does not, and these decide its width.

Finding    The proof of Lemma 24 in print exchanges two numbers of variables, three without a state and two with one;
           with them exchanged its width is not the one that the lemma states.
Setting    The gate $\Psi=h+2x\sigma(z-\frac12)$ on the box $|x|\le r_x$, $r_x>0$, $|h|\le r_h$, $|z|\le1$, inside the
           ball of radius $R=\sqrt{1+r_x^2+r_h^2}$; $r_h=0$ where it reads no state. Lemma 42, up to constants: an
           $L$-Lipschitz function of $k$ variables takes $(\frac{LR}\varepsilon\log\frac{LR}\varepsilon)^k$ units.
Statement  $\Psi$ is $2R$-Lipschitz and has $k=3$ variables, $k=2$ for $r_h=0$. So Lemma 42 gives the width
           $R^6(\log(R/\varepsilon)/\varepsilon)^3$, and $R^4(\log(R/\varepsilon)/\varepsilon)^2$ for $r_h=0$: its
           powers of $R$, of $1/\varepsilon$ and of the logarithm.
Proof      For $z>\frac12$ the gradient of $\Psi$ in $(x,h,z)$ is $(2z-1,1,2x)$, of squared length at most $2+4r_x^2\le
           4R^2$, for $z<\frac12$ it is $(0,1,0)$, and $\Psi$ is continuous. A derivative that is not 0 shows a
           variable. With $L=2R$ the base is of order $R^2/\varepsilon$, its logarithm of order $\log(R/\varepsilon)$.
Witness    The gate at rational points of the box.
Measured   The variables in which it takes two values, counted; the largest squared gradient by difference quotients,
           which are exact, as the gate is linear in each variable on either side of $\frac12$; the powers of the
           leading term of Lemma 42's formula with the number of variables that was counted.
Control    A gate that drops the token, and one that adds the state always; an $R$-Lipschitz gate; a Lipschitz constant
           that does not depend on $R$; one logarithm more; the two numbers as the construction has them.
Reads      As printed: the width with exponent 3, "better" without the state, and $2R$. That the exchange is a slip of
           the printed proof is our reading of its one sentence; nothing rests on it, as the width of the lemma is
           right. The exact gate of proposition_26 replaces the approximation.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction

from sympy import Eq, Expr, Integer, Piecewise, Symbol, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.growth import leading_term

from ..notation import r_state, r_x

variables = Quantity("variables", "k", "in which the gate takes two values on the box", (0, 3))
gradient = Quantity("squared gradient", r"\max\|\nabla\Psi\|^2", "largest squared length on the box", (0, None))
in_radius = Quantity("power of R", "r_R", "in the width", (0, None))
in_error = Quantity("power of 1/eps", r"r_\varepsilon", "in the width", (0, None))
in_log = Quantity("power of the logarithm", r"r_{\log}", "in the width", (0, None))
x = Symbol("x", positive=True)
STEPS = [Fraction(k, 4) for k in (-4, 0, 1, 3, 4)]


@dataclass(frozen=True)
class Gate:
    """The gate with a factor and an offset; without its state, or without its token, for comparison."""

    factor: int = 2
    offset: Fraction = Fraction(1, 2)
    state: int = 1

    def __call__(self, x, h, z):
        """Return the value at one point."""
        return self.state * h + self.factor * x * max(z - self.offset, 0)

    def counted(self, sizes) -> int:
        """In how many variables of the box with these half-sides the gate takes two values."""
        box = [sorted({step * size for step in STEPS}) for size in sizes]
        return sum(any(len({self(*at[:k], v, *at[k:]) for v in box[k]}) > 1
                       for at in itertools.product(*box[:k], *box[k + 1:])) for k in range(3))

    def steepest(self, sizes) -> Fraction:
        """The largest squared gradient: in z from 1/2 on, where every quotient is exact, in x at the largest z."""
        r_x, r_h, _ = sizes
        steps = [(self(r_x, 0, 1) - self(0, 0, 1)) / Fraction(r_x),
                 (self(0, r_h, 1) - self(0, 0, 1)) / Fraction(r_h) if r_h else Fraction(0),
                 4 * (self(r_x, 0, 1) - self(r_x, 0, Fraction(3, 4)))]
        return sum((step * step for step in steps), Fraction(0))


def construct(p, **spoiled) -> Gate:
    return Gate(**spoiled)


def width(k, steep=True, more=0, **x) -> Expr:
    """The width of Lemma 42, without its constant, as one of R and 1/eps grows and the other is 2."""
    R, accuracy = (x.get(name, Integer(2)) for name in ("R", "accuracy"))
    base = 8 * R * (R if steep else 1) * accuracy
    return (base * log(base)) ** k * log(base) ** more


def powers(k, **how):
    (_, R, *_), (_, error, logs, _) = (leading_term(width(k, **{letter: x}, **how), x).powers
                                       for letter in ("R", "accuracy"))
    return {in_radius: R, in_error: error, in_log: logs}


def box(p):
    return [Fraction(p.r_x), Fraction(p.axes.get("r_state", 0)), Fraction(1)]


def measure(gate, p, **how):
    k = gate.counted(box(p))
    return {variables: k, gradient: gate.steepest(box(p)), **powers(k, **how)}


def by_state(without, with_state):
    """One number where the gate reads no state, another where it does."""
    return Piecewise((without, Eq(r_state, 0)), (with_state, True))


shared = {"grid": points("r_x r_state", (1, 0), (10, 0), (1, 1), (10, 10), (3, 50), ("1/2", 2), (2000, 1000)),
          "construct": construct}
asserts = [variables.equals(by_state(2, 3)), gradient <= 4 * (1 + r_x**2 + r_state**2),
           in_radius.equals(by_state(4, 6)), in_error.equals(by_state(2, 3)), in_log.equals(by_state(2, 3))]
claim = Claim(
    "Lemma 24, variables and width",
    role="statement", source="published: Lemma 24; prose",
    scope={"every r_x and r_state": "proof", "every point of the box": "proof", "every error": "closed form"},
    asserts=asserts, measure=measure, **shared,
    controls=[
        Control("a gate that drops the token", breaks=variables, construct=lambda p: construct(p, factor=0),
                asserts=asserts[:1]),
        Control("a gate without its state", breaks=variables, where=r_state > 0, asserts=asserts[:1],
                construct=lambda p: construct(p, state=0)),
        Control("an R-Lipschitz gate", breaks=gradient, where=r_x >= r_state,
                asserts=[gradient <= 1 + r_x**2 + r_state**2]),
        Control("a Lipschitz constant of order one", breaks=in_radius,
                measure=lambda gate, p: measure(gate, p, steep=False)),
        Control("one logarithm more", breaks=in_log, measure=lambda gate, p: measure(gate, p, more=1)),
    ],
)
printed_proof = Claim(
    "Lemma 24, the variables of the printed proof",
    role="pitfall", source="published: Lemma 24, its proof; prose",
    scope={"every r_x and r_state": "points"},
    note="Said by the printed proof, in one sentence: dimension 3 for r_h = 0 and 2 otherwise.",
    asserts=[variables.equals(by_state(3, 2)), in_error.equals(by_state(2, 3))], expect="REFUTED",
    measure=lambda gate, p: {variables: gate.counted(box(p)), in_error: powers(int(by_state(3, 2).subs(
        r_state, p.r_state)))[in_error]}, **shared,
    controls=[Control("the two exchanged again", asserts=[asserts[0], asserts[3]], measure=measure)],
)
