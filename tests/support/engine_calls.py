"""What the verdict engine says of small claims, part by part: each function below is one answer of the record.

The claims are those of ``tiny`` and a few with two letters, words, rationals, lets, derived letters and slopes; what is
read of the engine is points, rows, formulas and refusals, never a time.
"""

import ast
import itertools
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import checkfolders
import sympy
from sympy import And, Eq, Ge, Gt, Le, Lt, Ne, Not, Or, Rational, ceiling, exp, floor, log, sqrt
from tiny import CHECK, M, N, constant, shrinking, tiny, value, x

from theorytools import Budget, Control, Enclosure, Estimate, Evidence, Quantity, enclosed, exactly, grid, letter, points
from theorytools.claims.judging import (
    compact,
    conclude,
    description,
    falsify,
    horizon,
    hypotheses,
    necessity,
    necessity_point,
    picture,
    plain,
    pool,
    record,
    region,
    run,
    sealed,
    tracks,
    uses,
    verdict,
    weaken,
    witness,
)
from theorytools.claims.judging.judge import judge
from theorytools.claims.language import assertion as assertions
from theorytools.claims.language import bound, estimate, growth, slope
from theorytools.claims.language import grid as grids
from theorytools.claims.papers import location, notes, paper, syntax
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.errors import TheoryError
from theorytools.numbers import End

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
    root = enclosed(lambda: (Enclosure(2).sqrt() * Enclosure(3).sqrt()))
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
        "weak": tiny(asserts=[value <= 1000 * N], controls=[Control("three", breaks=value, construct=lambda p: 3 * p.N)]),
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


# -- judging ---------------------------------------------------------------------------------------------------------
def of_verdicts():
    return {name: shown(judge(claim, "toy.lemma_01")) for name, claim in claims().items()}


def of_points_of_a_user():
    at = [{"N": 1}, {"N": 7}, {"N": "5/2"}, {"N": 0}, {"N": -3}, {"N": "word"}, {}, {"N": 2, "d": 3}]
    return {name: [said(lambda: shown(judge(claims()[name], "toy.lemma_01", [place]))) for place in at]  # noqa: B023
            for name in ("attained", "below", "both", "published", "weak", "nowhere", "partly outside", "undefined")}


def of_points_together():
    at = [{"N": n} for n in (1, 2, 3, 10)]
    made = {}
    for name in ("attained", "partly outside", "nowhere", "somewhere", "undefined", "published"):
        made[name] = shown(judge(claims()[name], "toy.lemma_01", at))
    return made


def of_times():
    """The times themselves are not told; that they add up is."""
    made = judge(claims()["below"], "toy.lemma_01")
    parts = made.cpu_points
    return [len(parts), min(parts) >= 0, sum(parts) <= made.cpu + 1e-9, made.cpu > 0, made.seconds > 0]


def of_rows():
    """What a row says of itself, over all relations, signs and widths."""
    ends = [(-3, -2), (-1, 1), (0, 0), (1, 1), (1, 2), (2, 5)]
    made = []
    for relation, (a, b), (c, d) in itertools.product(("<=", ">=", "=="), ends, ends):
        left = Estimate(End(a), End(b), Evidence.ENCLOSED)
        right = Estimate(End(c), End(d), Evidence.EXACT)
        row = verdict.Row({"N": "4", "k": "word", "e": "1/2"}, "", "v", "v", relation, None, left, (right,))
        row = replace(row, truth=row.compared)
        made.append([row.truth, row.slack, row.evidence, row.at, verdict._miss(row), horizon._gaps(row), row.to_json()])
    return made


def of_strongest_rows():
    rows = []
    for low, evidence in itertools.product((3, 5, 9), Evidence):
        left, right = Estimate(End(low), End(low), evidence), Estimate(End(2), End(2), Evidence.EXACT)
        rows.append(verdict.Row({"N": str(low)}, "", "v", "v", "<=", False, left, (right,)))
    return [verdict.strongest(rows[i:j]) for i in range(0, len(rows), 4) for j in range(i, len(rows), 3)]


def made_row(truth, evidence, control="", must_break=False, size=2, vacuous=False):
    left, right = Estimate(End(1), End(1), evidence, 1e-7), Estimate(End(2), End(2), Evidence.EXACT)
    return verdict.Row({"N": str(size)}, control, "value <= N", "value", "<=", truth, left, (right,), vacuous, False, 1,
                       2.0, must_break)  # fmt: skip


def of_conclusions():
    """The outcome of every combination of two honest rows and a control."""
    stated = conclude.Stated((conclude.Named("value <= N"),), (conclude.Named("c"), conclude.Named("r", True)), "HOLDS")
    made = []
    for a, b, c, d in itertools.product((True, False, None), repeat=4):
        for strong, weak in ((Evidence.EXACT, Evidence.EXACT), (Evidence.EXACT, Evidence.FITTED)):
            rows = [made_row(a, strong), made_row(b, strong, size=3), made_row(c, weak, "c", True), made_row(d, weak, "r")]
            for user, expect in ((False, "HOLDS"), (True, "REFUTED"), (False, "UNDECIDED")):
                found = conclude.conclude(replace(stated, expect=expect), rows, (), user=user)
                made.append([str(found["outcome"]), found["as_expected"], found["reason"], found["evidence"],
                             [(c.outcome, c.applied, c.broken, c.detail) for c in found["controls"]]])  # fmt: skip
    return [" ".join(map(str, line)) for line in made[:64]], [" ".join(map(str, line)) for line in made[64:]][-64:], [
        sum(line[0] == word for line in made) for word in ("HOLDS", "REFUTED", "UNDECIDED", "POWERLESS")
    ], sum(line[1] for line in made)


