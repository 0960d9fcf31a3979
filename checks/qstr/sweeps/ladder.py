"""The sweep of the checkpoint ladder: when the loss falls, and when the mechanism is there on every prompt."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.training.sweep import Groups, Results, Spec, Sweep

if TYPE_CHECKING:
    from torch import nn

    from theorytools.papers.qstr.training.prompts import World

RUNGS = (20, 50, 100, 200, 300, 500, 1000, 2000, 4000, 6000)
SIGNS, DRAWS = 2000, 10_000  # prompts with uniform signs on which a network is run; by which its risk is enclosed
RULE = (
    "The Transformer of the sweeps, one head, general 1STR, linear link, d = 4, Gaussian tokens, AdamW on fresh "
    "batches of 64, rate 1/50 along a cosine to 0 in 6000 steps, decay 1/20. Repeats 200 to 204 at N = 8, 16 and 32, "
    "each with its own direction and codes: 15 trainings, each looked at after 20, 50, 100, 200, 300, 500, 1000, "
    "2000, 4000 and 6000 steps. At every such rung: the loss on 5000 test prompts, the loss on 2000 prompts with "
    "uniform signs, and the certificate of qstr.lemma_11 over all prompts with signs as tokens. The loss is there at "
    "the first rung with a test loss of at most 1/100, the mechanism at the first rung with delta at most 1/20. "
    "Predicted before any of these runs: (1) in every training both come, and the mechanism at a later rung than the "
    "loss; (2) at each N the 95 % t-interval of the geometric mean of the ratio of their steps, over the five "
    "trainings, lies above 5; (3) in every training, at the rung where the loss is there, a prompt is shown whose "
    "enclosed leakage is above 1/10, so what is missing is not the certificate's sharpness; (4) at each of the 150 "
    "rungs the certified risk encloses the loss on signs; (5) in every training the certified risk after 6000 steps "
    "is at most 1/50. A training in which one of the two does not come counts against (1), and its ratio as 0. Fixed "
    "after the ladder of repeats 0 to 2 at N = 16, and the certificates of repeats 0 to 2 after 3000 and 6000 steps at "
    "N = 8 to 64, in reports/trained_certificates.json; no other ladder was looked at."
)


def cells(profile: str, protocol: str) -> Groups:
    whole = profile == "published"
    sizes, repeats, rungs = ((8, 16, 32), range(200, 205), RUNGS) if whole else ((8,), range(100, 102), (20, 50))
    fixed: dict[str, Any] = {"architecture": "transformer", "d": 4, "lr": Fraction(1, 50), "protocol": protocol}
    fixed |= {"weight_decay": Fraction(1, 20), "cap": 64 * rungs[-1]}
    own = {"kind": "ladder", "rungs": ",".join(map(str, rungs)), "arm": "transformer"}
    return [[{**Experiment(N=N, repeat=r, **fixed).spec(), **own} for r in repeats] for N in sizes]


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train the repeats of a cell together; yield for each what is measured and certified at every rung."""
    import torch

    from theorytools.papers.qstr.training.periods import Periods
    from theorytools.papers.qstr.training.prompts import World, generator
    from theorytools.papers.qstr.training.reference import model
    from theorytools.papers.qstr.training.stacks.ensemble import checked_cell, ensemble
    from theorytools.training.loop import cosine
    from theorytools.training.products import fast_products

    torch.set_num_threads(1)
    trials, rungs = [Experiment.within(spec) for spec in specs], [int(k) for k in str(specs[0]["rungs"]).split(",")]
    checked_cell(trials)
    one, worlds = trials[0], [World.of(trial) for trial in trials]
    net, found = ensemble(trials, worlds, device), [list[dict[str, Any]]() for _ in trials]
    with Periods(trials, worlds) as periods:
        for step in range(rungs[-1]):
            if step % one.check_every == 0:
                X, T, y = (array.to(device) for array in periods.next())
            low = step % one.check_every * one.batch
            cut = slice(low, low + one.batch)
            net.optimiser.param_groups[0]["lr"] = float(one.lr) * cosine(step, rungs[-1])
            with fast_products(device):
                net.step(X[:, cut], T[:, cut], y[:, cut])
            for k, (trial, world) in enumerate(zip(trials, worlds, strict=True)):
                if step + 1 in rungs:
                    module = net.load(k, model(trial, generator(trial, "weights"))).requires_grad_(False)
                    found[k].append({"step": step + 1, **rung(trial, world, module)})
    for spec, rows in zip(specs, found, strict=True):
        yield spec, {"rungs": rows, "loss": rows[-1]["loss"]}


def rung(one: Experiment, world: World, module: nn.Module) -> dict[str, Any]:
    """Return the losses of one network, observed, and the bounds of its certificate over all prompts with signs."""
    from theorytools.papers.qstr.training.prompts import draw, generator
    from theorytools.papers.qstr.training.reference import evaluate, test_set
    from theorytools.trained.certify import certify

    X, T, _ = draw(one, world, generator(one, "signs"), SIGNS, simple=False)
    X = X.sign()
    labels = (X @ world.u).gather(1, T[..., 0])
    made = certify(module, "qstr.lemma_11", codes=world.codes, direction=world.u, draws=DRAWS).to_json()
    looks = made["mechanism"]
    return {
        "loss": evaluate(module, world.codes, test_set(one, world)),
        "signs": evaluate(module, world.codes, (X, T, labels)),
        "delta": looks["delta"], "leakage": looks["leakage"], "risk": made["labels"]["risk"],
        "block": looks["structure"]["block"][0],
    }  # fmt: skip


sweep = Sweep(
    title="A ladder of checkpoints: the loss, and the mechanism on every prompt",
    question="Does a small test loss come with attention that finds the index on every prompt, or long before it?",
    rule=RULE, cells=cells, runner="evaluate", memory=group_bytes, size="N", value="loss",
    profiles=("smoke", "published"),
)  # fmt: skip
