"""The torch forms of the block attention: one function, trainable, and in torch's own layers."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from theorytools import BlockAttention, DomainError
from theorytools.codes.families import rademacher
from theorytools.constructions.feedforward.link_heads import linear_head
from theorytools.constructions.torch.export import MultiheadExport, sdpa_tokens


@pytest.fixture(scope="module")
def net():
    return BlockAttention(rademacher(12, 16, np.random.default_rng(0)), beta=Fraction(15), q=3, d=4)


@pytest.fixture(scope="module")
def prompts(net):
    rng = np.random.default_rng(1)
    X, T = rng.standard_normal((3, net.N, net.d)), rng.integers(0, net.N, (3, net.N, net.q))
    return torch.tensor(X), torch.tensor(T)


def close(a, b):
    # scores below 40 from 68 products in float64: a weight errs by less than 40·68·2^-52 < 1e-12 relatively
    return torch.allclose(a, b, rtol=0, atol=1e-10)


def test_the_module_agrees_with_torchs_attention_and_has_gradients(net, prompts):
    assert close(sdpa_tokens(net.module(), *prompts), net.module()(*prompts))
    module = replace(net, beta=2, head=linear_head(np.full(4, 0.5), 3)).module()
    module(*prompts).square().mean().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in module.parameters())
    assert {t.dtype for t in net.module().state_dict().values()} == {torch.float64}
    assert net.module(dtype=torch.float32).W_QK.dtype == torch.float32
    module = net.module()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        module.W_QK.add_(torch.randn(module.W_QK.shape, generator=generator, dtype=torch.float64) / 20)
    assert close(MultiheadExport(module)(*prompts), module(*prompts))
    assert close(net.multihead()(*prompts), net.module()(*prompts))
    with pytest.raises(DomainError, match="rank 16"):
        MultiheadExport(net.module(), width=8)


@pytest.mark.parametrize("width", [None, 40])
def test_multihead_attention_agrees(net, prompts, width):
    export = MultiheadExport(net.module(), width)
    assert type(export.attention) is torch.nn.MultiheadAttention
    assert close(export(*prompts), net.module()(*prompts))
