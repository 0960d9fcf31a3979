"""Letters of the textbook theorems: one symbol, one meaning."""

from theorytools import letter

N = letter("N", "number of vectors, points or scores", integer=True, positive=True)
n = letter("n", "length of a vector, or of a sample", integer=True, positive=True)
r = letter("r", "largest Euclidean norm", nonnegative=True)
k = letter("k", "target dimension, or number of layers", integer=True, positive=True)
eps = letter("eps", "distortion", latex=r"\varepsilon", positive=True)
t = letter("t", "half of the difference of two scores", positive=True)
m = letter("m", "length of a list: of outcomes, or of the numbers of a matrix, row by row", integer=True, positive=True)
a, b = letter("a", "least value of a variable"), letter("b", "largest value of a variable")
u = letter("u", "deviation of a mean from its expectation", positive=True)
s = letter("s", "argument of a moment generating function")
v = letter("v", "variance", nonnegative=True)
c = letter("c", "largest value of a centred variable", nonnegative=True)
d = letter("d", "dimension of the points", integer=True, positive=True)
q = letter("q", "sum of squared norms", nonnegative=True)
D = letter("D", "diameter", nonnegative=True)
G = letter("G", "sum over scales of radius times root of the entropy", latex=r"\Gamma", nonnegative=True)
H = letter("H", "first term of that sum, of the coarsest scale", latex=r"\Gamma_1", nonnegative=True)
R = letter("R", "Rademacher average", nonnegative=True)
S = letter("S", "Rademacher average with the modulus inside", nonnegative=True)
L = letter("L", "Lipschitz constant", nonnegative=True)