def of_points_left_out():
    skipped = [{"point": {"N": "1"}, "control": "", "reason": "too small", "open": False},
               {"point": {"N": "9"}, "control": "", "reason": "too much work", "open": True}]  # fmt: skip
    stated = conclude.Stated((conclude.Named("value <= N"),), (conclude.Named("c"),), "HOLDS")
    rows = [made_row(True, Evidence.EXACT), made_row(False, Evidence.EXACT, "c", True)]
    sampled = [made_row(True, Evidence.SAMPLED), made_row(True, Evidence.SAMPLED, size=3), made_row(True, Evidence.FITTED),
               made_row(False, Evidence.FITTED, "c", True), made_row(False, Evidence.FITTED, "c", True, size=3)]  # fmt: skip
    made = []
    for own, parts, user in itertools.product((rows, rows[:1], sampled, []), (skipped, skipped[:1], skipped[1:], []),
                                              (False, True)):  # fmt: skip
        found = conclude.conclude(stated, own, parts, user=user)
        made.append([str(found["outcome"]), found["as_expected"], found["reason"]])
    return made


def of_horizons():
    made = {}
    for name, claim in claims().items():
        rows = judge(claim, "toy.lemma_01").rows
        moved = [replace(row, point={**row.point, "zero": "0", "half": "1/2", "minus": "-3"}) for row in rows]
        words = [replace(row, point={"N": "1" if row.point.get("N") == "2" else "3/2"}) for row in rows]
        made[name] = [horizon.horizon(own, {}) for own in (rows, rows[:1], moved, words)]
        made[name] += [horizon.horizon(rows, {row.assertion: ["N"] for row in rows}), horizon.tested(r.point for r in moved)]
        made[name] += [horizon.horizon(rows, {row.assertion: ["q"] for row in rows}), picture.size_letter(moved)]
    return made


def of_pictures():
    rows = [row for row in judge(claims()["two letters"], "toy.lemma_01").rows if not row.control]
    found = [picture.size_letter(part) for part in (rows, rows[:1], rows[:2], rows[::2], [])]
    return found, picture.numbers({"N": "4", "k": "word", "e": "1/2", "m": "-3"})


# -- where a search looks ----------------------------------------------------------------------------------------------
def axes_of(claim):
    return {name: region.Axis.of(claim, name) for name in claim.grid.axes}


def of_axes():
    made = {}
    for name, claim in {**few(), "lower": tiny(requires=[N >= 3, N < 50]), "third": tiny(grid=grid(N=[2, 7, 31, 400])),
                        "minus": tiny(asserts=[value <= x], grid=grid(x=[-4, "1/3", 2]), controls=[HUGE]),
                        "between": tiny(asserts=[value <= x], grid=grid(x=[1]), controls=[HUGE],
                                        requires=[x > -1, 2 >= x])}.items():  # fmt: skip
        for axis in axes_of(claim).values():
            numbers = [Fraction(k, 4) for k in range(-12, 24)] if not axis.words else []
            made[f"{name} {axis.name}"] = [
                axis.words, axis.integral, axis.low, axis.high, axis.values, len(axis.small), axis.small[:40],
                axis.words or axis.edges(), axis.words or list(itertools.islice(axis.grown(), 60)),
                [axis.inside(n) for n in numbers], [axis.nearest(n) for n in numbers], axis.words or axis.least,
            ]  # fmt: skip
    return made


def of_ends():
    kinds = [[N >= 3], [N > 3], [N <= 9], [N < 9], [3 <= N, N <= 9], [Ge(9, N)], [Lt(2, N)], [Eq(N, 4)], [Ne(N, 4)],
             [N >= 3, N >= 5], [N <= 9, N <= 7], [N >= sqrt(2)], [N + 1 <= 4], [Or(N <= 3, N >= 9)], []]  # fmt: skip
    return [region.ends(tiny(requires=kind), N) for kind in kinds] + [region.ends(tiny(), None)]


def of_joint_edges():
    two = {"asserts": [value <= N + q], "controls": [HUGE], "grid": grid(N=[2, 5, 9], q=[1, 3])}
    made = []
    for conditions in ([q <= N], [2 * q < N, N >= 2], [Eq(q, N)], [q**2 <= N, q <= 20]):
        claim = tiny(requires=conditions, **two)
        made.append([list(itertools.islice(region.joint_edges(claim, axes_of(claim), dict(row)), 30)) for row in claim.grid])
    smooth = tiny(asserts=[value <= x + beta], controls=[HUGE], grid=grid(x=[1, 2], beta=[3]),
                  requires=[2 * x <= beta + 1, x * beta <= 5])  # fmt: skip
    return [*made, [list(region.joint_edges(smooth, axes_of(smooth), dict(row))) for row in smooth.grid]]


