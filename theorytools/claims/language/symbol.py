r"""Letters: sympy symbols that know what they mean, where they live and how they are printed.

Every paper has one notation file, in which each letter of its formulas is made once::

    N = letter("N", "sequence length", integer=True, positive=True)
    beta = letter("beta", "effective inverse temperature", latex=r"\beta", positive=True)
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError


class Letter(sympy.Symbol):  # type: ignore[misc]  # sympy has no types
    """A sympy symbol with a meaning and a LaTeX form; made by :func:`letter`."""

    __slots__ = ("meaning", "tex")
    meaning: str
    tex: str

    def __new__(cls, name: str, meaning: str = "", tex: str = "", **assumptions: bool) -> Letter:  # noqa: D102
        self = sympy.Symbol.__xnew__(cls, name, **assumptions)
        self.meaning, self.tex = meaning, tex or name
        return self  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        # sympy caches equal objects: two papers may use one name for two things and must not mix
        return (*super()._hashable_content(), self.meaning, self.tex)

    def __getnewargs_ex__(self) -> tuple[tuple[str, str, str], dict[str, bool]]:
        return (self.name, self.meaning, self.tex), dict(self._assumptions_orig)

    def _latex(self, printer: Any) -> str:
        return self.tex

    @property
    def domain(self) -> list[Boolean]:
        """The sign condition this letter carries by itself, unevaluated (integrality apart)."""
        zero = sympy.Integer(0)
        if self.is_positive:
            return [sympy.Ge(self, 1, evaluate=False) if self.is_integer else sympy.Gt(self, zero, evaluate=False)]
        return [sympy.Ge(self, zero, evaluate=False)] if self.is_nonnegative else []

    @property
    def domain_latex(self) -> str:
        """The set the letter lives in, in LaTeX."""
        if self.is_integer:
            tail = (
                r"\{1,2,\dots\}" if self.is_positive else r"\{0,1,2,\dots\}" if self.is_nonnegative else r"\mathbb{Z}"
            )
            return rf"{self.tex}\in {tail}"
        sign = "> 0" if self.is_positive else r"\ge 0" if self.is_nonnegative else r"\in \mathbb{R}"
        return f"{self.tex} {sign}"


@checked
def letter(name: str, meaning: str, *, latex: str = "", **assumptions: bool) -> Letter:
    r"""Return a letter of the paper's notation.

    Parameters
    ----------
    name : a Python identifier; grids, points and ``--at`` use it.
    meaning : what it stands for, in words.
    latex : how it is printed (the name itself unless given).
    assumptions : ``integer``, ``positive`` or ``nonnegative``, each True; ``real`` is implied.  Every point of a claim
        is tested against them.

    Returns
    -------
    Letter : a sympy symbol with its meaning.

    Raises
    ------
    DomainError : a name that is no Python identifier, or an assumption that points cannot be tested for.

    Examples
    --------
    >>> beta = letter("beta", "inverse temperature", latex=r"\beta", positive=True)
    >>> beta, beta.is_positive
    (beta, True)
    """
    if not name.isidentifier():
        raise DomainError(
            f"the letter name {name!r}",
            required="a Python identifier",
            why="grid axes, points and --at NAME=VALUE use the name",
            advice="spell Greek letters out (beta) and pass latex=r'\\beta'",
        )
    if not set(assumptions) <= {"integer", "positive", "nonnegative", "real"} or not all(assumptions.values()):
        raise DomainError(
            f"the assumptions {assumptions} of the letter {name}",
            required="integer=True, positive=True, nonnegative=True, or none",
            why="sympy simplifies by an assumption, so every point must be tested against it",
            advice=f"put it into requires: [{name} < 0], [Ne({name}, 0)]",
        )
    if "positive" not in assumptions and "nonnegative" not in assumptions:
        assumptions.setdefault("real", True)
    return Letter(name, meaning, latex, **assumptions)
