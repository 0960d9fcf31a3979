"""Significant bits against length: how precise a number must be for Lemma 11's head to read an index."""

from __future__ import annotations

from sympy import Integer, Rational, Symbol

from theorytools.phase.declaration import Axis, Panel, Phase, Rule, Spread

from ..notation import N

p = Symbol("p", integer=True, positive=True)
coarser = Spread(letter=p, direction="down", reason="a number of fewer bits is one of more bits with zeros at its end")
RADIUS, TOLERANCE = Integer(2), Rational(1, 20)

excluded = Rule(
    kind="impossible", claim="qstr.lemma_11_bits.stored", quantity="least error", spreads=[coarser], edge="bound",
    at={"N": N, "u": 2**-p, "r_x": RADIUS}, over=["every N", "every function of the stored tokens"],
    says="every function of tokens that are stored in p bits misses some token by more, however it is computed",
)


def certified(delta: Rational) -> Rule:
    return Rule(
        kind="possible", claim="qstr.lemma_11_bits", quantity="certified error",
        at={"N": N, "u": 2**-p, "delta": delta, "r_x": RADIUS}, over=["every prompt and order of sums"],
        says="Lemma 11's head on BCH codes, every number and sum in p bits, exponentials rounded to nearest",
    )


phase = Phase(
    title="Significant bits for reading an index",
    task="One head of Lemma 11 in a floating-point format of p significant bits, tokens of dimension 1, norm at most 2",
    goal="every token read to within 1/20 of the radius, on all prompts and in any order of summation",
    level=TOLERANCE,
    across=Axis(letter=N, values=tuple(2**k for k in range(2, 14)), means="tokens", logarithmic=True),
    up=Axis(letter=p, values=tuple(range(1, 25)), means="significant bits"),
    panels=[
        Panel(title="leakage 1/100 without rounding", rules=[excluded, certified(Rational(1, 100))]),
        Panel(title="leakage 1/10^6 without rounding", rules=[excluded, certified(Rational(1, 10**6))]),
    ],
    agenda="Below the certificate nothing is proved to fail but what storing a token loses, which does not depend on "
    "N: whether bits must grow with log N at a given temperature is open. The certificate asks for 8 bits and more.",
)
