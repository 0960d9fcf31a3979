r"""Finite laws: expectations, risks on new data, and how far two laws lie apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import Number, added, items, number, outcome, same_length, vector
from theorytools.numbers import Enclosure, total
from theorytools.numbers.special import log_quotient

Predictor = Callable[[Any], Any]
_HALF, _THIRD, _QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
_SAMPLE = [(0, 1), (0, 1), (1, 4)]


@checked
@dataclass(frozen=True, eq=False)
class Law:
    """A probability law on finitely many outcomes.

    Parameters
    ----------
    masses : the probability of each outcome, by outcome; integers, fractions or enclosures.
    of_sample : whether it is the law of drawn rows, see :meth:`empirical`: no law of new data.

    Raises
    ------
    DomainError : no outcomes, a negative mass, or masses that do not add up to 1.

    Examples
    --------
    >>> Law({"heads": Fraction(2, 3), "tails": Fraction(1, 3)}).masses["heads"]
    Fraction(2, 3)
    """

    masses: Mapping[Any, Any]
    of_sample: bool = False

    def __post_init__(self) -> None:
        if not self.masses:
            raise DomainError(
                f"masses = {self.masses!r:.60}", required="a dictionary from outcomes to probabilities",
                advice="Law.uniform(outcomes) for equal ones",
            )  # fmt: skip
        masses = {outcome("an outcome", x): number(f"the mass of {x!r:.40}", m) for x, m in self.masses.items()}
        object.__setattr__(self, "masses", masses)
        if any(Enclosure(m).certainly_lt(0) for m in masses.values()):
            raise DomainError("a negative mass", required="masses >= 0")
        whole = Enclosure(added(masses.values()))
        if not whole.contains(1):
            raise DomainError(f"masses with the sum {whole!r}", required="the sum 1", why="they are probabilities")

    @classmethod
    def uniform(cls, outcomes: Iterable[Any]) -> Law:
        """Return the law under which all outcomes, which must differ, are equally likely.

        Parameters
        ----------
        outcomes : a :class:`.Space`, or a sequence without repeats.

        Raises
        ------
        DomainError : none, or one outcome twice: rows that were drawn are a sample.

        Examples
        --------
        >>> Law.uniform([0, 1, 2]).masses[1]
        Fraction(1, 3)
        """
        counts = _counted("outcomes", outcomes)
        repeated = next((x for x, count in counts.items() if count > 1), None)
        if len(counts) < sum(counts.values()):
            raise DomainError(
                f"the outcome {repeated!r:.60} more than once", required="each outcome once",
                why="equal rows are those of a sample", advice="Law.empirical(sample)",
            )  # fmt: skip
        return cls(dict.fromkeys(counts, Fraction(1, len(counts))))

    @classmethod
    def empirical(cls, sample: Iterable[Any]) -> Law:
        """Return the law of a row chosen at random from a sample, in which rows may repeat.

        Parameters
        ----------
        sample : the rows.

        Raises
        ------
        DomainError : no rows, or rows that are no keys of a dictionary.

        Examples
        --------
        >>> Law.empirical(["a", "a", "b"]).masses["a"]
        Fraction(2, 3)
        """
        counts = _counted("sample", sample)
        rows = sum(counts.values())
        return cls({row: Fraction(count, rows) for row, count in counts.items()}, of_sample=True)


def _counted(name: str, rows: Iterable[Any]) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for row in items(name, rows):
        outcome("an outcome", row)
        counts[row] = counts.get(row, 0) + 1
    return counts


def finite_law(name: str, law: Any) -> Law:
    """Return a law, a dictionary of masses as one, or a sequence of masses: then the outcomes are 0, 1, ..."""
    if isinstance(law, Law):
        return law
    return Law(law if isinstance(law, Mapping) else dict(enumerate(vector(name, law))))


def _two_laws(p: Any, q: Any) -> tuple[Law, Law]:
    if not any(isinstance(x, Law | Mapping) for x in (p, q)):
        same_length(items("p", p), items("q", q), "p and q")
    return finite_law("p", p), finite_law("q", q)


@checked
def expectation(law: Any, function: Callable[..., Any]) -> Number:
    r"""Return :math:`\mathbb E f(X)=\sum_x p(x)f(x)` over a finite law.

    Parameters
    ----------
    law : a :class:`Law`, a dictionary from outcomes to masses, or a sequence of masses of the outcomes 0, 1, ...
    function : :math:`f`, of one outcome, with exact or enclosed values.

    Returns
    -------
    Fraction or Enclosure : exact where masses and values are.

    Raises
    ------
    DomainError : no law, or a value that is no exact number.

    Examples
    --------
    >>> expectation(Law.uniform(range(1, 7)), lambda face: face)
    Fraction(7, 2)
    """
    masses = finite_law("law", law).masses
    return added(mass * number(f"f({x!r:.40})", function(x)) for x, mass in masses.items())


@checked
def risk_on_new(law: Any, predictor: Predictor, loss: Callable[..., Any]) -> Number:
    r"""Return the risk :math:`\mathbb E\,\ell(h(X),Y)` of a predictor on new data :math:`(X,Y)`.

    The law is that of the data, never the rows on which the predictor was fitted.

    Parameters
    ----------
    law : a law of pairs ``(x, y)``: a :class:`Law` or a dictionary.
    predictor : :math:`h`, which sees ``x`` only.
    loss : :math:`\ell`, of a prediction and a label.

    Returns
    -------
    Fraction or Enclosure : exact where masses and losses are.

    Raises
    ------
    DomainError : the law of a sample, or outcomes that are no pairs.

    Examples
    --------
    >>> law = Law.uniform([(x, x * x) for x in range(3)])
    >>> risk_on_new(law, lambda x: x, lambda guess, label: abs(guess - label))
    Fraction(2, 3)
    """
    known = finite_law("law", law)
    if known.of_sample:
        raise DomainError(
            "the law of a sample", required="the law of the data", why="the risk is that on new data",
            advice="empirical_risk(sample, predictor, loss) for the error on the rows; Law(…) or Law.uniform(space) "
                   "for the law",
        )  # fmt: skip
    return _risk(known, predictor, loss)


@checked
def empirical_risk(sample: Any, predictor: Predictor, loss: Callable[..., Any]) -> Number:
    r"""Return the mean loss :math:`\frac1n\sum_i\ell(h(x_i),y_i)` over the rows of a sample: the training error.

    Parameters
    ----------
    sample : pairs ``(x, y)``, which may repeat.
    predictor, loss : as in :func:`risk_on_new`.

    Returns
    -------
    Fraction or Enclosure : exact where the losses are.

    Raises
    ------
    DomainError : no rows, or rows that are no pairs.

    Examples
    --------
    >>> empirical_risk([(0, 0), (1, 3), (1, 3)], lambda x: x, lambda guess, label: abs(guess - label))
    Fraction(4, 3)
    """
    return _risk(Law.empirical(sample), predictor, loss)


def _risk(law: Law, predictor: Predictor, loss: Callable[..., Any]) -> Number:
    for pair in law.masses:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise DomainError(f"the outcome {pair!r:.60}", required="pairs (x, y)", why="a risk compares h(x) and y")
    return expectation(law, lambda pair: loss(predictor(pair[0]), pair[1]))


@checked
def mean_squared_error(law: Any, predictor: Predictor) -> Number:
    r"""Return :math:`\mathbb E\|h(X)-Y\|^2` on new data.

    Parameters
    ----------
    law : a law of pairs ``(x, y)``, ``y`` a number or a tuple of numbers.
    predictor : :math:`h`, with values of the same form.

    Returns
    -------
    Fraction or Enclosure : exact where masses and predictions are.

    Raises
    ------
    DomainError : as :func:`risk_on_new`, and for a prediction of another length.

    Examples
    --------
    >>> mean_squared_error(Law.uniform([(x, x * x) for x in range(4)]), lambda x: 2 * x)
    Fraction(5, 2)
    """
    return risk_on_new(law, predictor, _squared)


def _squared(guess: Any, label: Any) -> Number:
    plain = not hasattr(label, "__len__")
    a, b = (vector(name, [x] if plain else x) for name, x in (("a prediction", guess), ("a label", label)))
    same_length(a, b, "a prediction and a label")
    return added((x - y) ** 2 for x, y in zip(a, b, strict=True))


@checked
def zero_one_error(law: Any, predictor: Predictor) -> Number:
    r"""Return the probability :math:`\Pr(h(X)\ne Y)` of a wrong answer on new data.

    Parameters
    ----------
    law : a law of pairs ``(x, y)``; labels are compared, they may be words.
    predictor : :math:`h`.

    Returns
    -------
    Fraction or Enclosure : exact where the masses are.

    Raises
    ------
    DomainError : as :func:`risk_on_new`, and for a float or a ball, which equals no label for certain.

    Examples
    --------
    >>> zero_one_error(Law.uniform([(x, x % 2) for x in range(5)]), lambda x: 1)
    Fraction(3, 5)
    """
    return risk_on_new(law, predictor, lambda guess, label: int(_label(guess) != _label(label)))


def _label(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return value.fraction() if isinstance(value, Enclosure) and value.exact else outcome("a label", value)


def _base(base: Any) -> int | None:
    """2, or None for e, which sympy's E and the letter mean."""
    if isinstance(base, int) and not isinstance(base, bool) and base == 2:
        return 2
    if base == "e" or type(base).__name__ == "Exp1":
        return None
    raise DomainError(
        f"base = {base!r:.40}", required='base = 2 or base = "e"', why="bits and nats differ by the factor log 2",
        advice='base=2 for bits, base="e" for nats',
    )  # fmt: skip