def of_choices():
    given = [3, "3", "1/2", [1, 2], "1,2", (4, "5"), range(3), [], None, True, float("nan"), float("inf"), "a b", [None], {}]
    made = [said(region.axis_choices, "N", one) for one in given]
    tied = tiny(asserts=[value <= N + q + r], controls=[HUGE], grid=grid(N=[4, 8], q=[2], r=[2]),
                requires=[Eq(N, 2 * q), Eq(r, ceiling(N / 2))])  # fmt: skip
    moves = [{"N": 6}, {"N": [6, 10]}, {"q": 5}, {"N": 5}, {"r": 3}, {"N": 6, "q": 4}, {"d": 3}, {"M": 3}, {"N": "word"}]
    made += [said(region.move, tied, "toy.x", one) for one in moves]
    return made + [said(region.move, claims()["words"], "toy.x", one) for one in ({"kind": "round"}, {"kind": "x"},
                                                                                  {"kind": 3}, {"N": "plain"})]  # fmt: skip


def of_tours():
    made = {}
    for (name, claim), timed, judged in itertools.product(few().items(), (True, False), (True, False)):
        listed = itertools.islice(tracks.tour(claim, axes_of(claim), timed=timed, judged=judged), 400)
        pairs = [(track.growing, tuple(point.values())) for track, point in listed]
        made[f"{name} {timed} {judged}"] = [len(pairs), str(pairs[:150]), str(pairs[150:])[-3000:]]
    table = tiny(tabulated=["N"])
    made["fixed"] = [point for _, point in tracks.tour(table, axes_of(table))]
    claim = tiny(grid=grid(N=[2, 7, 31, 400]), requires=[N <= 50000])
    grown = tracks._growing(claim, axes_of(claim), False)
    return made, [list(itertools.islice(track.points, 50)) for track in grown]


def of_anywhere():
    made = {}
    for name, claim in few().items():
        made[name] = list(itertools.islice(tracks._anywhere(axes_of(claim)), 60))
    return made


def of_paid():
    """When a track ends: by the time that its next point may take, or by its memory."""
    made = []
    for growing, costs, left, memory in itertools.product((True, False), ((1, 1), (1, 2), (0.001, 0.004), (0.01, 0.08), (0, 4)),
                                                          (None, 16, 40), (0, 2**18, 2**19)):  # fmt: skip
        track = tracks.Track(iter(()), growing=growing)
        for cost in costs:
            track.paid(tracks.Spent(cost, memory), left)
        made.append((track.last, track.ended))
    near = []
    for left in (1, 2, 4, 8, 12, 18, 20, 32, 36, 72, 100):
        track = tracks.Track(iter(()), growing=True)
        track.last = 0.5
        track.paid(tracks.Spent(0.6, 0), left)
        near.append(track.ended)
    return str(made), near


def of_compositions():
    return [list(tracks._compositions(total, tops)) for total in range(6) for tops in ([2], [1, 3], [0, 2, 2], [4, 4])]


def of_searches():
    made = {}
    for name, claim in {**few(), "false beyond": tiny(asserts=[value <= 40 + N / 2], controls=[HUGE]),
                        "false": claims()["false"], "mistaken": tiny(measure=lambda thing, p: {value: 6 // (p.N - 2)
                        if p.N not in (2, 3) else 1}), "forgetful": tiny(asserts=[value <= N + q], controls=[HUGE],
                        grid=grid(N=[2, 3], q=[1]), construct=lambda p: p.N + p.q * p.q)}.items():  # fmt: skip
        for judged in (False, True):
            found = said(lambda: falsify.falsify(claim, "toy.lemma_01", evaluations=60, judged=judged))  # noqa: B023
            made[f"{name} {judged}"] = found if isinstance(found, str) else {**found.to_json(), "seconds": 0,
                                                                           "more": [found.judged, found.refused]}
    return made


