"""Values from outside, checked when something is built of them: whole numbers, numbers, texts.

Each function returns the value as Python's own type, or raises an error that names the value
and its field. `True` is not a number here, and neither is the text `"1"`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

from saddlepoint.core.errors import SaddlepointError, SettingsError

Kind = type[SaddlepointError]
_LONGEST = 40


def whole(
    name: str,
    value: Any,
    least: int | None = None,
    most: int | None = None,
    *,
    error: Kind = SettingsError,
    hint: str = "",
) -> int:
    """A whole number between `least` and `most`.

    >>> whole("ante", 1.5, 0, hint="units are whole")
    Traceback (most recent call last):
        ...
    saddlepoint.core.errors.SettingsError: ante is 1.5, expected a whole number of at least 0:
    units are whole
    """
    try:
        if is_truth(value):
            raise TypeError
        found = operator.index(value)
    except TypeError:
        bound = "" if least is None else f" of at least {least}"
        more = f": {hint}" if hint and isinstance(value, float) else ""
        raise error(f"{name} is {shown(value)}, expected a whole number{bound}{more}") from None
    if least is not None and found < least:
        raise error(f"{name} is {shown(found)}, expected a whole number of at least {least}")
    if most is not None and found > most:
        raise error(f"{name} is {shown(found)}, expected a whole number of at most {most:,}")
    return found


def wholes(
    name: str,
    values: Any,
    least: int | None = None,
    most: int | None = None,
    *,
    error: Kind = SettingsError,
    hint: str = "",
) -> tuple[int, ...]:
    """Several whole numbers as a tuple."""
    return tuple(
        whole(f"{name}[{k}]", value, least, most, error=error, hint=hint)
        for k, value in enumerate(listed(name, values, "whole numbers", error=error))
    )


def number(name: str, value: Any, *, error: Kind = SettingsError) -> float:
    """A finite number."""
    try:
        if is_truth(value) or isinstance(value, str | bytes):
            raise TypeError
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise error(f"{name} is {shown(value)}, expected a finite number")
    return found


def truth(name: str, value: Any, *, error: Kind = SettingsError) -> bool:
    """True or false."""
    if not is_truth(value):
        raise error(f"{name} is {shown(value)}, expected true or false")
    return bool(value)


def text(name: str, value: Any, *, error: Kind = SettingsError) -> str:
    """A text."""
    if not isinstance(value, str):
        raise error(f"{name} is {shown(value)}, expected a text")
    return value


def listed(name: str, values: Any, of: str, *, error: Kind = SettingsError) -> tuple[Any, ...]:
    """What a list holds, as a tuple; a text is not a list."""
    if isinstance(values, str | bytes | dict) or not isinstance(values, Iterable):
        raise error(f"{name} is {shown(values)}, expected a list of {of}")
    return tuple(values)


def is_truth(value: Any) -> bool:
    """Whether a value is true or false, NumPy's kind included."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def shown(value: Any) -> str:
    """A value as it stands in messages, cut where it is long.

    >>> shown("1"), shown([2, 2.5]), shown(10**60)
    ("'1'", '[2, 2.5]', '1000000000000000000000000000000000000...')
    """
    try:
        full = repr(value)
    except ValueError:  # an integer of thousands of digits
        return "a number of very many digits"
    return full if len(full) <= _LONGEST else full[: _LONGEST - 3] + "..."
