"""Letters of the four theorems: one symbol, one meaning."""

from theorytools import letter

N = letter("N", "number of vectors, points or scores", integer=True, positive=True)
n = letter("n", "length of a vector", integer=True, positive=True)
r = letter("r", "largest Euclidean norm", nonnegative=True)
k = letter("k", "target dimension, or number of layers", integer=True, positive=True)
eps = letter("eps", "distortion", latex=r"\varepsilon", positive=True)
t = letter("t", "half of the difference of two scores", positive=True)
ell = letter("ell", "number of rows, or of points that are looked at", latex=r"\ell", integer=True, nonnegative=True)
V = letter("V", "VC dimension", integer=True, nonnegative=True)
M = letter("M", "number of laws", integer=True, positive=True)
e = letter("e", "probability of a wrong guess", nonnegative=True)
w2 = letter("w2", "squared length of the true vector", latex=r"\|w\|^2", nonnegative=True)
s2 = letter("s2", "variance of the noise", latex=r"\sigma^2", nonnegative=True)
T = letter("T", "total variation of two laws", nonnegative=True)
