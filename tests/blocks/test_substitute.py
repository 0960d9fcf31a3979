"""A network on encoded tokens and the same one on tokens and words: equal on every prompt, to rounding."""

import numpy as np
import pytest

from theorytools.blocks.network import (
    ONE,
    PLACE,
    Activation,
    Attention,
    Field,
    Flatten,
    Head,
    Map,
    Network,
    Norm,
    Product,
)
from theorytools.blocks.substitute import encoded, substituted, through
from theorytools.errors import DomainError
from theorytools.numbers.boxes import Box, exact

N, D, Q, K = 4, 2, 2, 3


def drawn(rng, m, **widths):
    return Map({name: exact(rng.standard_normal((m, w))) for name, w in widths.items()}, exact(rng.standard_normal(m)))


def network(rng, flat=False):
    """Every block but a recurrence, on encoded tokens ``Z``, with scores of the constant one in both places."""
    w = D + K * (Q + 1)
    scores = {(a, b): exact(rng.standard_normal((p, q))) for a, p in (("Z", w), (ONE, 1), ("n", 3))
              for b, q in (("Z", w), (ONE, 1), (PLACE, N))}  # fmt: skip
    blocks = (
        Norm("n", drawn(rng, 3, Z=w), 1e-5),
        Attention("a", tuple(Head(scores, drawn(rng, 2, Z=w, n=3)) for _ in range(2)), np.tril(np.ones((N, N), bool))),
        Activation("r", "relu", drawn(rng, 2, a=4, Z=w)),
        Product("p", drawn(rng, 2, r=2), drawn(rng, 2, Z=w)),
        *((Flatten("f", drawn(rng, 2, p=2)),) if flat else ()),
    )
    output = drawn(rng, 2, f=2 * N) if flat else drawn(rng, 2, p=2, Z=w)
    return Network(N, (Field("Z", w),), blocks, output, each=not flat)


@pytest.mark.parametrize("flat", [False, True])
def test_columns_of_codes_become_words_and_nothing_else_changes(flat):
    rng = np.random.default_rng(0)
    net, codes = network(rng, flat), rng.standard_normal((N, K))
    fields = (Field("x", D), Field("slot1", N, word=True), Field("slot2", N, word=True))
    made = substituted(net, fields, {"Z": encoded(D, codes, Q)})
    X, T = rng.standard_normal((50, N, D)), rng.integers(0, N, (50, N, Q))
    own = np.broadcast_to(codes, (50, N, K))
    Z = np.concatenate([X, own, codes[T[..., 0]], codes[T[..., 1]]], axis=-1)
    found = made(x=X, slot1=T[..., 0], slot2=T[..., 1])
    assert found.shape == net(Z=Z).shape
    np.testing.assert_allclose(found, net(Z=Z), rtol=1e-11, atol=1e-11)


def test_a_shift_becomes_the_constant_one_in_scores_and_is_added_elsewhere():
    rng = np.random.default_rng(1)
    net = network(rng)
    w = net.fields[0].width
    back = Map({"y": exact(rng.standard_normal((w, 5)))}, exact(rng.standard_normal(w)))
    made = substituted(net, (Field("y", 5),), {"Z": back})
    Y = rng.standard_normal((20, N, 5))
    np.testing.assert_allclose(made(y=Y), net(Z=Y @ back.parts["y"].mid.T + back.shift.mid), rtol=1e-10, atol=1e-10)


def test_intervals_of_weights_hold_the_products_of_any_weights_in_them():
    rng = np.random.default_rng(2)
    part, inner = rng.standard_normal((2, 3)), rng.standard_normal((3, 4))
    wide = Map({"a": Box(part, np.full((2, 3), 0.1))}, Box(np.zeros(2), np.full(2, 0.1)))
    made = through(wide, {"a": Map({"b": Box(inner, np.full((3, 4), 0.2))}, Box(np.ones(3), np.full(3, 0.2)))})
    for _ in range(200):
        A, B = part + rng.uniform(-0.1, 0.1, part.shape), inner + rng.uniform(-0.2, 0.2, inner.shape)
        m = 1 + rng.uniform(-0.2, 0.2, 3)
        assert (np.abs(A @ B - made.parts["b"].mid) <= made.parts["b"].rad).all()
        assert (np.abs(A @ m - made.shift.mid) <= made.shift.rad).all()


def test_fields_that_do_not_fit_are_refused():
    net = network(np.random.default_rng(3))
    with pytest.raises(DomainError, match="without a map"):
        substituted(net, (Field("x", D),), {})
    with pytest.raises(DomainError, match=r"required: .*width 11"):
        substituted(net, (Field("x", D),), {"Z": Map({"x": exact(np.ones((4, D)))}, exact(np.zeros(4)))})
    with pytest.raises(DomainError, match="a name that no block writes"):
        substituted(net, (Field("a", 11),), {"Z": Map({"a": exact(np.eye(11))}, exact(np.zeros(11)))})
