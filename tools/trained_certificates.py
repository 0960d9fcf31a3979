"""Train checkpoints of the sweeps' Transformer, certify each, and write the record.

    python -m tools.trained_certificates --record reports/trained_certificates.json

takes about ten minutes of one core: sizes, steps, rates and seeds stand below, were fixed after runs on other repeats
(100 to 102), and nothing is run twice.  Weights are not kept; their digests are.  ``--smoke`` trains a few steps at
N = 8 and prints; ``--keep FOLDER`` also writes the weights.
"""

import argparse
import hashlib
import sys
import time
from fractions import Fraction
from pathlib import Path

import torch

from theorytools.files import json_text, write_all
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.periods import Periods
from theorytools.papers.qstr.training.prompts import World, draw, generator
from theorytools.papers.qstr.training.reference import evaluate, model, test_set
from theorytools.papers.qstr.training.stacks.ensemble import ensemble
from theorytools.progress import shown
from theorytools.trained.certify import certify
from theorytools.trained.checkpoint import write_checkpoint
from theorytools.training.loop import cosine
from theorytools.training.products import fast_products
from theorytools.training.trials.provenance import provenance
from tools import evidence

SCHEMA = "theorytools.trained/2"
SIZES, SEEDS, STEPS, DELTA = (8, 12, 16, 32, 64), 3, 6000, 0.05
DRAWS = 10_000  # prompts for the mean square error
LADDER = (16, (20, 50, 100, 200, 300, 500, 1000, 2000, 4000, 6000))
TRIAL = {"d": 4, "lr": Fraction(1, 50), "weight_decay": Fraction(1, 20), "protocol": "corrected"}
RULE = (
    f"The Transformer of the sweeps, one index, d = 4, Gaussian tokens, random sign codes of length floor(5 log N), "
    f"AdamW on fresh batches of 64 prompts, rate 1/50 falling to 0 along a cosine in {STEPS} steps, decay 1/20. "
    f"Checkpoints: N in {SIZES}, steps {STEPS // 2} and {STEPS}, repeats 0 to {SEEDS - 1}; and a ladder of "
    f"{len(LADDER[1])} steps at N = {LADDER[0]}. Certified over all prompts with tokens in {{-1, 1}}^d; the mechanism "
    f"is said to be there where delta <= {DELTA}."
)


def trained(N, steps, at):
    """Yield (step, repeat, plain module, world) at the asked steps, the repeats trained as one stacked ensemble."""
    trials = [Experiment(architecture="transformer", N=N, repeat=r, **TRIAL) for r in range(SEEDS)]
    worlds = [World.of(one) for one in trials]
    net = ensemble(trials, worlds)
    with Periods(trials, worlds) as periods:
        for step in range(1, steps + 1):
            if (step - 1) % trials[0].check_every == 0:
                X, T, y = periods.next()
            low = (step - 1) % trials[0].check_every * trials[0].batch
            cut = slice(low, low + trials[0].batch)
            net.optimiser.param_groups[0]["lr"] = float(trials[0].lr) * cosine(step - 1, steps)
            with fast_products():
                net.step(X[:, cut], T[:, cut], y[:, cut])
            if step in at:
                for r, (one, world) in enumerate(zip(trials, worlds, strict=True)):
                    yield step, one, net.load(r, model(one, generator(one, "weights"))).requires_grad_(False), world


def digest(module):
    """The SHA-256 of the weights, as little-endian float32 in the order of their names."""
    found = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        found.update(name.encode() + tensor.contiguous().numpy().astype("<f4").tobytes())
    return found.hexdigest()


def sign_loss(one, world, module):
    """The mean squared error on 2000 prompts with uniform signs, observed."""
    X, T, _ = draw(one, world, generator(one, "signs"), 2000, simple=False)
    X = X.sign()
    y = (X @ world.u).gather(1, T[..., 0])
    return evaluate(module, world.codes, (X, T, y))