def of_searches_beyond():
    claim = tiny(asserts=[value <= N * N], controls=[HUGE], requires=[N >= 2], construct=lambda p: p.N + p.N // 4)
    made = []
    for least in (Evidence.FITTED, Evidence.EXACT):
        for listed in ([], [{"N": 9}], [{"N": 1}, {"N": 2}], [{"N": n} for n in range(-3, 9)]):
            found = falsify.falsify(replace(claim, requires=[]), "toy.x", evaluations=9, judged=True, beyond=listed, least=least)
            made.append({**found.to_json(), "seconds": 0})
    return made, [list(falsify._lesser(one)) for one in ({"N": 9, "k": "w"}, {"N": -3}, {"N": Fraction(7, 2)}, {"N": 0})]


# -- hypotheses ----------------------------------------------------------------------------------------------------
def conditions():
    return [N >= 3, N > 3, N <= 9, N < 9, Eq(N, 4), q <= N, q < N, 2 * q <= N, beta <= 4, beta > Rational(1, 2), q * N >= 6,
            beta * rho < 1, rho <= 1, -1 <= rho, Ge(sqrt(N), q), Or(N <= 3, q >= 2), And(q <= N, N <= 30), N**2 >= q]  # fmt: skip


def of_hypotheses():
    made = []
    claim = tiny(asserts=[value <= N + q + beta + rho], controls=[HUGE], requires=conditions(),
                 grid=grid(N=[4, 8], q=[2, 3], beta=[1, "3/2"], rho=["1/3"]))  # fmt: skip
    for one in weaken.Hypothesis.of(claim):
        places = [one.beyond(claim, notch=notch) for notch in (True, False)]
        asked = [None if place is None else [str(c) for c in place.requires] for place in places]
        made.append([one.text, one.implied, str(one.weaker), one.change, len(one.others), asked, weaken.follows(claim, one)])
    return made


def of_following():
    sets = [[N >= 3, N >= 2], [q <= N, N <= 5, q <= 5], [q <= N, N <= 5, q <= 4], [2 * q <= N, q >= 3, N >= 6],
            [2 * q <= N, q >= 3, N >= 7], [q < N, q + 1 <= N], [q + 1 <= N, q < N], [Eq(q, 2), q <= 2], [Eq(q, 2), q < 2],
            [Ne(q, 2), q >= 3], [q**2 >= 1, q >= 1], [beta < 2, beta <= 2], [beta <= 2, beta < 2], [rho < 1, rho <= 1],
            [N >= q + r, N >= q], [N >= q, N >= q + r], [Or(q >= 4, q <= 1), q >= 0]]  # fmt: skip
    made = []
    for parts in sets:
        claim = tiny(asserts=[value <= N + q + r + beta + rho], controls=[HUGE], requires=parts,
                     grid=grid(N=[4], q=[2], r=[1], beta=[1], rho=["1/3"]))  # fmt: skip
        made.append([weaken.follows(claim, one) for one in weaken.Hypothesis.of(claim)])
    return made


def of_points_across():
    claim = tiny(asserts=[value <= N + q + beta], controls=[HUGE], requires=[q <= N, N >= 3, beta <= 2, N <= 20],
                 grid=grid(N=[4, 8], q=[2, 3], beta=[1, "3/2"]))  # fmt: skip
    made = []
    for one in weaken.Hypothesis.of(claim):
        for notch, far in ((True, False), (False, True)):
            place = one.beyond(claim, notch=notch)
            if place is not None:
                found = list(weaken.across(place, claim, one, far=far))
                made.append([len(found), str([tuple(point.values()) for point in found])])
    return [text for _, text in made], [count for count, _ in made]


def of_cells():
    claim = tiny(asserts=[value <= N * N], controls=[HUGE], requires=[N >= 2, N >= 1, N <= 50],
                 construct=lambda p: p.N + 1)  # fmt: skip
    two = tiny(asserts=[value <= N], controls=[HUGE], requires=[q <= N, q >= 1], grid=grid(N=[2, 5], q=[1, 2]),
               construct=lambda p: p.q)  # fmt: skip
    fixed = tiny(requires=[N <= 9], tabulated=["N"])
    made = []
    for one in (claim, two, fixed, replace(claim, expect="REFUTED", controls=[Control("r", asserts=[value <= N + 9])])):
        for cell in necessity.cells(one, id="toy.lemma_01"):
            made.append([cell.to_json(), necessity_point.exhausted(one, "toy.lemma_01", cell)])
    cell = next(necessity.cells(claim, id="toy.lemma_01"))
    made += [said(necessity_point.examine_point, claim, "toy.x", replace(cell, state="unknown"), at)
             for at in ({"N": "1"}, {"N": "2"}, {"d": "1"}, {})]  # fmt: skip
    return made


def of_values_at_hypotheses():
    values = {"N": 4, "q": Fraction(5, 2), "beta": Fraction(1, 2), "rho": lambda: Enclosure(2).sqrt(), "r": 3}
    letters = {s.name: s for s in (N, q, r, beta)}
    made = [hypotheses.failing([one], values, names, bits=128) for one in conditions() for names in ({}, letters, {"r": r})]
    return made, hypotheses.failing([rho * rho <= 2, N <= 1], values, {}, bits=128), hypotheses.failing(
        [rho * rho <= 2, N <= 9], values, {}, bits=128)  # fmt: skip


# -- what is kept ---------------------------------------------------------------------------------------------------
def of_compact_verdicts():
    made = {}
    for name, claim in claims().items():
        data = judge(claim, "toy.lemma_01").to_json()
        source = {"provenance": "derived", "where": "Lemma 1", "seen": "display", "sha256": "0"}
        data |= {"note": "", "role": "", "scope": {}, "tier": "seconds", "source": source}
        small = compact.compact(data)
        again = compact.expanded(small, {})
        made[name] = [small, again["rows"], again["tested"], again["horizon"], sealed.contradiction(data)]
    return made


def of_contradictions():
    """A verdict with one part changed: what does not follow from its own ends."""
    data = judge(claims()["attained"], "toy.lemma_01").to_json()
    made = []
    for part, other in (("outcome", "REFUTED"), ("as_expected", False), ("power", 2.0), ("evidence", "FITTED"),
                        ("powers", {"value <= N": 2.0}), ("rows", []), ("controls", []), ("user_points", True)):
        made.append(said(sealed.contradiction, {**data, part: other}))
    for name, other in (("truth", None), ("truth", False), ("tied", True), ("control", "x"), ("relation", ">=")):
        for k in range(len(data["rows"])):
            rows = [{**row, name: other} if i == k else row for i, row in enumerate(data["rows"])]
            made.append(said(sealed.contradiction, {**data, "rows": rows}))
    return made, [sealed.intact(data), sealed.intact(sealed.sealed(data)), sealed.intact({**sealed.sealed(data), "power": 1})]


def of_numbers_kept():
    ends = [End(3), End(Fraction(1, 3)), End(10**200), End(Fraction(1, 7**200)), End(-2)]
    made = []
    for low, evidence in itertools.product(ends, Evidence):
        one = verdict.estimate_json(Estimate(low, low, evidence))
        made.append([compact.number(one), verdict.estimate_from_json(one), compact.exact_text(one["low"])])
    return made, compact.number(verdict.estimate_json(Estimate(End(1), End(2), Evidence.ENCLOSED)))


def of_witnesses():
    found = falsify.falsify(claims()["false"], "toy.lemma_01", evaluations=30)
    kept = witness.witness(found, evaluations=30, hypothesis="N >= 2", within=True)
    pairs = itertools.product(("1/2", "#", ["E", 1.0, 2.0], ["E", 1.5], ["E", 3.0, None], ["F", 1.0, 2.0], ["#", "a"],
                               ["E", None, 1.2]), repeat=2)  # fmt: skip
    return kept, [witness._meets(a, b) for a, b in pairs], said(witness.witness, replace(found, row=None))


def of_statements():
    made = {name: [plain.statement(claim), description.formulas(claim)] for name, claim in claims().items()}
    texts = [said(plain.plain, one) for one in (sqrt(2) * N, exp(beta) / N, sympy.Symbol("E"), sympy.Symbol("pi"), sympy.E)]
    return made, texts, [plain.relation_text(one) for one in [*conditions(), Not(Or(N <= 3, Eq(q, 2)))]]


def of_docstrings():
    doc = "A fact.\nMore of it.\n\nSetting   Some $N$.\n  And more.\nStatement  $v$.\nControls   One.\nReads it\n"
    return description.split_docstring(doc), description.split_docstring(""), description.command("a.b", {"N": "3", "k": "w"})


# -- the language ---------------------------------------------------------------------------------------------------
def of_assertions():
    made = []
    for rhs, within, tie, relation in itertools.product((N, -N, 0, Rational(3, 2)), (0, 1), (0, Rational(1, 8)),
                                                        ("<=", ">=", "==")):  # fmt: skip
        one = assertions.Assertion(value, relation, rhs, within, tie)
        near = [a for sign in (-1, 0, 1) for a in one.tightened(Fraction(5, 4), sign=sign)]
        made.append(" ".join(map(str, [one.name, one.latex(), one.sides(), one.loosened().sides(), [a.sides() for a in near],
                                       one.sloped, one.left_latex])))  # fmt: skip
    bent = value.slope(N, N**2, ">=")
    return made[:48], made[48:], bent.name, bent.latex(), bent.sloped, said(bent.on, Estimate.of(3)), bent.on(
        Estimate.of(3, window=[2, 4])).sides()  # fmt: skip


def of_comparisons():
    ends = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (3, 4)]
    boxes = [Estimate(End(a), End(b), Evidence.ENCLOSED) for a, b in ends]
    return [[assertions.related(relation, a, pair) for a in boxes for b in boxes for pair in ([b], [b, boxes[3]])]
            for relation in ("<=", ">=", "==")]  # fmt: skip


