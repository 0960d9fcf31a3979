"""Bounds on the floats of any traced module: never exceeded, near in the worst order of summation, refused by name.

A module is compared with its twin in doubles, of which the bound is added; the twin with 40 digits.  What only one test
notices: half a gamma (sums in the worst order), an operator without its own rounding (one at a time), a softmax whose
scores count half, masked keys that count, a norm whose mean is off, a state that forgets, what overflows.
"""

import copy
import itertools
import math

import mpmath
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from theorytools import DomainError
from theorytools.trained.floats.composed import _mixed
from theorytools.trained.floats.module_rounding import rounding
from theorytools.trained.floats.reach import Floats, Reach, matmul, normed, softmax
from theorytools.trained.traced.program import exported
from theorytools.training.networks import FeedForward, MergedAttention, Recurrent, SeparateAttention

N, D = 5, 8
FLOATS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


class Multi(nn.Module):
    def __init__(self, causal=False):
        super().__init__()
        self.inner = nn.MultiheadAttention(D, 2, batch_first=True)
        self.causal = causal

    def forward(self, Z):
        mask = torch.full((N, N), -math.inf, dtype=Z.dtype).triu(1) if self.causal else None
        return self.inner(Z, Z, Z, attn_mask=mask, need_weights=False)[0]


class Written(nn.Module):
    """Words, a table of places, a softmax and a norm written out, GELU."""

    def __init__(self):
        super().__init__()
        self.tokens, self.query, self.key = nn.Embedding(4, D), nn.Linear(D, D), nn.Linear(D, D, bias=False)
        self.register_buffer("places", torch.randn(N, D))
        self.register_buffer("later", torch.ones(N, N, dtype=torch.bool).triu(1))
        self.last = nn.Linear(D, 3)

    def forward(self, X, T):
        Z = X + self.places + self.tokens(T)
        scores = torch.einsum("bid,bjd->bij", self.query(Z), self.key(Z)) / 3
        scores = scores.masked_fill(self.later, -math.inf)
        weights = torch.exp(scores - scores.amax(-1, keepdim=True))
        Z = Z + weights / weights.sum(-1, keepdim=True) @ F.gelu(Z)
        return self.last(Z * torch.rsqrt(Z.pow(2).mean(-1, keepdim=True) + 1))


def encoder(first):
    return nn.TransformerEncoderLayer(D, 2, 16, batch_first=True, norm_first=first, dropout=0.0, activation="gelu",
                                      layer_norm_eps=0.01)  # fmt: skip


MODULES = {
    "multihead": Multi, "causal": lambda: Multi(causal=True), "written": Written,
    "separate": lambda: SeparateAttention(D, 2, 5), "merged": lambda: MergedAttention(D, 2, 5),
    "forward": lambda: FeedForward(N, 2, 1, D, 5), "gru": lambda: Recurrent("gru", D, 4),
    "lstm": lambda: Recurrent("lstm", D, 4), "rnn": lambda: Recurrent("relu", D, 4),
    "post-norm": lambda: encoder(False), "pre-norm": lambda: encoder(True),
}  # fmt: skip
# how much larger than what is seen the largest bound is at most, on prompts that are drawn, in float32 and bfloat16
LOOSE = {
    "multihead": (600, 250), "causal": (450, 250), "written": (400, 160), "separate": (2500, 600),
    "merged": (600, 100), "forward": (1500, 80), "gru": (1300, 500), "lstm": (20000, 25000), "rnn": (500, 100),
    "post-norm": (5000, 900), "pre-norm": (600, 50),
}  # fmt: skip


