"""Letters of the disputed statements: one symbol, one meaning."""

from theorytools import letter

N = letter("N", "number of positions, vectors, scores or users", integer=True, positive=True)
n = letter("n", "side of a matrix, length of a vector or of a word, or number of vertices", integer=True, positive=True)
k = letter("k", "size of a cache, or of a part", integer=True, positive=True)
d = letter("d", "dimension", integer=True, positive=True)
m = letter("m", "number of samples, of rows or of pieces", integer=True, positive=True)
T = letter("T", "number of steps of a run", integer=True, positive=True)
K = letter("K", "an additive constant", nonnegative=True)
c = letter("c", "a constant factor", positive=True)
b = letter("b", "a bias or an offset", real=True)
t = letter("t", "a time, a threshold or half of a difference", real=True)
x = letter("x", "a number", real=True)
y = letter("y", "a second number", real=True)
p = letter("p", "a probability", nonnegative=True)
q = letter("q", "a prime", integer=True, positive=True)
eps = letter("eps", "an error or a tolerance", latex=r"\varepsilon", positive=True)
delta = letter("delta", "a small distance", latex=r"\delta", positive=True)
L = letter("L", "right end of a line of positions", integer=True, positive=True)
mixed = letter("mixed", "share of training episodes with a random coin", latex=r"\epsilon", positive=True)
rho = letter("rho", "correlation of a word and its noisy copy", nonnegative=True)
gamma = letter("gamma", "decay of an average", latex=r"\beta", positive=True)