def of_estimates():
    boxes = [Estimate(End(a), End(b), Evidence.EXACT) for a, b in ((0, 4), (1, 2), (2, 9), (5, 6))]
    budgets = [Budget(bits=bits) for bits in (64, 100, 256)]
    ladders = [enclosed(lambda: Enclosure(2).sqrt()), enclosed(lambda: Enclosure(2), first_bits=32), exactly(Fraction(1, 3)),
               estimate.enclosed_between(lambda: Enclosure(2).sqrt(), lambda: Enclosure(3).sqrt()),
               estimate.enclosed_between(lambda: Enclosure(2), lambda: Enclosure(2)), estimate.fitted(0.1, 0.7)]  # fmt: skip
    made = [[[step, dict(step.work)] for step in one.steps(1e-6, budget)] for one in ladders for budget in budgets]
    widths = [(0.25, 0.75), (0.3, float("inf")), (0.0, 0.1), (float("-inf"), 2.0), (1.0, 1.0), (-3.3, 1e-5), (1e300, 1.1e300),
              (1.0, 1.0 + 2**-40), (0.0, 2.0**-1001)]  # fmt: skip
    return made, [said(a.within, b) for a in boxes for b in boxes], [estimate.outward(*w) for w in widths], [
        said(Estimate, End(2), End(1), Evidence.EXACT), said(estimate.certain, 0.5), said(estimate.certain, True),
        [said(float, one) for one in ladders], [said(lambda: one.fraction) for one in ladders], list(map(repr, ladders)),  # noqa: B023
        list(map(str, boxes)), estimate.unbounded(Evidence.FITTED)]  # fmt: skip


