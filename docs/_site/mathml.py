"""A hook of MkDocs: formulas become MathML while the pages are built.

Browsers draw MathML by themselves, so that the documentation needs no script from
elsewhere and can be read offline.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(
    r'<(span|div) class="arithmatex">(?:\\\((.*?)\\\)|\\\[(.*?)\\\])</\1>', re.DOTALL
)


def on_page_content(html: str, **_: Any) -> str:
    """Replace what the Markdown extension has marked as formulas."""
    return FORMULA.sub(_formula, html)


def _formula(found: re.Match[str]) -> str:
    inline, display = found[2], found[3]
    if inline is not None:
        return convert(unescape(inline))
    return convert(unescape(display), display="block")
