"""Where the verdict engine looks for violations: each function ``of_…`` is one answer of the record of calls."""

import itertools
from dataclasses import replace
from fractions import Fraction

from engine_examples import HUGE, beta, claims, few, q, r, rho, said
from sympy import And, Eq, Ge, Lt, Ne, Or, Rational, ceiling, sqrt
from tiny import N, tiny, value, x

from theorytools import (
    Control,
    Enclosure,
    Evidence,
    grid,
)
from theorytools.claims.judging import (
    falsify,
    hypotheses,
    necessity,
    necessity_point,
    region,
    tracks,
    weaken,
    witness,
)


def axes_of(claim):
    return {name: region.Axis.of(claim, name) for name in claim.grid.axes}


def of_axes():
    made = {}
    for name, claim in {**few(), "lower": tiny(requires=[N >= 3, N < 50]), "third": tiny(grid=grid(N=[2, 7, 31, 400])),
                        "minus": tiny(asserts=[value <= x], grid=grid(x=[-4, "1/3", 2]), controls=[HUGE]),
                        "between": tiny(asserts=[value <= x], grid=grid(x=[1]), controls=[HUGE],
                                        requires=[x > -1, x <= 2])}.items():  # fmt: skip
        for axis in axes_of(claim).values():
            numbers = [Fraction(k, 4) for k in range(-12, 24)] if not axis.words else []
            made[f"{name} {axis.name}"] = [
                axis.words, axis.integral, axis.low, axis.high, axis.values, len(axis.small), axis.small[:40],
                axis.words or axis.edges(), axis.words or list(itertools.islice(axis.grown(), 60)),
                [axis.inside(n) for n in numbers], [axis.nearest(n) for n in numbers], axis.words or axis.least,
            ]  # fmt: skip
    return made


def of_ends():
    kinds = [[N >= 3], [N > 3], [N <= 9], [N < 9], [N >= 3, N <= 9], [Ge(9, N)], [Lt(2, N)], [Eq(N, 4)], [Ne(N, 4)],
             [N >= 3, N >= 5], [N <= 9, N <= 7], [sqrt(2) <= N], [N + 1 <= 4], [Or(N <= 3, N >= 9)], []]  # fmt: skip
    return [region.ends(tiny(requires=kind), N) for kind in kinds] + [region.ends(tiny(), None)]


def of_joint_edges():
    two = {"asserts": [value <= N + q], "controls": [HUGE], "grid": grid(N=[2, 5, 9], q=[1, 3])}
    made = []
    for conditions in ([q <= N], [2 * q < N, N >= 2], [Eq(q, N)], [q**2 <= N, q <= 20]):
        claim = tiny(requires=conditions, **two)
        made.append(
            [list(itertools.islice(region.joint_edges(claim, axes_of(claim), dict(row)), 30)) for row in claim.grid]
        )
    smooth = tiny(asserts=[value <= x + beta], controls=[HUGE], grid=grid(x=[1, 2], beta=[3]),
                  requires=[2 * x <= beta + 1, x * beta <= 5])  # fmt: skip
    return [*made, [list(region.joint_edges(smooth, axes_of(smooth), dict(row))) for row in smooth.grid]]