def of_growths():
    known = {q: growth.Growth(Rational(1, 2))}
    formulas = [N, N**2 / log(N), log(N) ** 2, exp(N), N * log(log(N)), 3 + 1 / N, N - N + 5, sqrt(N) + log(N), 1 / (N + 1),
                sympy.Max(N, 7), sympy.Min(N, 7), ceiling(N / 2), floor(N), ceiling(1 / N), N**q, q * N, 2**N, -N, N**-2,
                (1 + 1 / N) ** 2, log(N + N**2), log(2 + 1 / N), sympy.Abs(N - 9), N - N**2, sympy.sin(N)]  # fmt: skip
    leads = [said(growth.leading_term, one, N, known) for one in formulas]
    return leads, [said(lambda: (g.direction, g.limit, g.exponent)) for g in leads if not isinstance(g, str)], [  # noqa: B023
        said(lambda: bound.Bound(one).exponent(N)) for one in formulas]  # noqa: B023  # fmt: skip


def of_bounds():
    formulas = [N, exp(-beta) / N, sqrt(N + beta), N ** Rational(1, 3), log(beta), sympy.Max(beta, 2), ceiling(beta), 5]
    at = [{"N": 4, "beta": "1/2"}, {"N": 1, "beta": 0}, {"N": 9, "beta": 3.25}]
    made = []
    for formula in formulas:
        one = bound.Bound(formula)
        for place in at:
            mine = {name: place[name] for name in one.letters}
            box = said(lambda: one.enclosure(**mine))  # noqa: B023
            same = said(lambda: box.same(one.enclosure(64, **mine)))  # noqa: B023
            made.append([one.letters, said(lambda: one(**mine)), box, same, said(lambda: one.enclosure(32, **mine))])  # noqa: B023
        made.append([said(one.slope, N, [2, 4, 8]), one.latex()])
    return made, [said(bound.expression, one) for one in (0.5, True, "N", "N +", None, 3, Fraction(1, 2), N > 2)]


def of_slopes():
    window = [2, 4, 8]
    curve = slope.curve_slope(window, [1, Fraction(9, 2), lambda: Enclosure(20).sqrt()])
    bent = value.slope(N, N**2 * log(N)).expr
    return curve, [said(slope.checked_window, one) for one in ([2, 4], [2], [4, 2], [2, 2], [0, 1], [1, "x"])], [
        slope.window_text([2, Fraction(1, 2)]), slope.slopes_in(bent), str(slope.over_window(bent, window)),
        str(slope.without_slopes(bent + 1)), said(slope.curve_slope, window, [1, 2]), said(slope.curve_slope, window, [0, 1, 2])]


def of_grids():
    made = [grid(N=[1, 2], q=[3, 4]).points, points("N q", (1, 2), (3, 4)).points, (grid(N=[1]) + grid(N=[1, 2])).points]
    made += [said(grids.axis_value, one) for one in (3, 0.1, "0.1", "1/3", "word", "a b", True, None, float("nan"), 2.0, "2e3")]
    made += [said(grid), said(lambda: grid(N=3)), said(lambda: grid(N=[])), said(lambda: points("N q", (1,))),
             said(lambda: grids.Grid([{"N": 1}, {"q": 2}])), repr(grid(N=[1, 2], q=[3]))]  # fmt: skip
    seeds = [grids.seed_sequence("toy.x", {"N": n}, role).entropy for n in (1, Fraction(1, 2), "w") for role in "ab"]
    point = tiny(asserts=[value <= M], lets={M: N**2}).point({"N": 3}, "toy.x")
    return made, seeds, [point.N, point.M, str(point), point.text(), said(lambda: point.d), point.rng("a").integers(1000)]


def of_controls():
    made = []
    for breaks in (value, "value", "value <= N", value <= N, (), ["value", "other"], [value <= N + 1]):
        one = Control("c", breaks=breaks, measure=lambda thing, p: {})
        made.append([one.repair, len(one.targets), one.must_break(value <= N), one.must_break(value >= N)])
    return made, [said(lambda: Control("c", where=where)) for where in (True, N, None, N >= 2)], said(  # noqa: B023
        lambda: replace(HUGE, asserts=value <= N))  # fmt: skip


def of_claims_refused():
    """Claims that are not well formed: what is said of each."""
    no = Control("no", breaks=value)
    spoiled = [
        {"label": ""}, {"label": " "}, {"label": 3}, {"controls": None}, {"controls": []}, {"controls": [3]}, {"controls": HUGE},
        {"requires": N >= 2}, {"requires": [True]}, {"requires": [N]}, {"requires": [3]}, {"requires": [q >= 1]}, {"asserts": []},
        {"asserts": [N <= 3]}, {"asserts": None}, {"asserts": [value <= N, value <= N]}, {"asserts": [value <= q]},
        {"budget": 3}, {"note": 3}, {"lets": []}, {"lets": {N: 3}}, {"lets": {M: q}}, {"grid": [{"N": 2}]}, {"grid": grids.Grid([])},
        {"tier": "days"}, {"expect": "MAYBE"}, {"expect": "UNDECIDED"}, {"expect": "REFUTED"}, {"uses": ["x"]}, {"uses": "a.b"},
        {"uses": [3]}, {"uses": ["a.b"]}, {"construct": 3}, {"measure": None}, {"role": "x"}, {"scope": {"N": "x"}}, {"source": "x"},
        {"derived": [M]}, {"derive": lambda thing, p: {}}, {"derived": M}, {"tabulated": ["d"]}, {"tabulated": "N"},
        {"listed": ["d"]}, {"listed": ["N"]}, {"controls": [no]}, {"controls": [HUGE, HUGE]},
        {"controls": [replace(HUGE, asserts=[])]},
        {"controls": [replace(HUGE, breaks="x")]}, {"controls": [replace(HUGE, breaks=[value, "x"])]},
        {"controls": [Control("r", asserts=[value <= N])]}, {"controls": [replace(HUGE, where=q >= 2)]},
        {"controls": [replace(HUGE, asserts=[value <= q])]}, {"controls": [replace(HUGE, asserts=[value <= N, value <= N])]},
        {"asserts": [value <= sympy.Function("f")(N)]}, {"asserts": [value <= sympy.Symbol("N", positive=True)]},
        {"asserts": [value <= N, Quantity("value", "w") >= 0]}, {"asserts": [value <= N + sympy.Symbol("N")]},
        {"requires": [sympy.true]}, {"requires": [And(N >= 2, Not(N >= 9))]}, {"asserts": value <= N},
    ]  # fmt: skip
    return [said(lambda: tiny(**parts).label) for parts in spoiled]  # noqa: B023