def example(name, dtype, n):
    rng = np.random.default_rng(3)
    X = torch.as_tensor(rng.permuted(np.tile([1.0, -1.0], (n, N, D // 2)), axis=-1)).to(dtype)  # no norm sees zero
    return (X, torch.as_tensor(rng.integers(0, 4, (n, N)))) if name == "written" else (X,)


def made(name, dtype, seed=0):
    module, rng = MODULES[name]().eval(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for part in (*module.parameters(), *module.buffers()):
            if part.is_floating_point():
                part.uniform_(-1, 1, generator=rng).mul_(part.shape[-1] ** -0.5)
    return module.to(dtype)


def doubled(module, inputs):
    twin = copy.deepcopy(module).double()
    return twin, tuple(x.double() if x.is_floating_point() else x for x in inputs)


def bounds(program, **more):
    return rounding(program, {given.name: 1.0 if given.name != "T" else 4 for given in program.inputs}, **more)


def spread(module, program, inputs):
    """What the norms' deviations are at least, on the prompts that are drawn."""
    seen = []
    hooks = [part.register_forward_pre_hook(lambda _, x: seen.append(x[0].std(-1, correction=0).min().item()))
             for part in module.modules() if isinstance(part, nn.LayerNorm)]  # fmt: skip
    module(*inputs)  # with gradients, so that torch does not leave its operators for a fused one
    for hook in hooks:
        hook.remove()
    names = [node.name for node in program.nodes if node.operator == "aten.native_layer_norm.default"]
    return {name: least * (1 - 1e-3) for name, least in zip(names, seen, strict=True)}


@pytest.mark.parametrize("name", MODULES)
def test_floats_stay_within_their_bounds_and_not_far_below(name):
    module, inputs = made(name, torch.bfloat16).float(), example(name, torch.float32, 300)  # weights of both types
    program = exported(module, *(x[:1] for x in inputs))
    twin, doubles = doubled(module, inputs)
    spreads = spread(twin, program, doubles)
    for dtype, loose in zip(("float32", "bfloat16"), LOOSE[name], strict=True):
        given = [x.to(FLOATS[dtype]) if x.is_floating_point() else x for x in inputs]
        with torch.no_grad():
            off = (module.to(FLOATS[dtype])(*given).double() - twin(*doubles)).abs().amax(0).numpy()
        found, exact = (bounds(program, dtype=kind, spreads=spreads).output[0] for kind in (dtype, "float64"))
        assert (off <= found + exact).all()
        assert found.max() <= loose * off.max()


def test_doubles_stay_within_their_bounds_of_forty_digits():
    module = made("separate", torch.float64)
    kept = {name: value.numpy() for name, value in module.state_dict().items()}
    found = bounds(exported(module, torch.zeros(1, N, D, dtype=torch.float64))).output[0]
    assert found.max() < 1e-12
    with mpmath.workdps(40):
        m = lambda a: mpmath.matrix(a.tolist())  # noqa: E731
        for Z in example("separate", torch.float64, 3)[0]:
            q, k, v = (m(Z.numpy()) * m(kept[f"{part}.weight"]).T + mpmath.ones(N, 1) * m(kept[f"{part}.bias"]).T
                       for part in ("query", "key", "value"))  # fmt: skip
            joined = mpmath.matrix(N, 2 * D)
            for h, i in itertools.product(range(2), range(N)):
                at = range(h * D, (h + 1) * D)
                e = [mpmath.exp(mpmath.fsum(q[i, a] * k[j, a] for a in at) / mpmath.sqrt(D)) for j in range(N)]
                for a in at:
                    joined[i, a] = mpmath.fsum(e[j] * v[j, a] for j in range(N)) / mpmath.fsum(e)
            seen = module(Z[None])[0].tolist()
            for i in range(N):
                x = m(kept["output.weight"]) * joined[i, :].T + m(kept["output.bias"])
                y = m(kept["hidden.weight"]) * x + m(kept["hidden.bias"])
                y = mpmath.matrix([max(t, 0) for t in y])
                true = (m(kept["last.weight"]) * y + m(kept["last.bias"]))[0]
                assert abs(true - seen[i]) <= found[i]


# -- what a spoiled rule does --------------------------------------------------------------------------------------
@pytest.mark.parametrize("bias", [False, True])
def test_a_sum_in_the_worst_order_attains_gamma(bias):
    n, u = 64, 2.0**-24  # 1 + u rounds to 1 each time, so all further terms are lost
    layer = nn.Linear(n, 1, bias=bias)
    with torch.no_grad():
        layer.weight[:] = u
        (layer.bias if bias else layer.weight[0])[:1] = 1
    total = np.float32(1)
    for weight in layer.weight[0].tolist()[0 if bias else 1 :]:
        total = np.float32(total + np.float32(weight))
    true = math.fsum([1, *[u] * (n if bias else n - 1)])
    found = bounds(exported(layer, torch.zeros(1, n))).output.max()
    assert found / 1.1 <= true - float(total) <= found


OPERATORS = {
    "add": lambda x: x + 0.7002, "sub": lambda x: 0.7002 - x, "mul": lambda x: x * 0.7002, "div": lambda x: x / 3,
    "inverse": lambda x: 3 / (x + 2), "square": lambda x: x**2, "cube": lambda x: x**3, "exp": torch.exp,
    "tanh": torch.tanh, "sigmoid": torch.sigmoid, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu, "erf": torch.erf, "elu": F.elu, "leaky": F.leaky_relu, "softplus": F.softplus, "sin": torch.sin,
    "root": lambda x: torch.sqrt(x * x + 1), "rsqrt": lambda x: torch.rsqrt(x * x + 1),
    "sum": lambda x: x.sum(-1), "mean": lambda x: x.mean(-1), "var": lambda x: x.var(-1), "cat": lambda x: torch.cat(
        [x + 1, x * 3], -1), "softmax": lambda x: torch.softmax(3 * x, -1), "logs": lambda x: torch.log_softmax(x, -1),
    "layer_norm": lambda x: F.layer_norm(x, (3,), eps=0.5), "rms_norm": lambda x: F.rms_norm(x, (3,), eps=0.5),
    "group_norm": lambda x: F.group_norm(x, 1, torch.tensor([0.7, 1.3]).to(x), torch.tensor([0.1, -0.2]).to(x), 0.5),
    "batch_norm": lambda x: F.batch_norm(x, *(torch.tensor(t).to(x) for t in ([0.2, -0.1], [0.9, 1.7], [0.6, 1.1],
                                                                             [0.1, -0.2]))),
    "convolution": lambda x: F.conv1d(x, torch.tensor([[[0.7], [0.4]]]).to(x), torch.tensor([0.3]).to(x)),
    "norm": lambda x: (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + 0.5),
    "product": lambda x: x @ x.mT, "where": lambda x: torch.where(x > 0.5, x * 0.3, x * 1.7 + 0.3 * x),
    "gather": lambda x: (x * 0.3).gather(1, (x[..., :1] > 0).long().expand(-1, -1, 3)),
}  # fmt: skip


class All(nn.Module):
    def forward(self, x):
        return tuple(made(x) for made in OPERATORS.values())


def test_every_operator_has_its_own_rounding():
    program = exported(All(), torch.zeros(1, 2, 3))
    rng = np.random.default_rng(0)
    x = torch.as_tensor(rng.uniform(-1, 1, (20000, 2, 3)).clip(-1, 1)).float()
    for dtype, loose in (("float32", 60), ("bfloat16", 40)):
        x = x.to(FLOATS[dtype])
        for name, seen, true, bound in zip(OPERATORS, All()(x), All()(x.double()), bounds(program, dtype=dtype).outputs,
                                           strict=True):  # fmt: skip
            off = (seen.double() - true).abs().amax(0).numpy()
            assert (off <= bound[0]).all(), name
            assert bound.max() <= loose * off.max() * (10 if "var" in name else 2), name


def test_scores_that_are_off_move_a_mean_by_twice_as_much_as_a_weight():
    for eta in (1e-3, 0.5, 3.0):
        zero = np.zeros((1, 2))
        weights, factor = softmax(Reach(zero, zero, zero + eta), -1, Floats("float64"))
        values = Reach(*np.array([[[1.0], [-1.0]], [[1.0], [-1.0]], [[0.0], [0.0]]]))
        found = matmul(weights, values, Floats("float64")).off.item()
        assert math.tanh(eta) <= found <= min(eta, 2) * 1.001  # scores of eta and -eta
        assert math.exp(2 * eta) / (math.cosh(eta) * math.exp(eta)) <= factor <= math.exp(2 * eta) * 1.001
        assert math.tanh(eta) / 2 <= weights.off.max() <= eta / 2 * 1.001


def test_keys_that_a_mask_hides_do_not_count():
    program = exported(made("causal", torch.float32), torch.zeros(1, N, D))
    small = np.ones((N, D))
    large = small * np.where(np.arange(N) < 2, 1.0, 100.0)[:, None]
    near, far = (rounding(program, {"Z": Z}).output[0] for Z in (small, large))
    assert (near[:2] == far[:2]).all()
    assert (near[2:].max(-1) < far[2:].max(-1) / 50).all()


def test_a_norm_of_tokens_that_are_nearly_constant():
    norm = nn.LayerNorm(D, eps=1e-5)
    found = bounds(exported(norm, torch.zeros(1, N, D))).output[0]
    rng = np.random.default_rng(1)
    X = 1 - rng.uniform(0, 1, (4000, 1, 1)) * rng.uniform(0, 1, (4000, N, D)) * 0.01
    X = torch.as_tensor(X).float()
    off = (norm(X).double() - norm.double()(X.double())).abs().amax(0).detach().numpy()
    assert (off <= found).all()
    assert found.max() <= 5000 * off.max()


def test_a_mean_in_the_worst_order_moves_a_norm():
    n, u = 256, 2.0**-24
    steps, x, total = 1 + np.arange(64, dtype=np.float32) * np.float32(2 * u), [], np.float32(0)
    for _ in range(n):  # each addition is the one of 64 that is rounded down furthest
        x.append(steps[np.argmax((total.astype(float) + steps.astype(float)) - (total + steps))])
        total = np.float32(total + x[-1])
    x = np.array(x, dtype=float)
    norm = lambda mean: (x - mean) / math.sqrt(((x - mean) ** 2).mean() + 1e-5)  # noqa: E731
    off = np.abs(norm(float(total) / n) - norm(x.mean())).max()
    point = Reach(x, x, 0 * x)
    found = normed(point, n, 1e-5, Floats("float32")).off.max()
    assert 50 * u / math.sqrt(1e-5) <= off <= found <= 100 * off


def test_a_norm_carries_what_its_argument_is_off():
    rng = np.random.default_rng(2)
    norm = lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-4)  # noqa: E731
    for width in (0.0, 0.01, 1.0):
        x, signs = 1 + width * rng.standard_normal(D), rng.choice([-1.0, 1.0], (2000, D))
        for delta in (1e-6, 1e-3, 1.0):
            off = np.abs(norm(x + delta * signs) - norm(x)).max()
            found = normed(Reach(x, x, delta + 0 * x), D, 1e-4, Floats("float64")).off.max()
            assert off <= found <= 8 * off


def test_a_state_carries_what_it_was_off():
    n, h = (Reach(np.array(-1.0), np.array(1.0), np.array(0.25)) for _ in range(2))
    z = Reach(np.array(0.0), np.array(1.0), np.array(0.1))
    found = _mixed(n, h, z, Floats("float64")).off
    ends = itertools.product((-1.0, 1.0), (-1.0, 1.0), (0.0, 0.5, 1.0), (-0.25, 0.25), (-0.25, 0.25), (-0.1, 0.1))
    off = max(abs((1 - c - w) * (a + v) + (c + w) * (b + t) - (1 - c) * a - c * b) for a, b, c, v, t, w in ends)
    assert off <= found <= 1.2 * off


def test_what_may_overflow_is_infinite():
    layer = nn.Linear(D, 1, bias=False).half()
    for size, finite in ((100.0, True), (10000.0, False)):
        with torch.no_grad():
            layer.weight[:] = size
        assert math.isfinite(layer(torch.ones(1, D).half()).item()) == finite
        assert np.isfinite(bounds(exported(layer, torch.zeros(1, D).half())).output).all() == finite


# -- refusals --------------------------------------------------------------------------------------------------------
class Sorted(nn.Module):
    def forward(self, Z):
        return Z.sort(-1).values


class Hidden(nn.Module):
    def forward(self, Z):
        return torch.softmax(Z.masked_fill(Z > 0, -math.inf), -1)


@pytest.mark.parametrize(
    ("module", "inputs", "more", "said"),
    [(Sorted(), {"Z": 1.0}, {}, "node sort: aten.sort"), (Hidden(), {"Z": 1.0}, {}, "depends on the prompt"),
     (nn.Tanh(), {"Z": 1.0}, {}, "required: input"), (nn.Tanh(), {"input": math.nan}, {}, "the bound of input"),
     (nn.Tanh(), {"input": np.ones(3)}, {}, "the bound of input"), (nn.Tanh(), {"input": -1}, {}, "the bound of input"),
     (nn.Tanh(), {"input": 1}, {"dtype": "int8"}, "one of float64"),
     (nn.Tanh(), {"input": 1}, {"spreads": {"norm": 1.0}}, "spreads of norm")],
)  # fmt: skip
def test_what_has_no_bound_is_refused_by_name(module, inputs, more, said):
    with pytest.raises(DomainError, match=said):
        rounding(exported(module, torch.zeros(1, N, D)), inputs, **more)
