"""What good calls of the fuzz are made of: a folder of checks with its verdicts, small sweeps, plain rules."""

import functools
import tempfile
from fractions import Fraction
from pathlib import Path

import checkfolders
import numpy as np
import sympy
from devices import device

from theorytools import Catalogue, Quantity, verify
from theorytools.claims.judging.judge import judge as judged
from theorytools.claims.papers.loading import load
from theorytools.numbers import Enclosure
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.theory.memory.quantised import InternedRecurrence
from theorytools.training.record import SweepRecord, Trial
from theorytools.training.sweep import Sweep
from theorytools.training.trials.pool import ProcessPool
from theorytools.training.trials.store import Store


def objects(values):
    return np.array(values, dtype=object)


def rng():
    return np.random.default_rng(0)


def constant(*_):
    return Enclosure(1)


def unit(*_):
    return sympy.Integer(1)


def apart(a, b):
    return int(a != b)


def seed():
    return np.random.SeedSequence(0)


@functools.cache
def home():
    """A folder that lasts as long as this process."""
    made = tempfile.TemporaryDirectory(prefix="theorytools-fuzz-")
    home.kept = made  # removed when the process ends
    return Path(made.name)


@functools.cache
def demo_checks():
    return checkfolders.write(home(), "holds", "refuted")


@functools.cache
def demo_catalogue():
    return Catalogue(demo_checks())


def demo_paper():
    return demo_catalogue().paper("tiny")


def demo_statement():
    return demo_paper().statements[0]


@functools.cache
def demo_claim():
    return load(demo_catalogue().select(["tiny.holds"])[0])


def judged_verdict():
    """The verdict of the engine, before it is shown."""
    return judged(demo_claim(), "tiny.holds")


@functools.cache
def demo_verdict():
    return verify("tiny.holds", checks=demo_checks())


def demo_stored():
    return [demo_verdict().to_json()]


def demo_index():
    return demo_catalogue().index()


def items(point, extra=0):
    return list(range(point.N + extra))


def more_items(point):
    return items(point, 1)


def counted(found, point):
    return {Quantity("size", "|x|", "number of items"): len(found)}


def small_cell(**fields):
    small = {"N": 4, "d": 2, "d_e": 3, "width": 3, "batch": 4, "check_every": 1, "test_size": 8, "cap": 8}
    return {"architecture": "gru", "threshold": Fraction(1, 10**6), "dtype": "float64", **small, **fields}


def small_trial(**fields):
    return Experiment(**small_cell(**fields))


@functools.cache
def small_source():
    from theorytools.papers.qstr.training.trained_source import trained_source

    return trained_source({"architecture": "gru", "N": 4, "d": 2, "d_e": 3, "width": 3, "batch": 4}, seed(), steps=1)


@functools.cache
def small_states():
    StateInequality = device("qstr/proposition_35/_trained_state").StateInequality

    return StateInequality(*small_source(), 4, np.eye(6))


@functools.cache
def small_store():
    store = Store(home() / "trials.sqlite")
    store.add({"N": 64, "seed": 0}, {"samples": 4096})
    return store


@functools.cache
def other_store():
    return Store(home() / "other.sqlite")


@functools.cache
def small_file():
    from theorytools import BlockAttention, hadamard, save

    save(BlockAttention(hadamard(4), 7), home() / "small.safetensors")
    return home() / "small.safetensors"


@functools.cache
def small_pool():
    return ProcessPool(1)


@functools.cache
def cluster():
    """A dask cluster of one thread of this process."""
    from distributed import LocalCluster

    return LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=50)


def squared(spec):
    return {"square": spec["N"] ** 2}


def squared_group(specs):
    for spec in specs:
        yield spec, squared(spec)


def small_cells(profile, protocol):
    return [[{"arm": "plain", "N": size, "batch": 1, "check_every": 1, "cap": 99, "repeat": r} for r in (0, 1)]
            for size in (2, 4)]  # fmt: skip


@functools.cache
def small_sweep():
    words = dict.fromkeys(("title", "question", "rule"), "to try the record")
    return Sweep(name="small", cells=small_cells, runner="good_values:squared", size="N", **words)


@functools.cache
def small_record():
    trials = tuple(
        Trial(spec, "done", {"samples": 8 * spec["N"]}, 0.5) for cell in small_cells("", "") for spec in cell
    )
    return SweepRecord(small_sweep(), "corrected", "published", trials, {}, {})


@functools.cache
def swept_store():
    store = Store(home() / "swept.sqlite")
    for trial in small_record().trials:
        store.add(trial.spec, trial.result)
    return store


@functools.cache
def small_layer_of_torch():
    """A head of torch over four bits, read at a public last token; its weights are the same on every machine."""
    import torch

    from theorytools.constructions.torch.last_token import LastTokenLayer

    attention = torch.nn.MultiheadAttention(2, 1, dtype=torch.float64)
    with torch.no_grad():
        attention.in_proj_weight.copy_(torch.arange(12.0).reshape(6, 2) / 4 - 1)
        attention.out_proj.weight.copy_(torch.eye(2))
    return LastTokenLayer(attention, torch.eye(2).expand(4, 2, 2), torch.ones(2), lambda h: h[:, 0] > 0)


def small_attention_of_torch():
    """The attention of a construction as a module."""
    from theorytools import BlockAttention, hadamard

    return BlockAttention(hadamard(4), beta=6, q=1, d=1).module()


def small_labels_of_torch():
    """A module that answers prompts of four signs and indices with the sign that is asked for, nearly."""
    import torch

    class Labels(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = small_attention_of_torch()

        def forward(self, X, T):
            return self.attention(X, T)[:, :, 0, 0]

    return Labels().eval()


def small_prompt_of_torch():
    """One prompt of four tokens and indices."""
    import torch

    return torch.zeros(1, 4, 1, dtype=torch.float64), torch.zeros(1, 4, 1, dtype=torch.int64)


def small_cell_of_torch():
    """A recurrent cell on two symbols with three numbers in its state; its weights are the same on every machine."""
    import torch

    cell = torch.nn.RNNCell(2, 3, dtype=torch.float64)
    with torch.no_grad():
        for weight in cell.parameters():
            weight.copy_(torch.arange(weight.numel(), dtype=torch.float64).reshape(weight.shape) / 4 - 1)
    return cell


def last_two_symbols():
    machine = InternedRecurrence((), lambda state, symbol, t: (*state, symbol)[-2:])
    assert machine.start.tolist() == [0]  # the first state has its number
    return machine


def a_check():
    return Path(__file__).parents[2] / "checks" / "qstr" / "figure_01" / "figure_01.py"
