"""Where the heads of a proof look: the attention of Lemma 11 (arXiv 2503.11272) on one prompt.

Each position asks for two others; one head looks for the first, one for the second. Grey is what leaks, and the title
says how much that can be on any prompt.
"""

import numpy as np
from _picture import panel

from theorytools import BlockAttention
from theorytools.codes.families import rademacher

rng = np.random.default_rng(0)
net = BlockAttention(rademacher(24, 40, rng), beta=9, q=2, d=4)
T = rng.integers(0, 24, (1, 24, 2))
weights = net.attention(rng.standard_normal((1, 24, 4)), T)[0]

figure, axes, write = panel("Two heads of a retrieving attention layer", wide=2)
for h, one in enumerate(axes):
    one.imshow(weights[h], cmap="Greys", vmin=0, vmax=1)
    one.plot(T[0, :, h], np.arange(24), "o", markersize=7, markerfacecolor="none", markeredgecolor="#ad4f0c")
    one.set(title=f"head {h + 1}; circles: what is asked for", xlabel="position looked at", ylabel="position that asks")
figure.suptitle(f"no prompt leaks more than {float(net.leakage()):.3f} (certified)")
write(__file__)
