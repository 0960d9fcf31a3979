"""Small classes of recurrent networks whose predictions on a sample are rational and can be listed."""

from fractions import Fraction
from itertools import product

from theorytools.papers.qstr.capacity.perturbation.recurrent import RecurrentPair, ScalarMap


def memories(values, prompts, N):
    r"""Return the predictions of all recurrences $h_{j+1}=h_j+\langle w,z_j\rangle$, $w\in$ values$^n$, as lists.

    The $i$-th of $n$ prompts repeats the basis vector $e_i$ over $N-1$, so that $h_N=w_i$.
    """

    def last(w):
        net, steps = ScalarMap(offset=Fraction(w) / (N - 1)), [Fraction(0)] * (N - 1)
        return RecurrentPair(net, net, steps, abs(Fraction(w)) + 1).states(net)[-1]

    final = {w: last(w) for w in set(values)}
    return tuple(tuple(final[w] for w in ws) for ws in product(values, repeat=prompts))


def drawn(rng, functions, prompts, N):
    """Return the last states of random ReLU recurrences that do not read their state, cut at 3, on random prompts."""
    nets = [ScalarMap.random(rng, Fraction(0)) for _ in range(functions)]
    inputs = [[Fraction(x, 8) for x in row] for row in rng.integers(-8, 9, (prompts, N - 1)).tolist()]
    return tuple(tuple(RecurrentPair(f, f, z, Fraction(3)).states(f)[-1] for z in inputs) for f in nets)