def of_choices():
    given = [
        3,
        "3",
        "1/2",
        [1, 2],
        "1,2",
        (4, "5"),
        range(3),
        [],
        None,
        True,
        float("nan"),
        float("inf"),
        "a b",
        [None],
        {},
    ]
    made = [said(region.axis_choices, "N", one) for one in given]
    tied = tiny(asserts=[value <= N + q + r], controls=[HUGE], grid=grid(N=[4, 8], q=[2], r=[2]),
                requires=[Eq(N, 2 * q), Eq(r, ceiling(N / 2))])  # fmt: skip
    moves = [
        {"N": 6},
        {"N": [6, 10]},
        {"q": 5},
        {"N": 5},
        {"r": 3},
        {"N": 6, "q": 4},
        {"d": 3},
        {"M": 3},
        {"N": "word"},
    ]
    made += [said(region.move, tied, "toy.x", one) for one in moves]
    return made + [said(region.move, claims()["words"], "toy.x", one) for one in ({"kind": "round"}, {"kind": "x"},
                                                                                  {"kind": 3},
                                                                                  {"N": "plain"})]  # fmt: skip


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
    for growing, costs, left, memory in itertools.product((True, False), ((1, 1), (1, 2), (0.001, 0.004), (0.01,
        0.08), (0, 4)),
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
            made[f"{name} {judged}"] = (
                found
                if isinstance(found, str)
                else {**found.to_json(), "seconds": 0, "more": [found.judged, found.refused]}
            )
    return made


def of_searches_beyond():
    claim = tiny(asserts=[value <= N * N], controls=[HUGE], requires=[N >= 2], construct=lambda p: p.N + p.N // 4)
    made = []
    for least in (Evidence.FITTED, Evidence.EXACT):
        for listed in ([], [{"N": 9}], [{"N": 1}, {"N": 2}], [{"N": n} for n in range(-3, 9)]):
            found = falsify.falsify(
                replace(claim, requires=[]), "toy.x", evaluations=9, judged=True, beyond=listed, least=least
            )
            made.append({**found.to_json(), "seconds": 0})
    return made, [
        list(falsify._lesser(one)) for one in ({"N": 9, "k": "w"}, {"N": -3}, {"N": Fraction(7, 2)}, {"N": 0})
    ]


def conditions():
    return [N >= 3, N > 3, N <= 9, N < 9, Eq(N, 4), q <= N, q < N, 2 * q <= N, beta <= 4, beta > Rational(1, 2),
        q * N >= 6,
            beta * rho < 1, rho <= 1, rho >= -1, Ge(sqrt(N), q), Or(N <= 3, q >= 2), And(q <= N, N <= 30),
                q <= N**2]  # fmt: skip


def of_hypotheses():
    made = []
    claim = tiny(asserts=[value <= N + q + beta + rho], controls=[HUGE], requires=conditions(),
                 grid=grid(N=[4, 8], q=[2, 3], beta=[1, "3/2"], rho=["1/3"]))  # fmt: skip
    for one in weaken.Hypothesis.of(claim):
        places = [one.beyond(claim, notch=notch) for notch in (True, False)]
        asked = [None if place is None else [str(c) for c in place.requires] for place in places]
        made.append(
            [one.text, one.implied, str(one.weaker), one.change, len(one.others), asked, weaken.follows(claim, one)]
        )
    return made


def of_following():
    sets = [[N >= 3, N >= 2], [q <= N, N <= 5, q <= 5], [q <= N, N <= 5, q <= 4], [2 * q <= N, q >= 3, N >= 6],
            [2 * q <= N, q >= 3, N >= 7], [q < N, q + 1 <= N], [q + 1 <= N, q < N], [Eq(q, 2), q <= 2], [Eq(q, 2),
            q < 2],
            [Ne(q, 2), q >= 3], [q**2 >= 1, q >= 1], [beta < 2, beta <= 2], [beta <= 2, beta < 2], [rho < 1, rho <= 1],
            [q + r <= N, q <= N], [q <= N, q + r <= N], [Or(q >= 4, q <= 1), q >= 0]]  # fmt: skip
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
    made = [
        hypotheses.failing([one], values, names, bits=128) for one in conditions() for names in ({}, letters, {"r": r})
    ]
    return made, hypotheses.failing([rho * rho <= 2, N <= 1], values, {}, bits=128), hypotheses.failing(
        [rho * rho <= 2, N <= 9], values, {}, bits=128)  # fmt: skip


def of_witnesses():
    found = falsify.falsify(claims()["false"], "toy.lemma_01", evaluations=30)
    kept = witness.witness(found, evaluations=30, hypothesis="N >= 2", within=True)
    pairs = itertools.product(("1/2", "#", ["E", 1.0, 2.0], ["E", 1.5], ["E", 3.0, None], ["F", 1.0, 2.0], ["#", "a"],
                               ["E", None, 1.2]), repeat=2)  # fmt: skip
    return kept, [witness._meets(a, b) for a, b in pairs], said(witness.witness, replace(found, row=None))
