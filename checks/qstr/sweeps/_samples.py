r"""What the sweeps of samples to a loss threshold share: the fit, the grid of cells, and what one trial costs.

The cost model is that of one CPU thread, with the prompts that the committed records ask for; it serves the plan only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

from theorytools.training.experiment import cell
from theorytools.training.plan import Forecast
from theorytools.training.plan import forecast as fit
from theorytools.training.sweep import Groups

if TYPE_CHECKING:
    from theorytools.training.record import Trial

RUNNER = "theorytools.training.search:evaluate"
FIT = (
    "Exponent: least squares of the mean of log n on log {size} over the sizes without a censored repeat, 95 % "
    "t-interval from the repeats. Where a repeat was censored the censored-aware likelihood fit stands beside it. "
)
RECORDS = {  # of each task, those that a plan is fitted to
    "general": (("figure_01a", "corrected"), ("lengths", "corrected"), ("far_lengths", "corrected")),
    "simple": (("figure_01b", "released"),),
}
LIKE = {"merged": "transformer", "lstm": "gru", "rnn": "gru"}  # without a record: assumed to need as many
SETTING = (
    "link", "d", "q", "heads", "width", "optimiser", "lr", "weight_decay", "batch", "threshold", "dtype", "tokens",
)  # fmt: skip


def grid(architectures: Iterable[str], sizes: Iterable[int], repeats: int, **fields: Any) -> Groups:
    return [cell(repeats, architecture=a, N=N, **fields) for a in architectures for N in sizes]


@cache
def _recorded(task: str, architecture: str) -> tuple[Trial, ...]:
    """The recorded trials of one architecture in the setting of the figures, each once."""
    from theorytools.errors import RecordError
    from theorytools.training.record import recorded
    from theorytools.training.trials.trial import trial_key

    found: dict[str, Trial] = {}
    for name, protocol in RECORDS[task]:
        try:
            trials = recorded(__file__, name, protocol).trials
        except RecordError:
            continue
        found |= {trial_key(t.spec): t for t in trials if t.spec["architecture"] == architecture}
    return tuple(found.values())


@cache
def _fitted(task: str, architecture: str, N: int) -> Forecast | None:
    return fit(_recorded(task, architecture), N)


def forecast(spec: Mapping[str, Any]) -> Forecast:
    """Return the prompts of a trial as the records have them; of a setting without a record, as of the nearest one."""
    task, architecture = str(spec["task"]), str(spec["architecture"])
    like = LIKE.get(architecture, architecture)
    found = _fitted(task, like, int(spec["N"]))
    if found is None:
        return Forecast(float(spec["cap"]), 0.0, inf, assumed="no record, its cap")
    told = _recorded(task, like)[0].spec
    other = [name for name in SETTING if spec.get(name, "gauss") != told.get(name, "gauss")]
    why = [f"no record, as of {like}"] if like != architecture else []
    why += [f"recorded with another {', '.join(other)}"] if other else []
    return replace(found, assumed="; ".join(why)) if why else found


def prompts(spec: Mapping[str, Any]) -> float:
    """Return about the prompts of one trial, at most its cap."""
    return min(forecast(spec).prompts, float(spec["cap"]))


def seconds(spec: Mapping[str, Any]) -> float:
    """Return about the seconds of one trial on one thread: growth as published, rates as measured on one machine."""
    N = int(spec["N"])
    rate = {"ffn": 12e-6 * N, "gru": 0.13e-3 * N, "lstm": 0.16e-3 * N, "rnn": 0.05e-3 * N}
    if spec["architecture"] in ("gru", "lstm", "rnn"):
        rate = {kind: seconds * (int(spec["width"]) / 500) ** 2 for kind, seconds in rate.items()}
    return prompts(spec) * rate.get(str(spec["architecture"]), 2e-6 * N + 0.2e-6 * N**2)
