r"""The certificate of a network in a file: what is bounded, for which inputs, and the bound, a decimal rounded up.

Reading it proves it again: the certificate of the network that was read is enclosed ever more sharply until it lies
below the decimal, or above it.  What somebody else says of given weights is kept as it was said.
"""

from __future__ import annotations

import decimal
import inspect
import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theorytools.claims.language.estimate import Budget, Estimate, Evidence, Recipe, enclosed
from theorytools.constructions.network import Network
from theorytools.constructions.recipe import Plain, argument, name_of, read_argument
from theorytools.errors import CertificateError, DomainError
from theorytools.files import canonical
from theorytools.numbers import Enclosure, End

SAID = ("what", "bound", "for")
_DECIMAL = re.compile(r"[0-9]{1,400}(\.[0-9]{1,400})?(E[+-]?[0-9]{1,3})?")
_WHY = "a certificate in a file is data that a reader can prove again"


def proved(net: Network, assumptions: tuple[Any, ...]) -> Plain:
    """Return the certificate of a network under these assumptions as plain data.

    Raises
    ------
    DomainError : no finite bound, assumptions that the certificate does not take, a network that has none.
    """
    taken = _bound(net, assumptions)
    high = taken[1].floats[1]
    if taken[1].evidence < Evidence.ENCLOSED or not 0 <= high < math.inf:
        raise DomainError(f"a certificate of {taken[1]}", required="a finite bound that is proved", why=_WHY)
    context = decimal.Context(prec=10, rounding=decimal.ROUND_CEILING)
    digits = context.create_decimal(decimal.Decimal(high))
    named = {name: argument(name, value) for name, value in taken[0].items()}
    return {"what": f"{name_of(type(net))}.certificate", "for": named, "bound": str(digits)}


def confirm(net: Network, plain: Any) -> None:
    """Prove a stored certificate again, for the network that was read.

    Raises
    ------
    DomainError : data of another form, or of another network.
    CertificateError : a bound that is smaller than the certificate, or too close to it to be told from it.
    """
    required = {"what": f"{name_of(type(net))}.certificate", "for": "its assumptions by name", "bound": "0.0012"}
    fits = isinstance(plain, dict) and set(plain) == set(SAID) and plain["what"] == required["what"]
    if not fits or not isinstance(plain["for"], dict) or not _is_decimal(plain["bound"]):
        raise DomainError(f"the certificate {plain!r:.100}", required=f"{required}", why=_WHY)
    bound = End(Fraction(decimal.Decimal(plain["bound"])))
    named = {name: read_argument(value) for name, value in plain["for"].items()}
    for step in _recipe(net, (), named)[1].steps(0.0, Budget()):
        if step.high <= bound and step.evidence >= Evidence.ENCLOSED:
            return
        if step.low > bound:
            break
    raise CertificateError(
        f"the bound {plain['bound']} of {plain['what']}", required=f"{step}, as it is proved of this network",
        why="a bound below it holds for no proof that is known", advice="save the network again",
    )  # fmt: skip


def said(certificate: Any) -> Plain:
    """Return what somebody says of weights as plain data: a mapping, or what an object's ``to_json()`` returns.

    Raises
    ------
    DomainError : neither, no JSON data, or a mapping that does not say what is bounded, for which inputs, and by what.
    """
    own = not isinstance(certificate, Mapping)
    data = certificate.to_json() if own and hasattr(certificate, "to_json") else certificate
    if own and isinstance(data, Mapping):
        data = {"what": type(certificate).__name__, "for": "the class of prompts in data", "bound": "in data",
                "data": data}  # fmt: skip
    fits = isinstance(data, Mapping) and all(isinstance(data.get(name), str) and data[name] for name in SAID)
    try:
        if fits:
            return dict(json.loads(canonical(dict(data))))
    except (TypeError, ValueError, RecursionError):  # NaN, objects, names that are no text
        pass
    raise DomainError(
        f"the certificate {certificate!r:.80}", required="a mapping with the texts 'what', 'bound' and 'for'", why=_WHY,
        advice="{'what': 'leakage', 'bound': '0.02', 'for': 'tokens in the box [-1, 1]'}, certify(module), or for a "
        "network the tuple of its certificate's assumptions, certificate=(1,)",
    )  # fmt: skip


def _bound(net: Network, assumptions: tuple[Any, ...]) -> tuple[Plain, Estimate]:
    named, found = _recipe(net, assumptions, {})
    return named, next(found.steps(0.0, Budget()))


def _recipe(net: Network, given: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Plain, Recipe]:
    """The assumptions by name, with those that the network has by default, and its certificate as a recipe."""
    certificate = net.certificate  # AbsentError says why there is none
    signature = inspect.signature(certificate)
    try:
        taken = signature.bind(*given, **named)
    except TypeError as error:
        raise DomainError(f"assumptions {(*given, *named)!r:.80}: {error}", required=f"{signature}", why=_WHY) from None
    taken.apply_defaults()
    found = certificate(*taken.args, **taken.kwargs)
    return dict(taken.arguments), found if isinstance(found, Recipe) else enclosed(lambda: Enclosure(found))


def _is_decimal(text: Any) -> bool:
    return isinstance(text, str) and _DECIMAL.fullmatch(text) is not None
