r"""The sweeps of samples to a loss threshold: figure 1, figure 3, and what the numbers depend on.

The cost model is that of one CPU thread, from the steps that the published figures ask for; it serves the plan only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from theorytools.training.experiment import Experiment
from theorytools.training.sweep import ANY, Groups, Sweep
from theorytools.training.trials.trial import CENSORED, DONE, FAILED, Result

RUNNER = "theorytools.training.threshold:run_group"
_FIT = (
    "Exponent: least squares of the mean of log n on log {size} over the sizes without a censored repeat, 95 % "
    "t-interval from the repeats. Where a repeat was censored the censored-aware likelihood fit stands beside it. "
)
_GENERAL = _FIT.format(size="N") + (
    "Decided: (i) Transformer and feedforward network differ if their intervals are disjoint, (ii) so do Transformer "
    "and GRU; (iii) the feedforward network's growth is compatible with the span bound if its interval does not lie "
    "below 1, the slope of (1 - 0.7) N d on the window; (iv) the Transformer's interval is compared with the slope, on "
    "this window, of the number of prompts that Theorem 10 asks for, and whichever side it lies on is said."
)
_SIMPLE = _FIT.format(size="N") + (
    "Decided: at N = 33 the feedforward network needs more prompts than the Transformer if the two 95 % t-intervals of "
    "the mean of log n are disjoint; likewise Transformer and GRU. The window is too narrow to tell exponents apart: "
    "the plan says so."
)
_LENGTHS = _FIT.format(size="N") + (
    "Decided: the advantage in samples appears at the least N of the grid from which on the Transformer's interval of "
    "the mean of log n lies below the other's, at all larger N where both were run; in arithmetic likewise, with n "
    "times the multiplications of one training prompt. Power and logarithmic form are compared by AIC, as descriptions."
)
_SPARSITY = _FIT.format(size="q") + (
    "Decided: whether n grows or falls with q, if the interval excludes 0. The averaging predictor has the risk "
    "1 - q/N, at N = 7 below the threshold 0.88 for every q: reaching it shows no retrieval."
)


def run_group(specs: Sequence[Mapping[str, Any]], device: str = "cpu") -> Iterator[tuple[dict[str, Any], Result]]:
    """Train one cell's repeats together; yield each specification with its result as soon as it is known."""
    import torch

    from theorytools.training.search import run_cell
    from theorytools.training.stacks.matmul import route
    from theorytools.training.trials.provenance import device_provenance

    torch.set_num_threads(1)
    made = {**device_provenance(device), "products": str(route()) if device == "cpu" else "float32 without TF32"}
    made |= {"precision": str(specs[0].get("dtype", "float32")), "seeds": "SHA-256 of role and specification"}
    for experiment, outcome in run_cell([Experiment.of(spec) for spec in specs], device=device):
        status, reason = DONE, ""
        if outcome.censored:
            status = FAILED if experiment.rules.at_cap == "error" else CENSORED
            reason = f"not below the threshold within {outcome.samples} prompts"
        if outcome.diverged:
            reason = f"diverged: weights or test losses were not finite after {outcome.samples} prompts"
        yield experiment.spec(), Result(outcome.to_json(), status=status, reason=reason, provenance=made)


def cell(repeats: int, **fields: Any) -> list[dict[str, Any]]:
    """Return the specifications of one cell's repeats."""
    return [Experiment(repeat=repeat, **fields).spec() for repeat in range(repeats)]


def _grid(architectures: Iterable[str], sizes: Iterable[int], repeats: int, **fields: Any) -> Groups:
    return [cell(repeats, architecture=a, N=N, **fields) for a in architectures for N in sizes]


