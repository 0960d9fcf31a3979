"""How cold must attention be? Leakage against the inverse temperature: by the lemma, at worst, and on a drawn prompt.

What the certificate allows is attained by some prompt; on random ones less leaks, so a measurement promises too much.
"""

import numpy as np
from _picture import BLUE, GREEN, ORANGE, panel

from theorytools import BlockAttention, bound_of
from theorytools.codes.families import rademacher

rng = np.random.default_rng(1)
codes = rademacher(64, 67, rng)
X, T = rng.standard_normal((1, 64, 2)), rng.integers(0, 64, (1, 64, 1))
betas = np.arange(2, 31, 2)
nets = [BlockAttention(codes, beta=int(b), q=1, d=2) for b in betas]
drawn = [1 - np.take_along_axis(net.attention(X, T)[0, 0], T[0], axis=1).mean() for net in nets]
gram = codes.matrix() @ codes.matrix().T
rho = float((gram - 2 * np.eye(64)).max())  # the largest coherence
bound = [bound_of("qstr.lemma_11", "leakage")(N=64, beta=int(b), rho=rho) for b in betas]

figure, axes, write = panel("Leakage of attention against its inverse temperature")
axes.semilogy(betas, bound, "-", color=BLUE, label="bound of Lemma 11, by the coherence")
axes.semilogy(betas, [float(net.leakage()) for net in nets], "o", color="black", label="worst prompt, certified")
axes.semilogy(betas, drawn, "x", color=ORANGE, label="mean over one drawn prompt")
axes.axhline(0.01, color=GREEN, linewidth=0.8)
axes.set(xlabel="inverse temperature β", ylabel="weight on other tokens")
axes.legend(fontsize="small")
write(__file__)
