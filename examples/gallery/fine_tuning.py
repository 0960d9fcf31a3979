"""What training does to a proof's network: the leakage of its attention while it is trained, certified along the way.

The weights start as the construction of Lemma 11. The truth lies between the two curves: above what a search found, and
below what is proved for every prompt with tokens in a box.
"""

import torch
from _picture import BLUE, ORANGE, panel

from theorytools import BlockAttention, certify_attention, hadamard

net = BlockAttention(hadamard(16), beta=10, q=2, d=4)
generator = torch.Generator().manual_seed(0)
attention = net.module(torch.float32)
read = torch.nn.Parameter(torch.randn(8, generator=generator))
optimiser = torch.optim.Adam([{"params": attention.parameters(), "lr": 1e-3}, {"params": [read], "lr": 3e-2}])

steps, proved, found = [], [], []
for step in range(241):
    if step % 20 == 0:
        made = certify_attention(attention, radius=1, tokens="box")
        steps, proved, found = [*steps, step], [*proved, float(made.leakage)], [*found, max(made.found)]
    X = 2 * torch.rand(64, 16, 4, generator=generator) - 1
    T = torch.randint(16, (64, 16, 2), generator=generator)
    first, second = (torch.take_along_dim(X, T[..., [k]], dim=1).sum(dim=2) for k in (0, 1))
    loss = ((attention(X, T).flatten(2) @ read - first + 2 * second) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()

figure, axes, write = panel("Leakage of a construction while it is fine-tuned")
axes.semilogy(steps, proved, "v-", color=BLUE, label="at most, on every prompt")
axes.semilogy(steps, found, "^-", color=ORANGE, label="on a prompt that was found")
axes.axhline(float(net.leakage()), color="black", linewidth=0.8, label="the construction")
axes.set(xlabel="steps of Adam", ylabel="weight on other tokens")
axes.legend(fontsize="small")
write(__file__)
