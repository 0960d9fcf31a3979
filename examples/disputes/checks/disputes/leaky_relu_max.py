r"""A leaky rectifier is a maximum.

Setting    $L_z(x)=x$ for $x\ge0$ and $z x$ for $x<0$, as a program computes it, by a maximum.
Statement  $L_z(x)=\max(z x,x)$ for all $z$ and $x$.
Proof      Of $z\le1$: then $z x\le x$ for $x\ge0$ and $z x\ge x$ for $x\le0$.
Witness    Small numbers.
Measured   $L_z(x)$, a rational.
Control    The minimum; repair: $\max(x,0)-z\max(-x,0)$.
"""
from dataclasses import replace

from sympy import Max, Min, Ne

from theorytools import Claim, Control, Quantity, exactly, grid

from .notation import slope, x

value = Quantity("value", r"L_z(x)", "leaky rectifier")
least = Control("the minimum", breaks=value, asserts=[value.equals(Min(slope * x, x))], where=Ne(x, 0))
claim = Claim(
    "Leaky rectifier by a maximum", role="statement",
    source="published: TensorFlow, issue 24566; prose",
    scope={"every slope, x": "points"}, expect="REFUTED", asserts=value.equals(Max(slope * x, x)),
    grid=grid(slope=[0, "1/5", "1/2"], x=[-1, 0, 1]), construct=lambda p: p.x,
    measure=lambda at, p: {value: exactly(at if at >= 0 else p.slope * at)},
    controls=[least, Control("two rectifiers", asserts=[value.equals(Max(x, 0) - slope * Max(-x, 0))])],
)
repaired = replace(
    claim, label="Slopes up to one", role="statement", source="derived here: a leaky rectifier", expect="HOLDS",
    statement=r"$L_z(x)=\max(z x,x)$ wherever $z\le1$.", scope={"every slope, x": "proof"},
    requires=[slope <= 1], controls=[least],
)