def _log(x: Enclosure, base: int | None) -> Enclosure:
    return x.log() if base is None else log_quotient(x, Enclosure(base))


def entropy(law: Any, *, base: Any) -> Enclosure:
    r"""Return :math:`H(p)=-\sum_xp(x)\log p(x)`, in bits or in nats.

    Parameters
    ----------
    law : a :class:`Law`, a dictionary of masses, or a sequence of masses.
    base : 2 for bits, ``"e"`` (or sympy's ``E``) for nats; it has no default.

    Returns
    -------
    Enclosure : exact where all logarithms are rational.

    Raises
    ------
    DomainError : no law, or another base.

    Examples
    --------
    >>> entropy([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], base=2)
    Enclosure(3/2)
    """
    unit, masses = _base(base), map(Enclosure, finite_law("law", law).masses.values())
    return total(-(m * _log(m, unit)) for m in masses if not (m.exact and m.value == 0))


def total_variation(p: Any, q: Any) -> Number:
    r"""Return :math:`\frac12\sum_x|p(x)-q(x)|=\max_A(p(A)-q(A))`.

    Parameters
    ----------
    p, q : laws, dictionaries of masses, or sequences of masses of one length.

    Returns
    -------
    Fraction or Enclosure : between 0 and 1.

    Raises
    ------
    DomainError : no laws, or sequences of different lengths.

    Examples
    --------
    >>> total_variation({"a": 1}, {"a": Fraction(1, 3), "b": Fraction(2, 3)})
    Fraction(2, 3)
    """
    first, second = (law.masses for law in _two_laws(p, q))
    none = Fraction(0)
    gaps = (abs(first.get(x, none) - second.get(x, none)) for x in {**first, **second})
    return added(gaps) / 2


