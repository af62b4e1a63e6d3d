"""An extension of Griffe: examples in docstrings are shown as code wherever they stand.

Without it only those below a heading "Examples" are, and Markdown takes the prompts of
the others for quotations.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

# From a prompt after an empty line to the next empty line.
EXAMPLE = re.compile(r"(?:(?<=\n\n)|\A)(>>> .*?)(?=\n\n|\Z)", re.DOTALL)
HEADING = re.compile(r"^Examples\n-+$", re.MULTILINE)


class Doctests(Extension):
    """Puts fences around the examples of a docstring."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring is not None and not HEADING.search(obj.docstring.value):
            fenced = EXAMPLE.sub(r"```pycon\n\1\n```", obj.docstring.value)
            obj.docstring.value = fenced
