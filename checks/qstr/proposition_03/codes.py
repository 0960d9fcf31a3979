r"""The sharp bound for few heads is attained with position codes shorter than the prompt, $d_e<N$.

Setting    As in proposition_03, all index tuples equal to $(1,\dots,q)$, $q\le4$, and sign codes
           $\omega_i=d_e^{-1/2}E_i$ of dimension $d_e=\lfloor5\log N\rfloor$.
Statement  For some code some vector $u$ has $\langle u,E_k\rangle=1$ for $k\le q$ and $\langle u,E_j\rangle\le1-\mu$
           for $j>q$ with $\mu\ge\frac1{10}$. The query $\beta u$ then leaves weights of order $e^{-\beta\mu}$ to other
           positions; as $\beta$ grows, $E(y_i-\hat y_i)^2\to2(1-\frac Hq)_+(1-\frac Hd)_+$.
Witness    ShortCodeDecoder on the first of 16 drawn codes that has the margin: $u$ from a linear programme, made
           rational; the weights of the indexed tokens from their independent codes, decoded as in
           proposition_03_decoder.
Measured   The margin $\mu$ in rationals.  The error of the network and its readout in doubles at $\beta\approx60$:
           truncated squares of fresh prompts, as in proposition_03_running.
Control    The code of an indexed token given to a zero token too; codes of dimension $q$; no block between positions
           and data; one head less.
Reads      Derived here; as $t_i$ is fixed on this instance, nothing is said about other prompts. Not every code has the
           margin, and in some the indexed codes are dependent; with one code in which it is there the sharp bound is
           attained.
"""

from fractions import Fraction

from sympy import Rational, floor, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.families import rademacher
from theorytools.codes.subcode import subcode
from theorytools.errors import DomainError
from theorytools.measures import rank
from theorytools.papers.qstr.few_heads.short_codes import ShortCodeDecoder
from theorytools.papers.qstr.tasks.few_heads import FewTokens

from ..notation import H, N, d, d_e, q
from ..notation import margin as lead
from ..proposition_21.exact import late
from ..proposition_21.proposition_21 import K
from .running import sampled
from .sharp import sharp

MARGIN, DRAWS = Fraction(1, 10), 16
margin = Quantity("margin", r"\mu", "of the scores of indexed codes over all others, in units of the former", (None, 1))


def wide(codes, task) -> bool:
    """Whether the indexed codes are independent and some query has the margin."""
    try:
        return ShortCodeDecoder.standard(codes, task, 1).margin() >= MARGIN
    except DomainError:
        return False


def some_code(p, task):
    """The first drawn code with the margin; of N = 24, q = 4 one in some 200 has none, and of N = 10 one in 12."""
    drawn = (rademacher(p.N, p.d_e, p.rng(f"codes {k}" if k else "codes")) for k in range(DRAWS))
    found = next((codes for codes in drawn if wide(codes, task)), None)
    if found is None:
        raise DomainError(f"N = {p.N}, q = {p.q}", required=f"a code with margin 1/10 among {DRAWS} that are drawn")
    return found


def independent_code(p, task, dimension):
    """The first drawn code of few dimensions in which the indexed codes are independent, so that there is a query."""
    rng = p.rng("codes")
    for _ in range(DRAWS):
        codes = rademacher(p.N, dimension, rng)
        if rank(codes.signs[: p.q].tolist()) == p.q:
            return codes
    raise DomainError(f"q = {p.q}", required=f"independent codes of dimension {dimension} among {DRAWS} that are drawn")


def construct(p, H=None, last=None, dimension=None, **options) -> ShortCodeDecoder:
    task = FewTokens(p.N, p.axes.get("d", 1), p.q, early="same")
    codes = independent_code(p, task, dimension) if dimension else some_code(p, task)
    if last is not None:
        codes = subcode(codes, [*range(p.N - 1), last])
    return ShortCodeDecoder.standard(codes, task, H or p.axes.get("H", 1), **options)


claim = Claim(
    "Proposition 3, codes shorter than the prompt",
    role="foundation", source="derived here: Proposition 3",
    scope={"every N, q": "points", "some code and query": "exhibited"},
    asserts=[margin >= MARGIN], requires=[q <= K, q <= 4],
    lets={d_e: floor(5 * log(N))}, grid=points("N q", (24, 3), (24, 4), (64, 3), (64, 4)),
    construct=construct, measure=lambda net, p: {margin: net.margin()},
    controls=[
        Control("an indexed code twice", breaks=margin, construct=lambda p: construct(p, last=0)),
        Control("codes of dimension q + 1", breaks=margin, construct=lambda p: construct(p, dimension=p.q + 1)),
    ],
)
running = Claim(
    "Proposition 3, attained with short codes",
    role="sharpness", source="derived here: Proposition 3",
    scope={"every N, d, q, H": "points", "some network": "exhibited", "every prompt": "drawn"},
    requires=[q <= K, lead >= Rational(1, 10)],
    derive=lambda net, p: {lead: net.margin()}, derived=[lead],
    asserts=[late.equals(2 * sharp, within=Rational(1, 5))],  # 10 % of the variance of the label
    lets={d_e: floor(5 * log(N))}, grid=points("N d q H", (24, 1, 3, 1), (24, 4, 3, 1), (64, 2, 3, 2)),
    construct=construct, measure=sampled,
    controls=[
        Control("an indexed code twice", breaks=late, construct=lambda p: construct(p, last=0)),
        Control("no block between positions and data", breaks=late, where=d <= 2,
                construct=lambda p: construct(p, slope=Fraction(0))),
        Control("one head less", breaks=late, where=H >= 2, construct=lambda p: construct(p, H=p.H - 1)),
    ],
)
