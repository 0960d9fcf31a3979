"""theorytools: theorems of learning-theory papers as executable claims.

The construction of a proof is an importable network, the bound one symbolic expression, the statement a check that
can fail, with a control that must fail.  The names in ``__init__.pyi`` load their module on first use; what one paper
alone needs is imported from its room, ``from theorytools.papers.qstr import SpanPredictor``.
"""

import lazy_loader

__version__ = "0.1.0"
_known, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Return a public name; ``ImportError`` says whose room has it where one paper's has."""
    if name in __all__ or name.startswith("_"):
        return _known(name)
    from pathlib import Path

    for stub in sorted(Path(__file__).parent.glob("papers/*/__init__.pyi")):
        if f"import {name} as {name}\n" in stub.read_text(encoding="utf-8"):  # no AttributeError: its text is dropped
            where = f"{__name__}.papers.{stub.parent.name}"
            raise ImportError(f"{name} is of one paper: from {where} import {name}", name=where)
    return _known(name)
