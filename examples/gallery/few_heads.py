"""Fewer heads than questions: the error that no attention layer of H heads avoids, and one that attains it.

A position asks for q tokens and a layer has H < q heads. Heads whose matrices do not mix positions and data err by at
least 2 (1 - H/q) (Proposition 21 of arXiv 2503.11272), and a construction errs by exactly that; unrestricted ones by at
least the lower marks (Proposition 3).
"""

from fractions import Fraction

import sympy
from _picture import BLUE, ORANGE, panel

from theorytools import hadamard
from theorytools.papers.qstr import FewHeads
from theorytools.papers.qstr.tasks.few_heads import FewTokens

q, d = 6, 4
heads = range(1, q)
nets = [FewHeads(hadamard(16), beta=sympy.log(10**6), task=FewTokens(N=16, d=d, q=q), H=H) for H in heads]
late = [float(net.late_error().fraction()) for net in nets]
block = [float(2 * (1 - Fraction(H, q))) for H in heads]
floor = [share * float(max(1 - Fraction(H, d), 0)) for share, H in zip(block, heads, strict=True)]

figure, axes, write = panel("Error of attention with fewer heads than questions")
axes.plot(heads, late, "o", color=BLUE, label="a construction with H heads, exact")
axes.plot(heads, block, "_", markersize=20, color=BLUE, label="2 (1 − H/q), Proposition 21")
axes.plot(heads, floor, "_", markersize=20, color=ORANGE, label="2 (1 − H/q)(1 − H/d)₊, Proposition 3")
axes.set(xlabel=f"heads H, for q = {q} questions in dimension d = {d}", ylabel="squared error", xticks=list(heads))
axes.legend(fontsize="small")
write(__file__)
