"""Prompts against length: how many labelled prompts each architecture takes for simple 1STR."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Rational

from theorytools.phase.declaration import Axis, Panel, Phase, Rule, Spread, Trained
from theorytools.training.record import recorded

from ..notation import N, d, n

d_10, level = 10, Rational(1, 50)
fewer = Spread(letter=n, direction="down", reason="a learner may leave prompts out")
more = Spread(letter=n, direction="up", reason="a learner may leave prompts out")
stopped = Spread(letter=n, direction="up", reason="training may stop before all prompts are used")

any_learner = Rule(
    kind="impossible", claim="qstr.theorem_01_infolimit_every", quantity="risk", spreads=[fewer], edge="bound",
    at={"estimator": "min_norm", "N": N, "d": d, "q": 1, "n": n}, where=n <= d, over=["every estimator", "every link"],
    says="every learner of any kind, also one that is handed the indexed tokens, errs by more for some link",
)
in_span = Rule(
    kind="impossible", claim="qstr.theorem_06_law", quantity="mean loss", spreads=[fewer], edge="bound",
    at={"N": N, "d": d, "n": n}, where=n <= N * d,
    over=["every data set", "qstr.theorem_06: every network in the span"],
    says="every network whose first layer lies in the span of its training inputs (gradient methods with decay from "
    "zero, minimum norm), whatever follows that layer",
)
frozen = Rule(
    kind="possible", claim="qstr.theorem_04_frozen.any_length", quantity="mean risk", spreads=[more],
    where=n >= d + 2, at={"code": "orthonormal", "N": N, "d": d, "q": 1, "n": n, "risk_0": level},
    over=["every sample", "every translate of the tuple"],
    says="attention frozen at the temperature of Lemma 11 on orthonormal codes, its read-out fitted by least squares",
)


def trained(architecture: str) -> Trained:
    def read() -> Iterator[tuple[dict[str, int], str]]:
        record = recorded(__file__, "figure_01b")
        for length in record.sizes(architecture):
            runs = record.of(architecture, N=length)
            if all(run.status == "done" for run in runs):
                slowest = max(int(run.result["samples"]) for run in runs)
                first = min((value for value in prompts if value >= slowest), default=0)
                said = f"test loss at most 0.02 in all {len(runs)} runs after {slowest} prompts"
                yield {"N": length, "n": first}, said

    return Trained(sweep="figure_01b", says="trained by AdamW on fresh prompts to a test loss of 0.02", read=read,
                   spreads=[stopped])  # fmt: skip


prompts = (1, 3, 6, 9, 10, 11, 12, 14, 20, 40, 100, 200, 300, 400, 1000, 3000, 10**4, 3 * 10**4, 10**5, 2 * 10**5,
           4 * 10**5, 7 * 10**5, 10**6)  # fmt: skip
phase = Phase(
    title="Prompts against length, three architectures",
    task="Simple 1STR, d = 10: one index for all positions of a prompt, the linear link, labels of variance 1",
    goal="expected risk at most 1/50, for every link",
    level=level,
    across=Axis(letter=N, values=(2, 4, 8, 16, 25, 27, 29, 31, 32, 33, 64, 128, 256, 512, 1024), means="tokens",
                logarithmic=True),
    up=Axis(letter=n, values=prompts, means="training prompts", logarithmic=True),
    panels=[
        Panel(title="Transformer, one head", fixed={d: d_10}, rules=[any_learner, frozen],
              trained=trained("transformer")),
        Panel(title="feedforward", fixed={d: d_10}, rules=[any_learner, in_span], trained=trained("ffn")),
        Panel(title="recurrent", fixed={d: d_10}, rules=[any_learner], trained=trained("gru")),
    ],
    agenda="No claim gives a feedforward or recurrent learner a guarantee at these sizes: between the floor and the "
    "trained runs nothing is known. For the Transformer the guarantee is for frozen attention; why training "
    "attention takes so many more prompts is not explained by any theorem here.",
)