def of_alphas():
    made = [claims()[name].row_alpha() for name in ("attained", "two letters", "false", "somewhere")]
    return made, [claims()["below"].row_alpha(count) for count in (0, 1, 4, 5, 100)], sorted(claims()["let"].all_letters())


# -- files of checks --------------------------------------------------------------------------------------------------
TEXTS = {
    "plain": CHECK,
    "annotated": CHECK.replace("claim = Claim(", "claim: Claim = Claim("),
    "unlabelled": CHECK.replace('    "Lemma 1",\n', '    label="Lemma 2",\n'),
    "two": CHECK + '\nother = replace(claim, label="Lemma 3")\nthird = replace(claim, note="x")\nfourth = dict(label="x")\n',
    "loop": CHECK + "\nfor n in range(2):\n    Claim(str(n))\n",
    "function": CHECK + '\ndef make():\n    return Claim("x", **{})\n',
    "list": 'made = [Claim("x")]\n',
    "named": 'x = claims.Claim("y", role="statement")\n',
    "shared": 'x = Claim("y", **shared)\n',
    "spoken": CHECK + '\n# Claim(\ntext = "Claim("\n',
    "called": CHECK + "\nfor n in range(2):\n    print(n)\n# Claim( in words\n",
    "broken": "def (:\n",
    "none": "x = 3\n",
}


def of_listed_claims():
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "toy"
        home.mkdir()
        (home / "paper.toml").write_text("", encoding="utf-8")
        for name, text in TEXTS.items():
            path = home / f"{name}.py"
            path.write_text(text, encoding="utf-8")
            made[name] = [[e.id, e.stem, e.name, e.label, e.error, e.silent, e.role] for e in syntax.read_entries(path)]
            made[name] += [syntax.is_check(path), location.stem_of(path), location.may_hold_claims(path)]
        made["paths"] = [path.name for path in location.check_paths(home)]
    return made


def of_fingerprints():
    """Which changes of a check count: the groups of texts that have one fingerprint."""
    texts = [CHECK, CHECK.replace("A size $N$", "A number"), CHECK + "\n# a comment\n", CHECK.replace("Lemma 1", "Lemma 9"),
             CHECK.replace("<= N", "<= N + 1"), CHECK.replace("N=[2, 3]", "N=[2, 4]"), CHECK.replace("p.N + 1", "p.N + 2"),
             CHECK.replace("import Claim, Control, Quantity, grid", "import Quantity, grid, Control, Claim"),
             CHECK + "\ntext = f'{3:>{4}}'\n", CHECK + "\nimport math\n", CHECK.replace("from .notation", "from .other")]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "toy"
        home.mkdir()
        (home / "paper.toml").write_text("", encoding="utf-8")
        for name in ("notation", "other"):
            (home / f"{name}.py").write_text('N = 1\nM = 2\n"""A text."""\n', encoding="utf-8")
        marks = []
        for k, text in enumerate(texts):
            (home / "x.py").write_text(text + " " * k, encoding="utf-8")
            marks.append(syntax.fingerprint(home / "x.py"))
    return [marks.index(mark) for mark in marks], [str(syntax._plain(ast.parse(text)))[:400] for text in ("f(x, *y)", "f'{a}'")]


PAPERS = ['[paper]\nkey = "toy"\ntitle = "T"\n', '[paper]\nkey = "other"\ntitle = "T"\nauthors = "A"\n', "[paper", "",
          '[paper]\nkey = "toy"\ntitle = "T"\nauthors = "A"\n[[statement]]\nid = "lemma_01"\nlabel = "Lemma 1"\n',
          '[paper]\nkey = "toy"\ntitle = "T"\nauthors = "A"\n[[statement]]\nid = "lemma_01"\nlabel = "L"\nprovenance = "x"\n',
          '[paper]\nkey = "toy"\ntitle = "T"\nauthors = "A"\n[[part]]\ntitle = "P"\ntext = "t"\nstatements = ["a"]\n']  # fmt: skip


