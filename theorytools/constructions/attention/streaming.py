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
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.truncated_attention import TruncatedAttention, largest_norm
from theorytools.errors import BudgetError, DomainError
from theorytools.progress import shown

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]

_TILE = 2**19  # pairs whose distances are held at once: 4 MiB of words
_PAIRS = 2**22  # pairs kept at once, if all are near
_BYTES_PER_PAIR = 64  # position, distance, weight and column, before and after sorting by row
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
    queries, place = np.unique(keys[:, index.ravel()], axis=1, return_inverse=True)
    with shown("distinct codes") as bar:
        seen = bar if progress is None else progress
        means, kept = near_means(keys, np.ascontiguousarray(queries), net.codes.d_e, tokens, cut.weights(), seen)
    retrieved = means[place.reshape(-1)].reshape(*index.shape, net.d)
    return Retrieval(retrieved, cut, queries.shape[1], kept)


def near_means(
    keys: packed.Words,
    queries: packed.Words,
    d_e: int,
    tokens: Array,
    weights: Array,
    progress: Progress | None = None,
) -> tuple[Array, int]:
    r"""Return the weighted means of the tokens near each query, and the number of pairs that were near.

    Token ``j`` has weight ``weights[k]`` at Hamming distance ``k`` from the query, none from
    ``k = len(weights)`` on.

    Parameters
    ----------
    keys, queries : packed codes, ``(W, N)`` and ``(W, Q)``; every query is one of the keys.
    d_e : length of a code.
    tokens, weights : shapes ``(N, d)`` and ``(radius + 1,)``.
    progress : called with (queries done, Q) after every block.
    """
    N, Q, kept = keys.shape[1], queries.shape[1], 0
    means = np.empty((Q, tokens.shape[1]))
    for block in packed.blocks(0, Q, max(1, min(64, _PAIRS // N))):
        matrix = _near(keys, queries[:, block], d_e, weights)
        normalisers = np.add.reduceat(matrix.data, matrix.indptr[:-1])  # no row is empty: the query's own code is near
        means[block] = (matrix @ tokens) / normalisers[:, None]
        kept += matrix.nnz
        if progress is not None:
            progress(block.stop, Q)
    return means, kept


def _near(keys: packed.Words, queries: packed.Words, d_e: int, weights: Array) -> Any:
    """Return the weights of the near pairs as a sparse matrix, queries by keys."""
    from scipy import sparse

    height, N = queries.shape[1], keys.shape[1]
    rows, columns, values = [], [], []
    kind = np.int32 if N < 2**31 else np.int64
    for tile in packed.blocks(0, N, _TILE // height):
        distance = packed.distances(queries, keys[:, tile], d_e).reshape(-1)
        near = np.flatnonzero(distance < len(weights))
        row, column = np.divmod(near, tile.stop - tile.start)
        rows.append(row.astype(kind))
        columns.append((column + tile.start).astype(kind))
        values.append(weights[distance[near]])
    places = (np.concatenate(rows), np.concatenate(columns))
    return sparse.coo_array((np.concatenate(values), places), shape=(height, N)).tocsr()


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
    keys = 8 * (2 * words + 1 + d + 4) * N  # while they are joined; a copy of the tokens; norms
    asking = 8 * asked * heads * (4 * words + d + 4) + 8 * queries * (words + d)
    tile = (2 * 8 + 4) * _TILE + _BYTES_PER_PAIR * max(_PAIRS, N) + 16 * max(_SIGNS, d_e)
    return keys + asking + tile


def _admit(net: BlockAttention, asked: int, memory: int) -> None:
    needed = working_bytes(net.N, net.codes.d_e, net.d, asked, len(net.wiring))
    if needed > memory:
        raise BudgetError(
            f"{needed} bytes for {asked} of N = {net.N} positions", required=f"at most {memory} bytes",
            why="tokens, codes and results are held in memory", advice="ask for fewer rows, or raise memory",
        )  # fmt: skip
