"""Small claims whose verdicts are recorded, and what is read of an answer: points, rows and refusals, never a time."""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq, Rational, exp, log, sqrt
from tiny import M, N, constant, shrinking, tiny, value

from theorytools import (
    Budget,
    Control,
    Enclosure,
    Quantity,
    enclosed,
    grid,
    letter,
)
from theorytools.claims.language import estimate, slope
from theorytools.errors import TheoryError

q, r = (letter(name, "a size", integer=True, nonnegative=True) for name in ("q", "r"))


beta = letter("beta", "a temperature", positive=True)


rho = letter("rho", "a correlation")


HUGE = Control("huge", breaks=value, measure=lambda thing, p: {value: 10**9})


LOW = Control("low", breaks=value, measure=lambda thing, p: {value: -(10**9)})


SAID = ("seconds", "cpu", "versions", "machine", "command", "seed", "digest")


def said(call, *given):
    """What a call returns, or what its refusal requires."""
    try:
        return call(*given)
    except TheoryError as error:
        return f"refused: {error.given}; {error.required}; {error.why}; {error.advice}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def shown(made):
    """A verdict without times and versions; the work of an estimate without the machine."""
    return {name: part for name, part in made.to_json().items() if name not in SAID}


def claims():
    """The claims that are judged, by name."""
    root = enclosed(lambda: Enclosure(2).sqrt() * Enclosure(3).sqrt())
    window = [2, 4, 8, 16]
    curve = slope.curve_slope(window, [n * n for n in window])
    wide = {"grid": grid(N=[2, 16, 64, 1024])}
    two = {"grid": grid(N=[2, 5, 9], q=[1, 3]), "requires": [q <= N, N >= 2]}
    repair = Control("one more allowed", asserts=[value <= N + 1])
    share = Quantity("share", "p", "a share", (0, 1))
    made = {
        "attained": tiny(),
        "below": tiny(asserts=[value <= 3 * N / 2], controls=[HUGE], **wide),
        "above": tiny(asserts=[value >= N - 1], controls=[LOW], **wide),
        "both": tiny(asserts=[value.equals(N, within=Rational(1, 10) * N)], controls=[HUGE], **wide),
        "mirrored": tiny(asserts=[value.equals(-N, within=N / 20)], controls=[HUGE],
                         measure=lambda thing, p: {value: -Fraction(101, 100) * p.N}, **wide),
        "negative": tiny(asserts=[value <= -N / 2], controls=[HUGE], measure=lambda thing, p: {value: -p.N}, **wide),
        "zero": tiny(asserts=[value.equals(0)], controls=[HUGE], measure=lambda thing, p: {value: 0}, **wide),
        "two letters": tiny(asserts=[value <= N + q], controls=[HUGE], **two),
        "words": tiny(asserts=[value <= N], controls=[HUGE], grid=grid(N=[2, 3], kind=["plain", "round"])),
        "rational": tiny(asserts=[value <= exp(beta)], controls=[HUGE], grid=grid(beta=["1/2", 1, 3]),
                         requires=[beta <= 4], construct=lambda p: p.beta),
        "let": tiny(asserts=[value <= M], lets={M: N**2}, controls=[HUGE], requires=[M <= 100], **wide),
        "derived": tiny(asserts=[value <= rho], derived=[rho], derive=lambda thing, p: {rho: sqrt(2) * p.N},
                        requires=[rho >= 1], controls=[HUGE]),
        "open": constant(root, value <= sqrt(6)),
        "tied": constant(root, replace(value <= sqrt(6), tie=Rational(1, 10**9))),
        "sampled": constant(shrinking(1, 2, 1, Fraction(1, 4)), value <= Rational(3, 2)),
        "sampled open": constant(shrinking(1, 2, 1), value <= Rational(3, 2), budget=Budget(bits=128)),
        "fitted": constant(estimate.fitted(0.8, 0.9, repeats=5), value <= 1),
        "slope": constant(curve, value.slope(N, N**2), repair=slope.curve_slope(window, [n**3 for n in window])),
        "published": tiny(expect="REFUTED", measure=lambda thing, p: {value: p.N + 1}, controls=[repair, HUGE]),
        "published, not so": tiny(expect="REFUTED", controls=[repair, HUGE]),
        "false": tiny(asserts=[value <= N - 1, value >= 0], controls=[HUGE], **wide),
        "powerless": tiny(controls=[Control("nothing", breaks=value, construct=lambda p: p.N)]),
        "weak": tiny(asserts=[value <= 1000 * N], controls=[Control("three", breaks=value,
            construct=lambda p: 3 * p.N)]),
        "nowhere": tiny(controls=[replace(HUGE, where=N >= 10)]),
        "somewhere": tiny(controls=[replace(HUGE, where=N >= 3), replace(HUGE, name="other", where=Eq(N, 2))]),
        "vacuous": tiny(asserts=[share <= N], measure=lambda thing, p: {share: 1},
                        controls=[Control("none", breaks=share, asserts=[share <= 0])]),
        "partly vacuous": tiny(asserts=[share <= N / 4], measure=lambda thing, p: {share: Fraction(1, 5)}, **wide,
                               controls=[Control("none", breaks=share, asserts=[share <= 0])]),
        "outside": tiny(requires=[N >= 5]),
        "partly outside": tiny(requires=[N >= 3]),
        "undefined": tiny(asserts=[value <= log(N - 2)], controls=[HUGE]),
        "infinite": tiny(asserts=[value <= 1 / (N - 2) + 10], controls=[HUGE]),
    }  # fmt: skip
    return made


def few():
    made = claims()
    return {name: made[name] for name in ("attained", "two letters", "words", "rational", "let", "derived")}
