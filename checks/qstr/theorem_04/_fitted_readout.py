r"""Least squares on the outputs of the attention of Lemma 11: the risk for every sample size, from the code alone.

Words :math:`c_j` of a binary linear code, :math:`j\in\mathbb F_2^k`, have products that depend on :math:`i\oplus j`
only, so head ``h`` gives :math:`\phi_h=\sum_jw_{t_h\oplus j}x_j` with one weight :math:`w_o` for each offset
:math:`o`.  Tuples are translates of one tuple, :math:`t_h=t\oplus o_h`.  Then all prompts have one covariance,

.. math:: E\,\phi_h\phi_k^\top=C_{hk}I_d,\quad C_{hk}=\sum_jw_{o_h\oplus j}w_{o_k\oplus j},\qquad
          E\,\phi_hx_{t_k}^\top=A_{hk}I_d,\quad A_{hk}=w_{o_h\oplus o_k},

and :math:`y=q^{-1/2}\sum_k\langle u,x_{t_k}\rangle` is a linear function of :math:`\phi\in\mathbb R^{Hd}` plus
independent Gaussian noise of variance :math:`s^2=1-\frac1q\mathbf1^\top A^\top C^{-1}A\mathbf1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import gcd

import numpy as np
from numpy.typing import NDArray

from theorytools.codes import hamming as packed
from theorytools.codes.linear import LinearCode
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.errors import CheckError
from theorytools.numbers import Enclosure, total
from theorytools.numbers.softmax import boltzmann, exact_number


def _first_row(code: Code, alone: bool) -> NDArray[np.int64]:
    """Return the products with word 0, or refuse a code where other words have others; ``alone``: for one offset."""
    if isinstance(code, LinearCode):  # no table of words is needed
        return code.d_e - 2 * packed.weights(packed.span(packed.pack(code.generator)), code.d_e).astype(np.int64)
    j = np.arange(code.N)
    generators = [1 << b for b in range((code.N - 1).bit_length())]
    if isinstance(code, SignCode):  # one row instead of a table: word i times word j is word i ^ j
        words = code.signs
        fits = 1 << len(generators) == code.N and all((words * words[g] == words[j ^ g] * words[0]).all()
                                                      for g in generators)
        row = words @ words[0].astype(np.int64)
    else:
        table = code.gram_numerators()
        row = table[0]
        fits = 1 << len(generators) == code.N and all((table[j ^ g][:, j ^ g] == table).all() for g in generators)
        fits = fits or (alone and (np.sort(table, axis=1) == np.sort(row)).all() and (np.diag(table) == row[0]).all())
    if not fits:
        raise CheckError("positions with different weights", required="products that depend on i XOR j only",
                         why="one covariance serves all prompts", advice="a linear code with 2^k words")
    return row


@dataclass(frozen=True, eq=False)
class FittedReadout:
    r"""The attention of Lemma 11 on a code that is a group under the product of words, tuples :math:`t\oplus o_h`.

    Parameters
    ----------
    code : products of words ``i`` and ``j`` depend on ``i ^ j`` only, as those of a linear code with 2^k words do; for
        one offset, 0, each word may have the same products in another order.
    beta : inverse temperature, an exact number.
    offsets : :math:`o_1,\dots,o_q`, all different.
    heads : how many of the ``q`` heads there are; all unless given.
    """

    code: Code
    beta: object
    offsets: Sequence[int]
    heads: int | None = None

    @cached_property
    def _gaps(self):
        """Gaps of the scores to the largest, for each offset, over their common divisor; and the unit's score."""
        gaps = self.code.gram_denominator - _first_row(self.code, alone=list(self.offsets) == [0])
        unit = reduce(gcd, np.unique(gaps).tolist(), 0) or 1
        return gaps // unit, Fraction(unit, self.code.gram_denominator)

    def coherence(self) -> Fraction:
        """Return the largest product of two words."""
        return 1 - int(np.delete(self._gaps[0], 0).min()) * self._gaps[1]

    def _power(self, gap: int) -> Enclosure:
        unit = self._gaps[1]
        return boltzmann(exact_number(self.beta, "beta"), gap * unit.numerator, unit.denominator)

    def _shared(self, o: int) -> Enclosure:
        r"""Return :math:`\sum_jw_jw_{o\oplus j}` over :math:`w_0^2`: sums of gaps are few integers."""
        gaps, _ = self._gaps
        found, times = np.unique(gaps + gaps[np.arange(len(gaps)) ^ o], return_counts=True)
        return total(self._power(gap) * count for gap, count in zip(found.tolist(), times.tolist(), strict=True))

    def leftover(self) -> Enclosure:
        r"""Return :math:`s^2`, by elimination in the :math:`q+1` unknowns of the normal equations."""
        o, q = list(self.offsets), len(self.offsets)
        seen = range(q if self.heads is None else self.heads)
        known = {a ^ b: self._shared(a ^ b) for a in o for b in o}
        rows = [[known[o[h] ^ o[k]] for k in seen]
                + [total(self._power(int(self._gaps[0][o[h] ^ o[k]])) for k in range(q))] for h in seen]
        rows.append([row[-1] for row in rows] + [Enclosure(q)])
        for step in range(len(rows) - 1):  # the last pivot is q s^2
            for row in rows[step + 1:]:
                factor = row[step] / rows[step][step]
                row[step + 1:] = [x - factor * y for x, y in zip(row[step + 1:], rows[step][step + 1:], strict=True)]
        return rows[-1][-1] / q

    def by_cosets(self) -> Enclosure:
        r"""Return :math:`s^2` where the offsets are a group: :math:`\sum_{K\ne K_0}W_K^2/\sum_KW_K^2`.

        :math:`W_K` is the weight of all heads on coset ``K``; the sum over all slots is an eigenvector of ``A``, ``C``.
        """
        j = np.arange(self.code.N)
        weight = {gap: self._power(gap) for gap in set(self._gaps[0].tolist())}
        leaders = [int(i) for i in j if i == min(int(i) ^ o for o in self.offsets)]
        sums = [total(weight[int(self._gaps[0][i ^ o])] for o in self.offsets) for i in leaders]
        squares = [W * W for W in sums]
        return total(squares[1:]) / total(squares)