def _general(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        return _grid(("transformer", "ffn"), (4, 6, 8), 3, protocol=protocol)
    sizes = (4, 6, 8, 10, 12)
    return _grid(("transformer", "ffn", "gru"), sizes, 5 if profile == "published" else 20, protocol=protocol)


def _simple(profile: str, protocol: str) -> Groups:
    fixed = {"protocol": protocol, "task": "simple", "threshold": Fraction(1, 50), "check_every": 100}
    if profile == "smoke":
        return _grid(("transformer",), (9, 13, 17), 2, **fixed)
    groups = _grid(("transformer", "ffn", "gru"), (25, 27, 29, 31, 33), 5, **fixed)
    if profile == "wide":
        groups += _grid(("transformer", "gru"), (64, 128, 256), 5, **{**fixed, "cap": 10_000_000})
    return groups


def _lengths(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        groups = _grid(("transformer",), (4, 8, 16), 2, protocol=protocol)
        short = {"width": 40, "threshold": Fraction(9, 10), "cap": 20_000, "test_size": 1000}
        return groups + _grid(("lstm", "rnn"), (4,), 2, protocol=protocol, **short)
    groups = _grid(("transformer",), (4, 8, 16, 32, 64), 3, protocol=protocol)
    groups += _grid(("ffn", "gru"), (4, 8, 16), 3, protocol=protocol)
    if profile == "wide":  # long runs are evaluated less often: 100 steps are 1 % of 640 000 prompts
        groups += _grid(("transformer",), (128, 256, 512, 1024), 8, protocol=protocol)
        groups += _grid(("ffn",), (32, 48), 8, protocol=protocol, cap=60_000_000, check_every=100)
        groups += _grid(("lstm", "rnn"), (4, 8, 16), 3, protocol=protocol)
        long = {"protocol": protocol, "cap": 1_500_000, "check_every": 50}
        groups += _grid(("gru", "rnn"), (32, 64, 128), 5, **long) + _grid(("lstm",), (32, 64, 96), 5, **long)
    return groups


def _link(profile: str, protocol: str) -> Groups:
    fixed = {"protocol": protocol, "N": 7, "link": "he2", "threshold": Fraction(22, 25), "lr": Fraction(1, 10**4)}
    if profile == "smoke":
        return [cell(2, architecture="transformer", q=1, **{**fixed, "lr": Fraction(1, 1000)})]
    arms = ("transformer", "ffn", "gru") if profile == "wide" else ("transformer", "ffn")
    return [
        cell(3, architecture=a, q=q, width=500 * q if a == "gru" else 0, **fixed) for a in arms for q in (1, 2, 3, 4)
    ]


def _setting(profile: str, protocol: str) -> Groups:
    size = {"smoke": 4, "published": 8, "wide": 12}[profile]
    fixed: dict[str, Any] = {"protocol": protocol, "architecture": "transformer", "N": size}
    changes: list[dict[str, Any]] = [{}]
    changes += [{"width": w} for w in (25, 50, 200, 400)]
    changes += [{"lr": Fraction(k, 10000)} for k in (1, 3, 30, 100)]
    changes += [{"batch": b, "check_every": 640 // b} for b in (16, 32, 128, 320)]
    changes += [{"optimiser": "sgd", "lr": Fraction(k, 10), "cap": 200_000} for k in (1, 3)]
    return [cell(2 if profile == "smoke" else 5, **fixed, **change) for change in changes]


def _prompts(spec: Mapping[str, Any]) -> float:
    """Return about the prompts of one trial of the general task, at most its cap; growth as in the records."""
    N, kind = int(spec["N"]), str(spec["architecture"])
    least = {"transformer": 7000 * N**0.35, "merged": 7000 * N**0.35, "ffn": 30 * N**3.6}.get(kind, 3800 * N**1.2)
    return min(least, int(spec["cap"]))


def _simple_prompts(spec: Mapping[str, Any]) -> float:
    """Return about the prompts of one trial of the simple task."""
    return min(15.0 * int(spec["N"]) ** 3 if spec["architecture"] == "ffn" else 200_000.0, int(spec["cap"]))


def _seconds(spec: Mapping[str, Any]) -> float:
    """Return about the seconds of one trial on one thread: growth as published, rates as measured on one machine."""
    N = int(spec["N"])
    rate = {"ffn": 12e-6 * N, "gru": 0.13e-3 * N, "lstm": 0.16e-3 * N, "rnn": 0.05e-3 * N}
    if spec["architecture"] in ("gru", "lstm", "rnn"):
        rate = {kind: seconds * (int(spec["width"]) / 500) ** 2 for kind, seconds in rate.items()}
    return _prompts(spec) * rate.get(str(spec["architecture"]), 2e-6 * N + 0.2e-6 * N**2)


def _simple_seconds(spec: Mapping[str, Any]) -> float:
    """Return about the seconds of one trial of the simple task; the published lengths are about 30."""
    longer = max(1.0, int(spec["N"]) / 33)
    return {"transformer": 7.0 * longer**2, "ffn": 15.0}.get(str(spec["architecture"]), 450.0 * longer)


FIGURE_01A = Sweep(
    name="figure_01a", title="Samples to a test loss of 0.7, general 1STR",
    question="Does the Transformer need fewer samples than the feedforward and the recurrent network, and how does "
             "each number grow with N?",
    rule=_GENERAL, cells=_general, runner=RUNNER, size="N", seconds=_seconds, prompts=_prompts,
    devices=ANY,
)  # fmt: skip
FIGURE_01B = Sweep(
    name="figure_01b", title="Samples to a test loss of 0.02, simple 1STR",
    question="Do Transformer and recurrent network need about the same number of samples on the simple task, and the "
             "feedforward network more? (The recurrent arm takes three hours of one thread.)",
    rule=_SIMPLE, cells=_simple, runner=RUNNER, size="N", seconds=_simple_seconds,
    prompts=_simple_prompts, devices=ANY,
)  # fmt: skip
FIGURE_03 = Sweep(
    name="figure_03", title="Samples to a test loss of 0.88, link he2, N = 7, q = 1 to 4",
    question="How does the number of samples change with the number q of relevant tokens?",
    rule=_SPARSITY, cells=_link, runner=RUNNER, size="q", noise=0.3, seconds=lambda spec: 10.0,
    prompts=lambda spec: 300_000.0, devices=ANY,
)  # fmt: skip
LENGTHS = Sweep(
    name="lengths", title="Where the Transformer's advantage appears, in samples and in arithmetic",
    question="From which N on does the Transformer need fewer samples, and fewer multiplications, than the others?",
    rule=_LENGTHS, cells=_lengths, runner=RUNNER, size="N", seconds=_seconds, prompts=_prompts,
    devices=ANY,
)  # fmt: skip
SENSITIVITY = Sweep(
    name="sensitivity", title="The Transformer's samples under other widths, rates, batches and optimisers",
    question="By which factor does the number of samples change when one setting changes?",
    rule="Ratio of the geometric mean to that of the standard setting, 95 % t-interval of the difference of the means "
         "of log n (Welch). A setting matters if the interval excludes 1. Predicted: no width costs or saves a factor "
         "of 2; a tenth of the rate costs at least a factor of 2; no batch size costs a factor of 3; plain SGD needs "
         "more than AdamW at both rates (a censored run counts as its cap).",
    cells=_setting, runner=RUNNER, seconds=_seconds, prompts=_prompts, devices=ANY,
)  # fmt: skip
