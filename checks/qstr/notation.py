"""Letters of arXiv 2503.11272: one symbol, one meaning."""

from theorytools import letter

N = letter("N", "sequence length", integer=True, positive=True)
d = letter("d", "token dimension", integer=True, positive=True)
q = letter("q", "indexed tokens per position", integer=True, positive=True)
n = letter("n", "number of training prompts", integer=True, positive=True)
H = letter("H", "number of attention heads", integer=True, positive=True)
d_e = letter("d_e", "dimension of a position code", integer=True, positive=True)
s = letter("s", "temperature in units of (d_e/2) log 2", integer=True, positive=True)
r_x = letter("r_x", "bound on the norm of a token", positive=True)
beta = letter("beta", "effective inverse temperature", latex=r"\beta", nonnegative=True)
rho = letter("rho", "largest inner product of two distinct codes", latex=r"\rho")
leak = letter("leak", "weight outside the indexed position, from the code's distances", latex="L", nonnegative=True)
