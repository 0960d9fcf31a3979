r"""Separation probabilities of Gaussian encodings at the sizes quoted with the theorem, exact and bounded.

Setting    As in encodings_average.
Statement  $\Pr(\kappa<1)$: .165, .741, .993 at $(T,q)=(64,4)$, $d_e=16,32,64$; .466, .973 at $(200,3)$, $d_e=24,48$;
           .237, .379, .510, .880, .9945 at $(14,3)$, $d_e=6,8,10,20,40$; $\Pr(\kappa<\frac12)$: .225, .839 at
           $(64,4)$, $d_e=64,128$.  Failure and its bound: .0070, .033 at $(64,4,64,1)$; $4.1,26\cdot10^{-6}$ at
           $(64,4,128,1)$; .0021, .011 at $(64,4,264,\frac12)$.
Witness    The law of $\kappa$ for these sizes.
Measured   The integral with proved error, and the closed form.
Control    A dimension fewer; half of the dimension; the bound taken for the value.
Reads      Quoted from earlier computations of ours, not from the paper; met within half a unit of the last digit.
           The first failure was quoted as .0071 before; it is .007046.
"""


from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.theory.selection.cross_talk import cross_talk_bound

from ..notation import T, d_e, printed, printed_bound, q, unit, unit_bound
from .encodings_average import below, construct, measure, miss

bounded = Quantity("bound", r"\tfrac n2(1+\tfrac{c^2}q)^{-\nu/2}", "closed form above the failure", (0, None))
half = unit / 2


def pair(law, p):
    return {**measure(law, p), bounded: enclosed(lambda: cross_talk_bound(law.T, law.q, law.d_e, p.c))}


claim = Claim(
    "Encodings, quoted probabilities",
    role="variant", source="derived here: encodings, average case",
    scope={"every T, q and dimension": "points", "every draw of encodings": "closed form"},
    asserts=below.equals(printed, within=half), requires=[q < T, d_e >= q],
    tabulated=[printed], grid=points("T q d_e c printed unit", *((*row, "1/1000") for row in [
        (64, 4, 16, 1, ".165"), (64, 4, 32, 1, ".741"), (64, 4, 64, 1, ".993"), (200, 3, 24, 1, ".466"),
        (200, 3, 48, 1, ".973"), (14, 3, 6, 1, ".237"), (14, 3, 8, 1, ".379"), (14, 3, 10, 1, ".510"),
        (14, 3, 20, 1, ".880"), (64, 4, 64, "1/2", ".225"), (64, 4, 128, "1/2", ".839")]),
        (14, 3, 40, 1, ".9945", "1/10000")),
    construct=construct, measure=measure,
    controls=[
        Control("a dimension fewer", breaks=below, where=(T <= 14) & (d_e <= 20), construct=lambda p: construct(p, -1)),
        Control("half of the dimension", breaks=below, where=T <= 14,
                construct=lambda p: construct(p, -(p.d_e // 2))),
    ],
)
pairs = Claim(
    "Encodings, quoted failures and bounds",
    role="variant", source="derived here: encodings, average case",
    scope={"every dimension": "points", "every draw of encodings": "closed form"},
    asserts=[miss.equals(printed, within=half), bounded.equals(printed_bound, within=unit_bound / 2)],
    tabulated=[printed, printed_bound], grid=points("T q d_e c printed unit printed_bound unit_bound",
                (64, 4, 64, 1, ".0070", "1e-4", ".033", "1e-3"), (64, 4, 128, 1, "4.1e-6", "1e-7", "2.6e-5", "1e-6"),
                (64, 4, 264, "1/2", ".0021", "1e-4", ".011", "1e-3")),
    construct=construct, measure=pair,
    controls=[
        Control("two dimensions fewer", breaks=[miss, bounded], where=d_e <= 128, construct=lambda p: construct(p, -2)),
        Control("the bound taken for the value", breaks=miss, asserts=[miss.equals(printed_bound, within=half)]),
    ],
)
