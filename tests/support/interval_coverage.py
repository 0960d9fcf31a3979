"""How often intervals miss under peeking, and which numbers of misses are compatible with their level."""

import numpy as np
from scipy.stats import binom

from theorytools.statistics.intervals import epoch_level

ALPHA = 0.05
LEVEL = 1e-6  # of every acceptance region: a correct method is rejected with probability at most this


def at_most(misses: int, runs: int, alpha: float = ALPHA) -> bool:
    """Whether ``misses`` of ``runs`` is compatible with a miss probability of at most ``alpha``."""
    return binom.sf(misses - 1, runs, alpha) >= LEVEL


def at_least(misses: int, runs: int, alpha: float = ALPHA) -> bool:
    return binom.cdf(misses, runs, alpha) >= LEVEL


def generator(number: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([2024, number])))


def misses_with_peeking(x, truth, interval, first, *, corrected=True) -> int:
    """The number of rows of ``x`` whose interval misses at one of the looks ``first``, ``2 first``, …"""
    missed = np.zeros(len(x), dtype=bool)
    n, epoch = first, 1
    while n <= x.shape[1]:
        low, high = interval(x[:, :n], epoch_level(ALPHA, epoch) if corrected else ALPHA)
        missed |= (truth < low) | (truth > high)
        n, epoch = 2 * n, epoch + 1
    return int(missed.sum())
