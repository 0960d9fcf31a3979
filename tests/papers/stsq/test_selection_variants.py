"""The trainer of layers beside the theorem's: autograd against the gradient written out, and what counts as success."""

import pytest
import torch
from devices import device

from theorytools.errors import DomainError

variants = device("stsq/sweeps/_selection_variants")
sgd = device("stsq/sweeps/_selection_sgd")

TASK = sgd.Selection(T=6, q=2, d=3, d_e=5, encodings="gauss", query="dual", longest=6)


def batches(count):
    rng = torch.Generator().manual_seed(1)
    return [sgd.draw_batch(TASK, [rng], 16, 6, [None]) for _ in range(count)]


def test_from_zero_autograd_trains_the_layer_of_the_theorem():
    net, known = variants.VariantLayer(TASK, "zero", torch.Generator()), sgd.SelectionSGD(TASK, 1, 0.5)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.5)
    for batch in batches(5):
        optimiser.zero_grad()
        (net(batch) - batch.s[0]).square().sum(-1).mean().backward()
        optimiser.step()
        known.step(batch)
    torch.testing.assert_close(net.V, known.V[0])
    torch.testing.assert_close(net.W[0], known.W[0])


@pytest.mark.parametrize("form", variants.FORMS)
def test_predictions_are_those_of_a_loop_over_tokens(form):
    rng = torch.Generator().manual_seed(0)
    net, batch = variants.VariantLayer(TASK, form, torch.Generator().manual_seed(2)), batches(1)[0]
    with torch.no_grad():
        for part in net.parameters():
            part += 0.3 * torch.randn(part.shape, generator=rng)
    X, E, e_y = batch.X[0, 0], batch.E[0, 0], batch.e_y[0, 0]
    Z = [torch.cat([x, e]) for x, e in zip(X, E, strict=True)]
    if form == "layer norm":
        Z = [(z - z.mean()) / (z.var(unbiased=False) + 1e-5).sqrt() for z in Z]
    W = net.W[0].T @ net.W[1] if form == "separate" else net.W[0]
    scores = torch.stack([z @ W @ e_y for z in Z]).exp()
    expected = net.V @ sum(w * z for w, z in zip(scores / scores.sum(), Z, strict=True))
    torch.testing.assert_close(net(batch)[0], expected)


def test_success_is_small_cross_talk_where_scores_are_products_with_the_query():
    for batch in batches(4):
        scores = (batch.E[0] @ batch.e_y[0][..., None])[..., 0]
        chosen = (scores - 1).abs().topk(2, dim=1, largest=False).indices
        others = scores.scatter(1, chosen, -torch.inf).max(dim=1).values
        found = variants.success(torch.softmax(9 * scores, dim=1), batch.E[0], batch.e_y[0], 2)
        assert found.tolist() == (others < 1).tolist()


def test_starts_depend_on_the_generator_alone():
    one, two, other = (variants.VariantLayer(TASK, "separate", torch.Generator().manual_seed(s)) for s in (3, 3, 4))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(one.W[0], other.W[0])
    random = variants.VariantLayer(TASK, "random", torch.Generator().manual_seed(3))
    assert not random.V[:, :3].any()
    assert random.V[:, 3:].all()
    assert random.W[0][:3].all()
    assert not random.W[0][3:].any()


def test_an_unknown_form_is_refused():
    with pytest.raises(DomainError, match="layer norm"):
        variants.VariantLayer(TASK, "rms norm", torch.Generator())
