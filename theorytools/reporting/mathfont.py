"""The mathematical font of a report, inside its style sheet: one file for all pages, whatever formulas they show.

Its OpenType MATH table has to stay, or the formula is wrong: Chromium draws a radical over the numerator only.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO
from pathlib import Path

FAMILY = "Theorytools Math"
FONT = Path(__file__).parent / "fonts" / "STIXTwoMath.woff"
# Greek, punctuation, letterlike, arrows, operators, technical, geometric, brackets, styled alphabets
BROAD = (
    *(
        (0x20, 0x7F),
        (0xA0, 0x100),
        (0x131, 0x132),
        (0x237, 0x238),
        (0x2C6, 0x2DE),
        (0x300, 0x316),
        (0x332, 0x339),
    ),
    *((0x391, 0x3CA), (0x3D1, 0x3D2), (0x3D5, 0x3D7), (0x3F0, 0x3F6), (0x2010, 0x2060), (0x2061, 0x2065)),
    *(
        (0x20D0, 0x20F1),
        (0x2100, 0x2140),
        (0x2190, 0x2200),
        (0x2200, 0x2300),
        (0x2308, 0x230C),
        (0x231C, 0x2322),
    ),
    *(
        (0x2329, 0x232B),
        (0x239B, 0x23E0),
        (0x25A0, 0x2600),
        (0x27C0, 0x27F0),
        (0x27F5, 0x2800),
        (0x2983, 0x299A),
    ),
    *((0x2A00, 0x2AFF), (0x1D400, 0x1D800)),
)


def subset(font: bytes, characters: Iterable[str]) -> bytes:
    """Return the font, cut to the characters with their stretched forms, as WOFF.

    The family is renamed; the copyright and licence records stay (SIL Open Font License, conditions 2 and 3).
    """
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    logging.getLogger("fontTools").setLevel(logging.ERROR)
    options = Options(hinting=False, layout_features=[], notdef_outline=True, glyph_names=False)
    options.name_IDs, options.name_languages, options.drop_tables = (
        [0, 1, 2, 3, 4, 5, 6, 7, 13, 14],
        ["*"],
        ["DSIG"],
    )
    options.recalc_timestamp = False
    face = TTFont(BytesIO(font), recalcTimestamp=False)
    cutter = Subsetter(options)
    cutter.populate(unicodes=sorted(map(ord, characters)))
    cutter.subset(face)
    for number in (1, 3, 4, 6):
        for record in face["name"].names:
            if record.nameID == number:
                record.string = FAMILY.replace(" ", "") if number == 6 else FAMILY
    face.flavor = "woff"
    out = BytesIO()
    face.save(out)
    return out.getvalue()


def broad_subset(font: bytes) -> bytes:
    """Return the part of a font that the formulas of papers may need; this made the file in ``fonts``."""
    return subset(font, (chr(code) for first, end in BROAD for code in range(first, end)))


@lru_cache(maxsize=1)
def font_face() -> str:
    """Return the ``@font-face`` rule with the font inside."""
    data = base64.b64encode(FONT.read_bytes()).decode("ascii")
    source = f'url("data:font/woff;base64,{data}") format("woff")'
    return f'@font-face{{font-family:"{FAMILY}";src:{source}}}'