def of_papers_and_notes():
    from tiny import PAPER

    made = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "toy"
        home.mkdir()
        for text in (PAPER, *PAPERS):
            (home / "paper.toml").write_text(text, encoding="utf-8")
            found = said(paper.read_paper, home)
            whole = not isinstance(found, str)
            made.append([found.key, found.title, found.authors, list(found.statements), list(found.parts)] if whole
                        else found.replace(folder, ""))  # fmt: skip
            made += [[found.statement_of(stem) for stem in ("lemma_01", "lemma_01_x", "lemma_02", "lemma", "x")]] if whole else []
        head = '[[note]]\nclaims = ["toy.a", "toy.b"]\nhypothesis = "N >= 2"\n'
        for text in (head + 'proof = "p"', head + 'by = "toy.c"', head + 'at = "N=1, d=4"', head + 'unsearched = "u"',
                     head + 'defines = "d"', head, head + 'proof = "p"\nby = "x"', head + 'proof = " "', "x = 3", "[[note]]",
                     head + 'proof = "p"\n' + head + 'by = "q"', head.replace("toy.b", "other.b") + 'proof = "p"', "[[note"):
            (home / notes.FILE).write_text(text, encoding="utf-8")
            found = said(notes.read_notes, home)
            made.append(found.replace(folder, "") if isinstance(found, str) else
                        [[n, n.decides, n.point, n.state, n.words] for n in found])  # fmt: skip
    note = notes.Note("toy.a", "N >= 2", proof="p")
    cells = [{"state": state, "at": {"N": "1"}, "hypothesis": "N >= 2"} for state in necessity.STATES]
    return made, [said(necessity.noted, cell, one) for cell in cells for one in (None, note, replace(note, proof="", at="N=1"))]


def folder_of(*kinds):
    """A folder of checks of these kinds that lasts as long as this process."""
    if kinds not in FOLDERS:
        FOLDERS[kinds] = tempfile.TemporaryDirectory(prefix="theorytools-engine-")
        checkfolders.write(Path(FOLDERS[kinds].name), *kinds)
    return Path(FOLDERS[kinds].name) / "checks"


FOLDERS = {}
KINDS = ("holds", "refuted", "undecided", "powerless", "uncontrolled", "misspelt", "misfed", "raising", "slow", "worded")


def of_results():
    """What a run says of a folder of checks, in this process, at the grid and at a point."""
    catalogue, made = Catalogue(folder_of(*KINDS)), {}
    for at in ({}, {"N": 4}, {"N": [2, 5]}):
        jobs = [(entry, at) for entry in catalogue.entries if entry.id.startswith("tiny.")]
        for result in run.run(jobs, processes=1):
            known = None if result.verdict is None else {k: v for k, v in result.verdict.items() if k not in (*SAID, "source")}
            made[f"{result.entry.id} {at}"] = known or result.error.replace(str(folder_of(*KINDS)), "")
    return made


def of_selections():
    catalogue = Catalogue(folder_of(*KINDS))
    names = ["tiny", "tiny.holds", "holds", "Lemma holds", "tiny.none", "tiny.", "none", "tiny.misspelt", "tiny.slow"]
    made = [said(lambda: [e.id for e in catalogue.select([name])]) for name in names]  # noqa: B023
    made += [said(lambda: [[e.id, at] for e, at in run.concerned(catalogue.select(["tiny"]), asked)])  # noqa: B023
             for asked in ({"N": 4}, {"kind": "plain"}, {"d": 3}, {"N": 4, "d": 3}, {"kind": "x"}, {})]  # fmt: skip
    return [one.replace(str(folder_of(*KINDS)), "") if isinstance(one, str) else one for one in made], catalogue.own_papers


def of_pools():
    jobs = [(entry, {}) for entry in Catalogue(folder_of("holds", "refuted", "worded")).own]
    hints = {jobs[0][0].id: 1.0, jobs[1][0].id: 9.0}
    orders = [[[job[0].id for job in batch] for batch in pool.batches(jobs, one)] for one in ({}, hints)]
    return orders, [pool.worth(jobs[:1], {jobs[0][0].id: s}) for s in (0.1, 1.9, 2.0, 100.0)], pool.worth([], {})


def of_records():
    told = [record._told_apart(Estimate.of(a), Estimate.of(b)) for a, b in
            ((Fraction(1), Fraction(2)), (Fraction(10**9), Fraction(10**9 + 1)), (Fraction(3), Fraction(3)))]  # fmt: skip
    made = []
    for name in ("attained", "both", "false", "tied"):
        claim = claims()[name]
        rows = list(judge(claim, "toy.lemma_01").rows)
        changed = [rows, rows[1:], rows[:-1], [*rows, replace(rows[0], assertion="x")],
                   [replace(rows[0], truth=None), *rows[1:]], [replace(rows[0], must_break=True), *rows[1:]],
                   [replace(rows[0], tied=True, truth=True), *rows[1:]]]  # fmt: skip
        made.append([record._contradiction(claim, own, skipped) for own in changed for skipped in ((), [rows[0].point])])
    return told, made


def of_kinds_of_statements():
    return [uses._kind(id) for id in ("lemma_01", "theorem_2", "definition_1", "x", "figure_01", "question_c")], [
        uses._belongs(Path(uses.__file__)), uses._belongs(Path("/x.py"))]  # fmt: skip
