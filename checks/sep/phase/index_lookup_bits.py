"""State bits against length: how large a recurrent state index lookup takes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sympy import Rational, Symbol

from theorytools.phase.declaration import Axis, Panel, Phase, Rule, Spread, Trained
from theorytools.statistics.intervals import clopper_pearson
from theorytools.training.record import recorded

from ..notation import N, eps, symbols
from ..question_k.accuracy import rate

bits = Symbol("B", positive=True, integer=True)
LETTERS, LEVEL = 16, 1e-9
unused = Spread(letter=bits, direction="up", reason="bits of a state may be left unused")
fewer = Spread(letter=bits, direction="down", reason="a smaller state is a larger one that does not use all its bits")


def trained(error: Fraction) -> Trained:
    def read() -> Iterator[tuple[dict[str, int], str]]:
        for run in recorded(__file__, "lookup").trials:
            if run.spec["model"] == "transformer" or run.spec["labels"] != "own":
                continue
            for width, right in run.result["correct"]["one"].items():
                low = float(clopper_pearson([right], run.result["tests"], LEVEL)[0][0]) if width.isdigit() else 0.0
                if low >= 1 - error:
                    state = f"{run.spec['numbers']} numbers rounded to {width} bits"
                    said = f"{run.spec['model']}, {state}: accuracy at least {low:.3f}"
                    yield {"N": run.spec["N"], "B": run.spec["numbers"] * int(width)}, said

    return Trained(sweep="lookup", says="trained GRU, LSTM and linear states, rounded to counted bits", read=read,
                   spreads=[unused])  # fmt: skip


def panel(error: Fraction) -> Panel:
    wrong = Rational(error.numerator, error.denominator)
    excluded = Rule(
        kind="impossible", claim="sep.index_lookup_recurrent_lb_bits", quantity="accuracy", spreads=[fewer],
        at={"N": N, "symbols": LETTERS, "m": bits, "p": 1}, over=["every recurrent model", "every read-out"],
        edge=bits - N * rate.subs({symbols: LETTERS, eps: wrong}),
        says="every update and every read-out is right less often over uniform words and positions",
    )
    kept = Rule(
        kind="possible", claim="sep.index_lookup_recurrent_lb_bits.reached", quantity="accuracy", spreads=[unused],
        at={"N": N, "symbols": LETTERS, "m": bits, "p": 1, "eps": wrong}, over=["every word"],
        says="a memory of code blocks and plain symbols, the rest guessed",
    )
    return Panel(title=f"accuracy {1 - error}", level=1 - wrong, rules=[excluded, kept], trained=trained(error))


phase = Phase(
    title="State bits for index lookup",
    task=f"N uniform symbols of {LETTERS} letters are read one by one, then a uniform position is asked",
    goal="accuracy at least that of the panel",
    relation=">=",
    level=Rational(9, 10),
    across=Axis(letter=N, values=(4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512), means="symbols",
                logarithmic=True),
    up=Axis(letter=bits, values=sorted({round(8 * 2 ** (k / 5)) for k in range(41)}), means="bits of the state",
            logarithmic=True),
    panels=[panel(Fraction(1, 2)), panel(Fraction(1, 10)), panel(Fraction(1, 100))],
    agenda="Open is the strip between Fano's curve and codes of two checks: longer codes close it for long words. "
    "Trained states sit far above it; why gradient descent wastes bits is not explained by either bound.",
)
