"""Heads against indexed tokens: how many heads the sum of q looked-up tokens takes."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import And, Eq, Min, Rational

from theorytools.phase.declaration import Axis, Panel, Phase, Rule, Spread, Trained
from theorytools.training.record import recorded

from ..notation import H, d, q
from ..proposition_03.sharp import sharp

level = Rational(1, 10)
ignored = Spread(letter=H, direction="up", reason="a read-out may ignore further heads")
idle = Spread(letter=H, direction="down", reason="fewer heads are more of which some are ignored")
instance = {"N": 2 * q + 1, "d": d, "q": q, "H": H}  # N Gaussian tokens, of which all q are indexed: q = K

excluded = Rule(
    kind="impossible", claim="qstr.proposition_03_sharp", quantity="late error", at=instance,
    over=["every set of heads", "every read-out"], edge="bound", spreads=[idle],
    says="every choice of H attention matrices and every read-out of any width errs by more on the hard instance",
)
decoded = Rule(
    kind="possible", claim="qstr.proposition_03_decoder", quantity="late error", at=instance, spreads=[ignored],
    where=And(Min(q, d) >= H, 2 * sharp <= level),  # where it can decide
    says="heads that mix data and positions, read out by logarithms: exact real arithmetic, a read-out without bound",
)
apart = Rule(
    kind="impossible", claim="qstr.proposition_21_every", quantity="late error",
    at={"N": 2 * q + 1, "q": q, "H": H}, over=["every set of heads", "every read-out"], edge="bound", spreads=[idle],
    says="every attention that keeps data and positions apart, and every read-out, errs by more",
)
copied = Rule(
    kind="possible", claim="qstr.proposition_21_exact.enough", quantity="late error",
    at={"N": 2 * q + 1, "d": d, "q": q, "H": H, "odds": 16}, where=Eq(H, q), spreads=[ignored],
    says="a head for each index copies its token; the read-out adds them up",
)


def trained(arm: str, dimension: int) -> Trained:
    def read() -> Iterator[tuple[dict[str, int], str]]:
        record = recorded(__file__, "heads")
        cells = dict.fromkeys((t.spec["q"], t.spec["H"]) for t in record.of(arm, d=dimension))
        for indices, heads in cells:
            runs = record.of(arm, d=dimension, q=indices, H=heads)
            best = min(run.result["limits"]["high"] for run in runs)
            if best <= float(level):
                yield {"q": indices, "H": heads}, f"late error at most {best:.3f}, the best of {len(runs)} networks"

    return Trained(sweep="heads", says="networks trained on this task, N = 8", read=read)


phase = Phase(
    title="Heads against indexed tokens",
    task="qSTR on the hard instance of Proposition 3: all q indices name Gaussian tokens of dimension d, the link is "
    "the sum of squares, labels have variance 2",
    goal="late error at most 1/10, which is 5 % of the label's variance",
    level=level,
    across=Axis(letter=q, values=range(1, 21), means="indexed tokens"),
    up=Axis(letter=H, values=range(1, 17), means="heads"),
    panels=[
        Panel(title="any attention matrices, d = 8", fixed={d: 8}, rules=[excluded, decoded]),
        Panel(title="any attention matrices, d = 2", fixed={d: 2}, rules=[excluded, decoded],
              trained=trained("cross", 2)),
        Panel(title="data and positions apart, d = 2", fixed={d: 2}, rules=[apart, copied], trained=trained("free", 2)),
    ],
    agenda="Nothing is open on this instance. Open is what bounded read-outs need where d <= H < q: the network there "
    "decodes logarithms of attention weights, and reading every tuple takes it 2^q bits (qstr.proposition_03_rounded).",
)
