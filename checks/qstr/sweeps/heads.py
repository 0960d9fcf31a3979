r"""The sweep of the head staircase: the late error of trained networks with 1 to ``q`` heads, beside the bounds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorytools.training.sweep import Groups, Results, Spec, Sweep

if TYPE_CHECKING:
    from theorytools.training.record import SweepRecord

RULE = (
    "Late error: mean squared error of a fixed trained network at a position i >= N/2, with limits at level 1e-9 on "
    "fresh prompts, 2^20 of them where a bound is to be met. Predicted. (i) Without a block between positions and data "
    "no network lies below 2(1 - H/q): every lower limit is at least 95 % of it (what so many prompts can tell), and "
    "the error that the learned attention weights leave to any readout is at least the bound, exactly. (ii) The least "
    "of the networks of a cell (4 with one head, 8 with more, as some get stuck a step higher) has both limits within "
    "5 % of the bound. (iii) With such a block, d = 2 and H = 1, both hold for 2(1 - H/q)(1 - H/d). (iv) As many heads "
    "as indices, the linear link with one head, one head with such a block at d = 1 end below a tenth of 2(1 - 1/q). "
    "A network surely below its bound refutes the bound or the program; the least network surely above refutes (ii)."
)
SHARP, ROUGH, UNTRAINED = 2**20, 2**17, 2**16


def late_bound(arm: str, q: int, d: int, H: int) -> Fraction:
    """Return the least late error of ``H`` heads, 0 for the linear link: one head can average the indexed tokens."""
    if arm == "linear":
        return Fraction(0)
    over = max(Fraction(0), 1 - Fraction(H, d)) if arm == "cross" else 1
    return 2 * max(Fraction(0), 1 - Fraction(H, q)) * over


def cell(arm: str, q: int, d: int, H: int, **fields: Any) -> list[dict[str, Any]]:
    """Return the trials of one cell: the arm ``free``, ``cross`` (a block between positions and data) or ``linear``."""
    sharp = late_bound(arm, q, d, H) > 0
    spec = {
        "kind": "heads", "arm": arm, "N": 8, "d": d, "q": q, "H": H, "cross": arm == "cross",
        "link": "lin" if arm == "linear" else "sq", "width": 32, "steps": 1500, "batch": 256, "lr": "1/100",
        "tests": SHARP if sharp else ROUGH, "level": "1/1000000000", "protocol": "corrected", **fields,
    }  # fmt: skip
    repeats = spec.pop("repeats", 4 if H == 1 else 8)
    return [{**spec, "repeat": repeat} for repeat in range(repeats)]


def _cells(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        quick = {"protocol": protocol, "repeats": 2, "steps": 200, "tests": UNTRAINED}
        return [cell("free", 2, 1, H, **quick) for H in (1, 2)] + [cell("linear", 2, 1, 1, **quick)]
    groups = [cell("free", q, d, H, protocol=protocol) for d in (1, 2) for q in (2, 3) for H in range(1, q + 1)]
    larger = {"protocol": protocol, "width": 64, "steps": 4000, "batch": 512}  # the readout must decode the weights
    groups += [cell("cross", q, 2, 1, **larger) for q in (2, 3)]
    groups += [cell("cross", q, 1, 1, protocol=protocol) for q in (2, 3)]
    return groups + [cell("linear", q, d, 1, protocol=protocol) for d in (1, 2) for q in (2, 3)]


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together, then measure each; networks this small run on the CPU only."""
    import torch

    from ._free_heads import attention, initial, late_error, train

    torch.set_num_threads(1)
    weights = train(specs)
    for member, spec in enumerate(specs):
        own = {name: w[member : member + 1] for name, w in weights.items()}
        first = {name: w[None] for name, w in initial(spec).items()}
        limits = late_error(spec, own, "test", spec["tests"])
        rows = attention(own, torch.zeros(1, 1, (spec["N"] + 1) // 2 - 1, spec["d"], dtype=torch.float64))
        value = {
            "late_error": limits.mean, "limits": limits.to_json(), "weights": rows[0, 0].tolist(),
            "untrained": late_error(spec, first, "test", UNTRAINED).to_json(),
        }  # fmt: skip
        yield spec, value


def limits_of(record: SweepRecord, arm: str, q: int, d: int, H: int, field: str = "limits") -> list[Any]:
    """Return the recorded limits of a cell's networks, after training or ``"untrained"``."""
    from theorytools.statistics.clipped_error import Limits

    return [Limits.read(trial.result[field]) for trial in record.of(arm, q=q, d=d, H=H)]


def attention_rows(record: SweepRecord, arm: str, q: int, d: int, H: int) -> list[Any]:
    """Return the learned weights on the Gaussian tokens, the rationals that the doubles are, one object a network."""
    from theorytools.papers.qstr.few_heads.quadratic_readout import AttentionRows

    found = []
    for trial in record.of(arm, q=q, d=d, H=H):
        K = (trial.spec["N"] + 1) // 2 - 1
        found.append(AttentionRows(tuple(tuple(map(Fraction, row[:K])) for row in trial.result["weights"]), q))
    return found


sweep = Sweep(
    title="The late error of trained networks with 1 to q heads",
    question="Do trained networks with fewer heads than indices stay above the bounds of Propositions 21 and 3, and do "
             "they reach them?",
    rule=RULE, cells=_cells, runner="evaluate", value="late_error",
    profiles=("smoke", "published"),
)  # fmt: skip
