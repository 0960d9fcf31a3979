"""Encoding dimension against selected tokens: how long positional encodings must be to select every subset."""

from __future__ import annotations

from sympy import And, Eq

from theorytools.phase.declaration import Axis, Panel, Phase, Rule, Spread

from ..notation import T, d_e, q

padded = Spread(letter=d_e, direction="up", reason="encodings may be padded with zeros")
shorter = Spread(letter=d_e, direction="down", reason="shorter encodings are longer ones with zeros")
ODDS = 64  # the temperature is its logarithm; a lead of 1 then leaves less than the goal asks

radon = Rule(
    kind="impossible", claim="stsq.neighborly_lower", quantity="worst loss", spreads=[shorter],
    edge=[d_e <= 2 * q - 1, d_e + 1 + q <= T],
    at={"code": "random", "T": T, "q": q, "d": 1, "d_e": d_e}, over=["every encoding", "every query"],
    says="every encoding of this dimension, every query map and every value matrix fail on some subset",
)
curve = Rule(
    kind="possible", claim="stsq.neighborly_loss", quantity="worst loss", spreads=[padded],
    where=And(Eq(d_e, 2 * q), 2 * q < T - 1),
    at={"T": T, "q": q, "d": 1, "u": ODDS, "drop": 1}, over=["every subset"],
    says="the moment curve with a polynomial query, exact real arithmetic",
)
simplex = Rule(
    kind="possible", claim="stsq.neighborly_simplex", quantity="worst loss", spreads=[padded], where=Eq(d_e, T - 1),
    at={"T": T, "q": q, "d": 1, "d_e": d_e, "u": ODDS}, over=["every subset"],
    says="affinely independent encodings, a coordinate for each token but one",
)

rules = [radon, curve, simplex]
phase = Phase(
    title="Encoding dimension for selecting every subset",
    task="STS_q with one softmax head that sees positions only; T tokens of dimension 1, a subset of q selected",
    goal="loss of the worst subset at most 1/(4 q^2), half of what a failure costs",
    level=1 / (4 * q**2),
    across=Axis(letter=q, values=range(1, 9), means="selected tokens"),
    up=Axis(letter=d_e, values=range(1, 13), means="dimension of an encoding"),
    panels=[Panel(title=f"T = {length} tokens", fixed={T: length}, exists=q < T, rules=rules) for length in (5, 7, 9)],
    agenda="Open is T < 3q between the two thresholds: for T <= d_e + q Radon's partition may not exist. No trained "
    "network is shown: the records are about the average subset, the goal is about the worst.",
)
