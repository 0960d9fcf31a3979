"""Messages for people: formulas in Unicode, no marks of a docstring, and no error of Python in place of a reason."""

from __future__ import annotations

import re

from theorytools.reporting.unicode_math import with_unicode

_KINDS = {
    "RecordError": "no run is recorded there", "BudgetError": "the work exceeds its limit",
    "UndecidedError": "not decided", "DomainError": "refused", "NumberError": "no number",
    "CheckError": "the check errs", "CertificateError": "the certificate does not prove it",
    "FolderError": "a file cannot be read or written",
}  # fmt: skip
_ERROR = re.compile(r"\b([A-Z]\w*(?:Error|Exception|Iteration))(?: at ([^:]+))?: (.*)", re.S)
_PARTS = re.compile(r"\b(given|required|why|try):\s")
_CUT = 300  # letters after which the engine cuts a reason


def readable(text: str) -> str:
    r"""Return a message with its formulas in Unicode and without the marks of reStructuredText.

    Parameters
    ----------
    text : any; what has no form on one line stays TeX, in dollars.

    Examples
    --------
    >>> print(readable("why:      BCHCode: inner products of :math:`\\beta` at most, see :func:`.bch`"))
    why:      BCHCode: inner products of β at most, see bch
    """
    plain = re.sub(r":(?!math)\w+:`~?(?:[\w.]*\.)?([^`<]+?)(?: <[^`]*)?`", r"\1", with_unicode(text))
    return re.sub(r"``([^`]+)``", r"\1", plain)


def reason(text: str) -> str:
    """Return a reason that the engine recorded, an error in it told in words.

    Parameters
    ----------
    text : such as ``not judged, first ValueError at N=0: cannot reshape``.

    Examples
    --------
    >>> reason("not judged, first ValueError at N=0: cannot reshape array of size 0")
    'not judged, first at N=0: the check cannot be computed there (cannot reshape array of size 0)'
    >>> reason("no violation at 1 points: N 4")
    'no violation at 1 point: N 4'
    """
    found = _ERROR.search(text)
    if found is None:
        text = re.sub(r"\ball 1 points outside were judged", "the one point outside was judged", text)
        return readable(re.sub(r"\b1 points\b", "1 point", text))
    name, at, said = found[1], found[2], found[3] + ("…" if len(found[0]) >= _CUT else "")
    _, *parts = _PARTS.split(said)
    told = dict(zip(parts[::2], parts[1::2], strict=True))
    rest = [told.get("given"), told.get("required") and f"needed: {told['required']}", told.get("why"),
            told.get("try") and f"try: {told['try']}"]  # fmt: skip
    what = _KINDS.get(name, "the check cannot be computed there")
    words = f"{what}: {'; '.join(part.strip() for part in rest if part)}" if told else f"{what} ({said})"
    before = text[: found.start()].rstrip(", ")
    return readable(": ".join(part for part in (f"{before} at {at}" if at else before, words) if part))