def kullback_leibler(p: Any, q: Any, *, base: Any) -> Enclosure:
    r"""Return :math:`D(p\|q)=\sum_xp(x)\log\frac{p(x)}{q(x)}`, in bits or in nats.

    Parameters
    ----------
    p, q : laws, dictionaries of masses, or sequences of masses of one length; the law under which the mean is taken
        comes first.
    base : 2 for bits, ``"e"`` for nats; it has no default.

    Returns
    -------
    Enclosure : exact where all logarithms are rational.

    Raises
    ------
    DomainError : no laws, another base, or an outcome that only ``p`` has: the divergence is infinite.

    Examples
    --------
    >>> kullback_leibler([1, 0], [Fraction(1, 4), Fraction(3, 4)], base=2)
    Enclosure(2)
    """
    unit = _base(base)
    first, second = (law.masses for law in _two_laws(p, q))
    terms = []
    for x, mass in first.items():
        other = Enclosure(second.get(x, 0))
        if isinstance(mass, Fraction) and mass == 0:
            continue
        if other.exact and other.value == 0:
            raise DomainError(
                f"the outcome {x!r:.40}, which only p has", required="q(x) > 0 wherever p(x) > 0",
                why="D(p||q) is infinite otherwise",
            )  # fmt: skip
        terms.append(mass * _log(mass / other, unit))
    return total(terms)