def row(step, one, module, world, keep=None):
    """One checkpoint: losses, certificate, the seconds of one core that it took, the failing prompt."""
    if keep is not None:
        name = f"n{one.N}_seed{one.repeat}_step{step}.safetensors"
        write_checkpoint(keep / name, module, codes=world.codes, direction=world.u)
    start = time.process_time()
    made = certify(module, "qstr.lemma_11", codes=world.codes, direction=world.u, draws=DRAWS)
    seconds, data = time.process_time() - start, made.to_json()
    labels, looks = data["labels"], data["mechanism"]
    return {
        "N": one.N, "seed": one.repeat, "step": step, "digest": digest(module),
        "loss": evaluate(module, world.codes, test_set(one, world)), "loss_signs": sign_loss(one, world, module),
        "within": made.mechanism.within(DELTA),
        **{name: looks[name] for name in ("delta", "leakage", "bound", "construction")},
        **{name: labels[name] for name in ("error", "real", "found", "rounding", "risk", "floor")},
        "structure": {name: share[0] for name, share in looks["structure"].items()},
        "failing": packed(labels["failing"]), "leaking": packed(looks["leaking"]), "seconds": round(seconds, 2),
    }  # fmt: skip


def packed(prompt):
    """The prompt in few signs: tokens as rows of + and -, indices as numbers."""
    tokens = ["".join("+" if x > 0 else "-" for x in row) for row in prompt["X"]]
    return {**prompt, "X": " ".join(tokens), "T": [t[0] for t in prompt["T"]]}


def rows(sizes, steps, ladder, progress=None, keep=None):
    """The checkpoints of the list and of the ladder; a training that serves both runs once."""
    listed, climbed = [], []
    for done, N in enumerate(sizes, 1):
        wanted = {steps // 2, steps}
        for step, *rest in trained(N, steps, wanted | (set(ladder[1]) if ladder[0] == N else set())):
            made = row(step, *rest, keep)
            listed += [made] if step in wanted else []
            climbed += [made] if ladder[0] == N and step in ladder[1] else []
        if progress is not None:
            progress(done, len(sizes))
    return listed, climbed


def line(one):
    risk = one["risk"]
    return (f"N {one['N']:3} seed {one['seed']} step {one['step']:5} loss {one['loss']:.2e} delta {one['delta']:.4f} "
            f"error {one['error']:.3f}, shown {one['found']:.3f}, risk [{risk[0]:.1e}, {risk[1]:.1e}] "
            f"{one['seconds']:.1f} s")  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Train, certify and record checkpoints.")
    parser.add_argument("--record", type=Path, help="the file to write, such as reports/trained_certificates.json")
    parser.add_argument("--smoke", action="store_true", help="200 steps at N = 8; writes nothing")
    parser.add_argument("--keep", type=Path, help="a folder for the weights, which no record holds")
    options = parser.parse_args(arguments)
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    start = time.process_time()
    with shown("sizes") as progress:
        if options.smoke:
            listed, ladder = rows((8,), 200, (8, (50, 200)), progress, options.keep)
        else:
            listed, ladder = rows(SIZES, STEPS, LADDER, progress, options.keep)
    print("\n".join(map(line, [*listed, *ladder])))
    count = sum(one["within"] for one in listed)
    print(f"{count} of {len(listed)} checkpoints within {DELTA}")
    if options.record and not options.smoke:
        record = {
            "schema": SCHEMA, "rule": RULE, "delta": DELTA, "within": count, "of": len(listed),
            "cpu_seconds": round(time.process_time() - start), "checkpoints": listed, "ladder": ladder,
            "provenance": provenance(),
            "tree": evidence.tree_of(modules=evidence.imported_by("tools/trained_certificates.py")),
        }  # fmt: skip
        write_all(options.record.parent, {options.record.name: json_text(record, indent=1) + "\n"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
