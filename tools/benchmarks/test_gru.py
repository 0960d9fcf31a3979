"""One bidirectional GRU trained for a fixed number of steps, evaluation included, against the plain loop.

Both train the same network on the same batches (N = 6, d = 10, width 500, 64 prompts a step) and ask every 10 steps
whether the loss on 5000 test prompts is below 7/10; a round goes on where the round before stopped, so that the rounds,
after one to warm up, lead to some 25000 prompts, not far before the threshold, where an evaluation costs most.

The plain loop is ``torch.nn.GRU`` with autograd and evaluates all test prompts.  Its step reaches ``plain_share`` of
what the same library reaches on one large product (0.72 for the released code, measured once on another processor),
and spends ``plain_in_products`` of its time in its own products, made again alone.

Beside it runs the plain script (``plain_script.py``), one check a round: it evaluates all test prompts, so every
check costs it the same.

The gain is split into three factors that multiply: the same work in kernels of our own, then another library for the
products, then fewer test prompts.
"""

import statistics
import time

import pytest
import torch

from theorytools.papers.qstr.training import reference as plain
from theorytools.papers.qstr.training import search
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import World, encode, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.training.products import fast_products, route
from tools.benchmarks.plain_script import Script

CHECKS, SIDE, RELEASED_SHARE = 8, 1024, 0.72


class Race:
    """The plain module and the stacked one, at the same place of the same training."""

    def __init__(self, one):
        self.one, self.world = one, World.of(one)
        self.module = model(one, generator(one, "weights"))
        self.descent = plain.optimiser(one, self.module)
        self.net = search.ensemble([one], [self.world])
        self.tests = plain.test_set(one, self.world)
        self.parts = search.Tests.of([one], [self.world])
        self.batches = [plain.batches(one, self.world) for _ in range(2)]
        self.evaluation = []
        self.script_run = Script(one)

    def script(self, checks):
        for _ in range(checks):
            self.script_run.steps()
            loss = self.script_run.evaluation()
        return loss

    def reference(self, checks):
        losses, below = [], []
        for _ in range(checks):
            losses += [self.plain_step(*next(self.batches[0])) for _ in range(self.one.check_every)]
            below.append(self.plain_evaluation() < self.one.threshold)
        return torch.stack(losses), below

    def candidate(self, checks):
        losses, below, seconds, start = [], [], 0.0, time.process_time()
        for _ in range(checks):
            drawn = [next(self.batches[1]) for _ in range(self.one.check_every)]
            with fast_products():
                losses += [self.step(*batch) for batch in drawn]
                before = time.process_time()
                below.append(bool(self.parts.below(self.net, float(self.one.threshold))))
                seconds += time.process_time() - before
        self.evaluation.append(seconds / (time.process_time() - start))
        return torch.stack(losses), below

    def plain_step(self, X, T, y):
        return plain.step(self.module, self.descent, encode(self.world.codes, X, T), y)

    def plain_evaluation(self):
        return plain.evaluate(self.module, self.world.codes, self.tests)

    def step(self, X, T, y):
        return self.net.step(X[None], T[None], y[None])[0]

    def all_prompts(self):
        blocks = zip(*(part.split(self.net.block) for part in self.tests), strict=True)
        return [self.net.losses(*(part[None] for part in block)) for block in blocks]

    def fast_step(self, *batch):
        with fast_products():
            return self.step(*batch)

    def all_prompts_fast(self):
        with fast_products():
            return self.all_prompts()

    def products_in_a_step(self):
        """Floating-point operations: three products with the state for all steps but the first, two with the input."""
        one = self.one
        return 2 * one.batch * 2 * 3 * one.width * (3 * (one.N - 1) * one.width + 2 * one.N * one.D_e)


def large_product():
    A = torch.ones(SIDE, SIDE)
    return A @ A


def large_product_fast():
    with fast_products():
        return large_product()


def medians(functions, rounds):
    """Return the median processor time of each, in turns."""
    seconds = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.process_time()
            function()
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def shares(race, rounds, products):
    """Return where the gain comes from, and how much of the products' speed each step reaches."""
    one, batch = race.one, next(race.batches[0])
    with products:
        race.plain_step(*batch)
    s = medians({
        "plain step": lambda: race.plain_step(*batch), "step": lambda: race.step(*batch),
        "fast step": lambda: race.fast_step(*batch), "plain all": race.plain_evaluation, "all": race.all_prompts,
        "fast all": race.all_prompts_fast, "product": large_product, "fast product": large_product_fast,
        "products": products.again,
    }, rounds)  # fmt: skip
    period = {name: one.check_every * s[f"{name}step"] + s[f"{name}all"] for name in ("plain ", "", "fast ")}
    rate = {name: 2 * SIDE**3 / s[f"{name}product"] for name in ("", "fast ")}
    skipped = 2 * one.batch * 2 * 3 * one.width * 3 * one.width  # the plain loop multiplies the state 0 too
    return {
        "gain_by_kernels": period["plain "] / period[""],
        "gain_by_library": period[""] / period["fast "],
        "step_ratio": s["plain step"] / s["fast step"],
        "plain_in_products": s["products"] / s["plain step"],
        "plain_share_released": RELEASED_SHARE,
        "plain_share": (race.products_in_a_step() + skipped) / s["plain step"] / rate[""],
        "share_of_large_product": race.products_in_a_step() / s["fast step"] / rate["fast "],
        "product_gflops": {"default": rate[""] / 1e9, "fast": rate["fast "] / 1e9},
        "library": route().precision,
        "library_error": route().error,
    }, period["fast "]


@pytest.fixture
def sizes(benchmark):
    return {"N": 6} if benchmark.enabled else {"N": 3, "width": 16, "batch": 8, "test_size": 500}


def test_gru(alternate, benchmark, products, sizes):
    race = Race(Experiment(architecture="gru", **sizes))
    one, checks = race.one, CHECKS if benchmark.enabled else 1
    prompts = checks * one.check_every * one.batch / 1000
    (ours, below), (losses, expected) = alternate(
        lambda: race.candidate(checks), lambda: race.reference(checks), unit="1000 training prompts",
        work=(prompts, prompts), demand=3, rounds=4, N=one.N, d=one.d, width=one.width, batch=one.batch,
        check_every=one.check_every, test_size=one.test_size,
        beside={"plain script": (lambda: race.script(1), prompts / checks, 5)},
    )  # fmt: skip
    # float32 products of two libraries differ by 1e-7; training may amplify that ten thousand times
    torch.testing.assert_close(ours, losses, rtol=0, atol=1e-3)
    assert all(reached for reached, ours_too in zip(expected, below, strict=True) if ours_too)
    tested = race.parts.tested[0] / (checks * len(race.evaluation))
    benchmark.extra_info |= {
        "evaluation_share": statistics.mean(race.evaluation),
        "test_prompts_per_check": tested,
    }
    if benchmark.enabled:
        found, full = shares(race, 3, products)
        benchmark.extra_info |= found
        spent = benchmark.extra_info["seconds_per_unit"] * one.check_every * one.batch / 1000
        benchmark.extra_info["gain_by_fewer_test_prompts"] = full / spent
        print({name: f"{x:.3g}" if isinstance(x, float) else x for name, x in benchmark.extra_info.items()})
