"""Letters of the four theorems: one symbol, one meaning."""

from theorytools import letter

N = letter("N", "number of vectors, points or scores", integer=True, positive=True)
n = letter("n", "length of a vector", integer=True, positive=True)
r = letter("r", "largest Euclidean norm", nonnegative=True)
k = letter("k", "target dimension, or number of layers", integer=True, positive=True)
eps = letter("eps", "distortion", latex=r"\varepsilon", positive=True)
t = letter("t", "half of the difference of two scores", positive=True)
