# SPDX-License-Identifier: Apache-2.0
"""The exception for everything that goes wrong, with the place and the advice."""
from __future__ import annotations

from typing import Optional

__all__ = ["OrreryError"]


class OrreryError(Exception):
    """A question that has no answer. `str()` gives place, text and advice."""

    def __init__(
        self, code: str, text: str, where: str = "", line: int = 0, column: int = 0, advice: str = "", name: str = ""
    ) -> None:
        self.code = code
        """Stable word, such as "malformed-xml" or "invalid-setting"."""
        self.text = text
        self.where = where
        """A parameter, a setting, a device or an element of the input; may be empty."""
        self.line: Optional[int] = line or None
        """Line in the input, from 1."""
        self.column: Optional[int] = column or None
        self.advice = advice
        """What to do about it; may be empty."""
        self.name = name
        """The input: a file name; may be empty."""
        super().__init__(code, text)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.name, self.line, self.column) if part)
        return "".join(
            (
                f"{place}: " if place else "",
                f"{self.where}: " if self.where not in self.text else "",
                self.text,
                f" ({self.advice})" if self.advice else "",
                f" [{self.code}]",
            )
        )

    def __reduce__(self):
        return (
            OrreryError,
            (self.code, self.text, self.where, self.line or 0, self.column or 0, self.advice, self.name),
        )