def _distance(guess: Any, label: Any) -> Any:
    return abs(guess - label)


_SKEW = Law({1: _HALF, 5: _THIRD, 2: Fraction(1, 6)})
_DATA = Law({(0, 1): _HALF, (1, 4): _QUARTER, (2, -2): _QUARTER})

ANCHORS: Anchors = {
    "expectation": [
        Known((_SKEW, lambda x: x), Fraction(5, 2), "by hand: 1/2 + 5/3 + 2/6"),
        Known((_SKEW, lambda x: x * x), Fraction(19, 2), "by hand: 1/2 + 25/3 + 4/6"),
        Known((Law.uniform(range(1, 7)), lambda face: face), Fraction(7, 2), "by hand: a die"),
    ],
    "risk_on_new": [
        Known((_DATA, lambda x: 3 * x, _distance), Fraction(11, 4), "by hand: 1/2 * 1 + 1/4 * 1 + 1/4 * 8"),
        Known((_DATA, lambda x: x, lambda guess, label: guess - label), -_QUARTER, "by hand: -1/2 - 3/4 + 1"),
        Known((_DATA, lambda x: 1, _distance), Fraction(3, 2), "by hand: 1/4 * 3 + 1/4 * 3"),
    ],
    "empirical_risk": [
        Known((_SAMPLE, lambda x: 3 * x, _distance), 1, "by hand: three errors of 1"),
        Known((_SAMPLE, lambda x: x, _distance), Fraction(5, 3), "by hand: 1, 1 and 3: the double row counts twice"),
    ],
    "mean_squared_error": [
        Known((_DATA, lambda x: 3 * x), Fraction(67, 4), "by hand: 1/2 * 1 + 1/4 * 1 + 1/4 * 64"),
        Known((_DATA, lambda x: 1), Fraction(9, 2), "by hand: 1/4 * 9 + 1/4 * 9"),
        Known(({(0, (3, 4)): 1}, lambda x: (0, 0)), 25, "by hand: 3^2 + 4^2 = 5^2"),
    ],
    "zero_one_error": [
        Known((_DATA, lambda x: 1), _HALF, "by hand: right at x = 0 only, which has the mass 1/2"),
        Known((_DATA, lambda x: 3 * x + 1), _QUARTER, "by hand: wrong at x = 2 only"),
        Known((_DATA, lambda x: -2), Fraction(3, 4), "by hand: right at x = 2 only"),
    ],
    "entropy": [
        Known(
            ([_HALF, _QUARTER, Fraction(1, 8), Fraction(1, 8)],), Fraction(7, 4),
            "Cover, Thomas (2006), Elements of Information Theory, Example 2.1.2", {"base": 2},
        ),
        Known(([_HALF, _HALF],), "0.693147180559945309", "log 2, from print", {"base": "e"}),
        Known(([_THIRD] * 3,), "1.584962500721156181", "log 3 / log 2, from print", {"base": 2}),
        Known(([0, 1],), 0, "by hand: no doubt", {"base": "e"}),
    ],
    "total_variation": [
        Known(([_HALF, _HALF, 0], [_QUARTER, _QUARTER, _HALF]), _HALF, "by hand: the third outcome"),
        Known(([1, 0], [0, 1]), 1, "by hand: disjoint laws"),
        Known(([_HALF, _THIRD, Fraction(1, 6)], [_THIRD] * 3), Fraction(1, 6), "by hand: the first outcome"),
    ],
    "kullback_leibler": [
        Known(
            ([_HALF, _HALF], [Fraction(3, 4), _QUARTER]), "0.2075", "Cover, Thomas (2006), Example 2.3.1", {"base": 2}
        ),
        Known(
            ([Fraction(3, 4), _QUARTER], [_HALF, _HALF]), "0.1887", "Cover, Thomas (2006), Example 2.3.1", {"base": 2}
        ),
        Known(([1, 0], [_HALF, _HALF]), "0.693147180559945309", "log 2, from print", {"base": "e"}),
        Known(([_HALF, _HALF], [_HALF, _HALF]), 0, "by hand: equal laws", {"base": 2}),
    ],
}  # fmt: skip
