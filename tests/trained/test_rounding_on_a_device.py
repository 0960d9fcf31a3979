"""What an accelerator adds to labels is below what is proved of their floats: its order of sums, its exponentials."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from theorytools import hadamard
from theorytools.trained.answers import Answers
from theorytools.trained.label_rounding import label_rounding
from theorytools.trained.worst.prompts import Prompts
from theorytools.training.networks import Recurrent, SeparateAttention

N, D = 8, 2
CODES = hadamard(N).matrix() / N**0.5
WIDTH = D + 2 * N


class Read(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.read = layer, nn.Linear(WIDTH, 1)

    def forward(self, Z):
        found = self.layer(Z, Z, Z)[0] if isinstance(self.layer, nn.MultiheadAttention) else self.layer(Z)
        return self.read(found)[..., 0]


def encoder(first):
    return Read(nn.TransformerEncoderLayer(WIDTH, 2, 16, dropout=0.0, batch_first=True, norm_first=first))


MODULES = {
    "attention": lambda: Read(nn.MultiheadAttention(WIDTH, 2, batch_first=True)),
    "ReLUs behind it": lambda: SeparateAttention(WIDTH, 1, 32),
    "post-norm": lambda: encoder(False), "pre-norm": lambda: encoder(True),
    "GRU": lambda: Recurrent("gru", WIDTH, 8),
}  # fmt: skip


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", MODULES)
def test_no_prompt_is_farther_off_on_the_device(name, dtype):
    rng = torch.Generator().manual_seed(0)
    module = MODULES[name]()
    with torch.no_grad():
        for weights in module.parameters():
            weights.uniform_(-0.4, 0.4, generator=rng)
    module = module.to(dtype).eval()
    net = Answers(module, Prompts(N, D), CODES)
    bound = label_rounding(net, net.network)[0].output.max()
    there = Answers(copy.deepcopy(module).cuda(), net.prompts, net.table)
    twin = Answers(copy.deepcopy(module).double(), net.prompts, net.table)
    X, T = net.prompts.draw(4000, np.random.default_rng(0))
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False  # what is assumed
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    seen = np.abs(there.outputs(X, T) - twin.outputs(X, T)).max()
    print(f"{name} {dtype}: {seen:.3g} of {bound:.3g} on {torch.cuda.get_device_name()}")
    assert 0 < seen <= bound
