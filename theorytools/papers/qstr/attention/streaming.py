r"""Retrieved tokens at large :math:`N`: distances instead of scores, near codes only, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.codes import hamming as packed
from theorytools.codes.bch import BCHCode
from theorytools.codes.linear import LinearCode
from theorytools.codes.near import TILE_BYTES, near_pairs
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.attention.truncated_attention import TruncatedAttention, largest_norm
from theorytools.progress import shown

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
Triple = tuple[NDArray[np.int32], NDArray[np.int32], Array]

_TILE = 2**19  # pairs whose distances are held at once
_PAIRS = 2**20  # near pairs that are added up at once
_BYTES_PER_PAIR = 80  # row, column and weight as they are found, joined, and sorted by row
_SIGNS = 2**20  # signs unpacked at once
_WHY = "scores are read off Hamming distances, and the radius is proved for them"


@checked
@dataclass(frozen=True, eq=False)
class Retrieval:
    r"""Retrieved tokens with their certificate.

    Attributes
    ----------
    tokens : shape ``(rows, H, d)``, each within ``cut.error`` of the exact token in the Euclidean norm.
    cut : the radius and its certified error, at most the tolerance.
    queries : number of different codes asked for: all heads and positions share them.
    kept : number of pairs within the radius, out of ``queries * N``.
    """

    tokens: Array
    cut: TruncatedAttention
    queries: int
    kept: int


@checked
def streamed_retrieval(
    net: BlockAttention,
    X: Array,
    T: NDArray[np.int64],
    tolerance: Any,
    *,
    rows: Sequence[int] | None = None,
    memory: int = 2**31,
    progress: Progress | None = None,
) -> Retrieval:
    r"""Return the tokens that a block construction on sign codes retrieves, certified to a tolerance.

    The score of key ``j`` at index :math:`t` is :math:`\beta G_{tj}=\beta-\frac{2\beta}{d_e}\mathrm{Ham}(t,j)`:
    no token enters, so all heads and positions that ask for one code share its weights and normaliser, and codes
    beyond the radius of :class:`TruncatedAttention` change the token by less than the tolerance.  Distances are counted
    in bit-packed tiles; no array has :math:`N^2` entries.

    Parameters
    ----------
    net : the construction; every head compares an index slot with the keys' own codes.
    X, T : one prompt, tokens ``(N, d)`` and index tuples ``(N, q)``.  The tokens are exact, as they are stored.
    tolerance : largest Euclidean error of a retrieved token, or a :class:`TruncatedAttention` made for a bound on all
        tokens.
    rows : positions to evaluate, all of them unless given.
    memory : bytes that may be used beside the arguments; the count of the arrays is checked before they exist.
    progress : called with (codes done, codes to do) after every block; a bar on a terminal unless given.

    Returns
    -------
    Retrieval : the tokens at ``rows`` and the bound on their error.

    Raises
    ------
    DomainError : codes that are not sign codes, a head wired otherwise, wrong shapes, tokens or indices, a
        tolerance that is not above the rounding.
    BudgetError : more than ``memory`` bytes.

    References
    ----------
    The network is that of Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 11, arXiv 2503.11272v1.

    Examples
    --------
    >>> from theorytools import bch
    >>> net = BlockAttention(bch(1024), beta=60, d=2)
    >>> X, T = np.arange(2048.0).reshape(1024, 2), np.full((1024, 1), 3)
    >>> result = streamed_retrieval(net, X, T, 1e-6, rows=[0, 1])
    >>> np.round(result.tokens[0, 0], 6), result.cut.radius, result.queries
    (array([6., 7.]), 3, 1)
    """
    if any(key != 0 for _, key in net.wiring):
        given = f"a head with the blocks {net.wiring}"
        raise DomainError(given, required="key slot 0 in every block", why="the indexed code must be among the keys")
    if not isinstance(net.codes, SignCode | LinearCode | BCHCode):
        given = f"a {type(net.codes).__name__}"
        raise DomainError(given, required="sign codes", why=_WHY, advice="call net(X, T), or net.exact_token")
    chosen = _positions(net.N, rows)
    _admit(net, len(chosen), memory)
    tokens, tuples = _prompt(net, X, T)
    cut = _cut(net, tokens, tolerance)
    own = chosen[:, None]
    index = np.concatenate([own if slot == 0 else tuples[own, slot - 1] for slot, _ in net.wiring], axis=1)
    keys = packed_code(net.codes)
    _, first, place = np.unique(keys[:, index.ravel()], axis=1, return_index=True, return_inverse=True)
    with shown("distinct codes") as bar:
        seen = bar if progress is None else progress
        means, kept = near_means(keys, index.ravel()[first], net.codes.d_e, tokens, cut.weights(), seen)
    retrieved = means[place.reshape(-1)].reshape(*index.shape, net.d)
    return Retrieval(retrieved, cut, len(first), kept)


def near_means(
    keys: packed.Words,
    asked: NDArray[np.int64],
    d_e: int,
    tokens: Array,
    weights: Array,
    progress: Progress | None = None,
) -> tuple[Array, int]:
    r"""Return the weighted means of the tokens near some keys, and the number of pairs that were near.

    Token ``j`` has weight ``weights[k]`` at Hamming distance ``k`` from the query, none from ``k = len(weights)`` on.
    Every query is a key, so a pair of two queries is compared once and serves both.  Tokens carry a one, whose sum is
    the normaliser.

    Parameters
    ----------
    keys : packed codes, ``(W, N)``.
    asked : places of the queries among the keys, all different, shape ``(Q,)``.
    d_e : length of a code.
    tokens, weights : shapes ``(N, d)`` and ``(radius + 1,)``; a code's weight at its own place is 1.
    progress : called with (queries done, Q) after every block.
    """
    N, Q, near = keys.shape[1], len(asked), 0
    others = np.ones(N, dtype=bool)
    others[asked] = False
    order = np.concatenate([asked, np.flatnonzero(others)])
    values = np.column_stack([tokens[order], np.ones(N)])
    sums, found, held = values[:Q].copy(), list[Triple](), 0  # each query is at distance 0 from itself
    pairs = near_pairs(keys[:, order], d_e, len(weights) - 1, rows=Q, tile=_TILE, progress=progress)
    for i, j, distance in pairs:
        near += len(i) + int(np.count_nonzero(j < Q))
        found.append((i.astype(np.int32), j.astype(np.int32), weights[distance]))
        held += len(i)
        if held >= _PAIRS:
            _add(sums, values, found)
            found, held = [], 0
    if found:
        _add(sums, values, found)
    return sums[:, :-1] / sums[:, -1:], Q + near


def _add(sums: Array, values: Array, found: list[Triple]) -> None:
    """Add to each query the weighted values of the keys that it met, and to a key that is a query those of the query.

    A value meets one product and is added once for each further near key at most: sums of no terms add 0, exactly.
    """
    from scipy import sparse

    Q, N = len(sums), len(values)
    i, j, w = (np.concatenate(parts) for parts in zip(*found, strict=True))
    sums += sparse.coo_array((w, (i, j)), shape=(Q, N)).tocsr() @ values
    both = j < Q
    sums += sparse.coo_array((w[both], (j[both], i[both])), shape=(Q, Q)).tocsr() @ values[:Q]


def packed_code(code: SignCode | LinearCode | BCHCode) -> packed.Words:
    """Return all codes, 64 coordinates to a word, shape ``(W, N)``; a code computed from its index stays untabled."""
    blocks = packed.blocks(0, code.N, max(1, _SIGNS // code.d_e))
    if isinstance(code, SignCode):
        parts = [packed.pack(code.signs[block] < 0) for block in blocks]
    else:
        parts = [packed.pack(code.rows(range(block.start, block.stop)) < 0) for block in blocks]
    return np.concatenate(parts, axis=1)


def _prompt(net: BlockAttention, X: Any, T: Any) -> tuple[Array, NDArray[np.int64]]:
    """Return the tokens in float64 and the index tuples; tokens that float64 cannot hold are refused."""
    given = np.asarray(X)
    prompts, tuples = net._prompts(given[None], np.asarray(T)[None])
    tokens = prompts[0]
    largest = 2**53 if given.dtype.kind in "iu" else np.inf  # from there on an integer may have been rounded
    if given.dtype.kind not in "iuf" or (tokens != given).any() or (np.abs(tokens) >= largest).any():
        raise DomainError(
            f"tokens of type {given.dtype}", required="floats, or integers below 2^53",
            why="the certificate is about the tokens as float64 holds them", advice="round the tokens first",
        )  # fmt: skip
    return tokens, tuples[0]


def _cut(net: BlockAttention, tokens: Array, tolerance: Any) -> TruncatedAttention:
    setting = {"N": net.N, "d_e": net.codes.d_e, "d": net.d}
    r_x = largest_norm(tokens)
    if not isinstance(tolerance, TruncatedAttention):
        return TruncatedAttention(**setting, beta=net.temperature, r_x=r_x, tolerance=tolerance)
    same = all(getattr(tolerance, name) == value for name, value in setting.items())
    if not same or tolerance.temperature != net.temperature or r_x > tolerance.r_x:
        raise DomainError(
            f"{tolerance} with tokens of norm up to {float(r_x):.6g}",
            required=f"the sizes {setting}, the inverse temperature {net.temperature}, tokens within r_x",
            why="a radius is proved for one construction and one bound on the tokens",
            advice="pass a number",
        )
    return tolerance


def _positions(N: int, rows: Sequence[int] | None) -> NDArray[np.int64]:
    chosen = np.arange(N) if rows is None else np.asarray(rows)
    if chosen.ndim != 1 or len(chosen) == 0 or chosen.dtype.kind not in "iu":
        raise DomainError(f"rows {rows!r:.60}", required="a sequence of at least one integer")
    if chosen.min() < 0 or chosen.max() >= N:
        raise DomainError(f"rows from {chosen.min()} to {chosen.max()}", required=f"integers from 0 to {N - 1}")
    return chosen.astype(np.int64)


def working_bytes(N: int, d_e: int, d: int, asked: int, heads: int) -> int:
    """Return a bound on the bytes of all arrays of a streamed evaluation, beside its arguments."""
    words, queries = -(-d_e // 64), min(N, asked * heads)
    keys = 8 * (4 * words + 2 * (d + 1) + 4) * N + d_e * N  # while they are joined and put in order; norms; nibbles
    asking = 8 * asked * heads * (4 * words + d + 4) + 8 * queries * (words + 5 * (d + 1))
    return keys + asking + TILE_BYTES * _TILE + _BYTES_PER_PAIR * (_PAIRS + _TILE) + 16 * max(_SIGNS, d_e)


def _admit(net: BlockAttention, asked: int, memory: int) -> None:
    needed = working_bytes(net.N, net.codes.d_e, net.d, asked, len(net.wiring))
    if needed > memory:
        raise BudgetError(
            f"{needed} bytes for {asked} of N = {net.N} positions", required=f"at most {memory} bytes",
            why="tokens, codes and results are held in memory", advice="ask for fewer rows, or raise memory",
        )  # fmt: skip
