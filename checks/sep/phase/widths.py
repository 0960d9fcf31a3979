"""Width against length for equality and Dyck: one layer and two."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Integer

from theorytools.phase.declaration import Axis, Panel, Phase, Rule, Spread, Trained
from theorytools.training.record import recorded

from ..notation import N, channels

BITS = 24
LENGTHS = (8, *(size * 2**k for k in range(9) for size in (12, 16)), 6144, 8192)
WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256)
unused = Spread(letter=channels, direction="up", reason="further coordinates may be left at zero")
narrower = Spread(letter=channels, direction="down", reason="a narrower layer is a wider one with coordinates at zero")


def excluded(task: str) -> Rule:
    return Rule(
        kind="impossible", claim="sep.question_l_frontier", quantity="missing bits", edge="bound", spreads=[narrower],
        at={"task": task, "N": N, "p": BITS, "channels": channels}, over=["every one-layer model", "every read-out"],
        says="every layer of this total value width, however split into heads, and every read-out err on some word",
    )


def digits(task: str) -> Rule:
    return Rule(
        kind="possible", claim="sep.question_l_frontier.reached", quantity="wrong answers", spreads=[unused],
        at={"task": task, "N": N, "p": BITS, "channels": channels}, over=["every word"],
        says="uniform attention, each coordinate holding 22 conditions as digits",
    )


copied = Rule(
    kind="possible", claim="sep.question_l_frontier.double", quantity="wrong answers", spreads=[unused],
    at={"N": N, "channels": channels}, over=["every pair of strings"],
    says="layer 1 copies by binary codes, layer 2 compares; sums are exact, numerators have k log2(16k) bits",
)


def trained(arm: str) -> Trained:
    def read() -> Iterator[tuple[dict[str, int], str]]:
        runs = recorded(__file__, "strings").of(arm)
        best = max(runs, key=lambda run: run.result["accuracy"])
        if best.result["accuracy"] == 1:
            said = f"no error on {2 * best.result['tests']} test words, the best of {len(runs)} networks"
            yield {"N": best.spec["N"], "channels": best.spec["width"]}, said

    says = "trained in float32 with 4 heads; the width is that of the residual stream"
    return Trained(sweep="strings", says=says, read=read)


phase = Phase(
    title="Width for equality and for Dyck-(1,2)",
    task="Words of N symbols with a public last token: two equal strings of N/2 bits, or balanced brackets of depth 2",
    goal="no wrong answer on any word",
    level=Integer(0),
    across=Axis(letter=N, values=LENGTHS, means="symbols of a word", logarithmic=True),
    up=Axis(letter=channels, values=WIDTHS, means="width", label="w", logarithmic=True),
    panels=[
        Panel(title="equality, one layer of 24 bits", rules=[excluded("equality"), digits("equality")],
              trained=trained("equality, one layer")),
        Panel(title="equality, two layers", rules=[copied], trained=trained("equality, two layers")),
        Panel(title="Dyck-(1,2), one layer of 24 bits", rules=[excluded("dyck"), digits("dyck")],
              trained=trained("dyck 1 2, one layer")),
        Panel(title="Dyck-(1,2), two layers", rules=[], trained=trained("dyck 1 2, two layers")),
    ],
    agenda="No lower bound of this tree speaks of two layers, and no construction of two layers is for Dyck. For one "
    "layer the width is known within l/(p - 2), where a coordinate may send l bits and holds p - 2 conditions.",
)
