"""What a page owes to readers who see, hear or print it otherwise: contrast, headers of tables, words for pictures."""

import re

import pytest
from report_examples import PAPERS, verdicts

from theorytools.reporting.site import render_pages


@pytest.fixture(scope="module")
def pages():
    return render_pages(verdicts(), PAPERS, run={})


def luminance(colour):
    digits = colour.lstrip("#")
    digits = "".join(2 * d for d in digits) if len(digits) == 3 else digits
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def palettes(css):
    """The colours by name: by day, by night, in print; what one does not set is as by day."""
    found = []
    for block in re.findall(r":root\s*\{([^}]*)\}", css):
        colours = dict(re.findall(r"--([a-z]+):\s*(#[0-9a-fA-F]{3,6})", block))
        if "page" in colours:
            found.append({**(found[0] if found else {}), **colours})
    return found


def test_contrast_is_that_of_wcag_aa(pages):
    three = palettes(pages["style.css"])
    assert len(three) == 3
    for colours in three:
        for name in ("ink", "quiet", "link", "control", "bound", "good", "bad", "doubt", "blind", "seen"):
            for behind in ("page", "soft"):
                assert contrast(colours[name], colours[behind]) >= 4.5, (name, behind, colours)


def test_contrast_of_black_and_white_is_21():
    assert abs(contrast("#000", "#ffffff") - 21) < 1e-9
    assert contrast("#777", "#fff") < 4.5 < contrast("#767676", "#ffffff")


def test_tables_have_headers_and_pictures_words(pages):
    for path, text in pages.items():
        if path.endswith(".html"):
            assert all("<th" in table for table in re.findall(r"<table.*?</table>", text, re.S)), path
            assert all('role="img"' in svg or 'aria-hidden="true"' in svg for svg in re.findall(r"<svg[^>]*>", text)), (
                path
            )
            for svg in re.findall(r'<svg[^>]*role="img".*?</svg>', text, re.S):
                assert "<title" in svg or "aria-label" in svg.partition(">")[0], path


def test_pages_say_their_language_and_search_has_a_label(pages):
    for path, text in pages.items():
        if path.endswith(".html"):
            assert '<html lang="en"' in text
            field = re.search(r"<input[^>]*>", text)
            assert field is None or "aria-label" in field[0] or "<label" in text, path
