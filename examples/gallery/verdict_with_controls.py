"""A verdict as a picture: what was measured, the bound, and the controls, which must lie on the wrong side of it.

A check whose controls do not fail could not have failed itself; then the verdict says POWERLESS, not HOLDS.
"""

from _picture import BLUE, ORANGE, panel

from theorytools import verify

verdict = verify("qstr.lemma_11")
own = [row for row in verdict.rows if row.quantity == "leakage" and not row.control]
own.sort(key=lambda row: row.at["N"])
spoiled = [row for row in verdict.rows if row.quantity == "leakage" and row.must_break]

figure, axes, write = panel(f"{verdict.id}: {verdict.outcome}")
places = {tuple(row.point.items()): k for k, row in enumerate(own)}
names = [f"N = {row.at['N']}\n$d_e$ = {row.at['d_e']}" for row in own]
axes.semilogy(range(len(own)), [row.bound[0].floats[1] for row in own], "_", markersize=22, color=BLUE, label="bound")
axes.semilogy(range(len(own)), [row.measured.floats[1] for row in own], "o", color="black", label="measured")
for sign, control in zip("x+1", dict.fromkeys(row.control for row in spoiled), strict=False):
    there = [row for row in spoiled if row.control == control]
    at = [places[tuple(row.point.items())] for row in there]
    axes.semilogy(at, [row.measured.floats[1] for row in there], sign, color=ORANGE, label=f"control: {control}")
axes.set_xticks(range(len(own)), names, fontsize="x-small")
axes.set(ylabel="leakage", title=f"{verdict.id}: {verdict.outcome}, {verdict.evidence.name.lower()}")
axes.legend(fontsize="x-small")
write(__file__)
