"""What can go wrong by the user's hand: every such error is one clear line."""

from __future__ import annotations

from typing import Any


class EdgeproofError(Exception):
    """Base of all errors that Edgeproof raises on purpose."""


class InputError(EdgeproofError, ValueError):
    """Bad input: the message names the place, what was found and what was expected."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a question. `answer` is what is known of it: a Verdict or Radius whose reason is "interrupted".

    It is a KeyboardInterrupt, so that what catches errors does not catch it, and a loop over questions ends.
    """

    def __init__(self, answer: Any) -> None:
        super().__init__("interrupted")
        self.answer = answer

    def __reduce__(self) -> tuple[Any, ...]:
        return Interrupted, (self.answer,)


class RejectedError(EdgeproofError):
    """A proof or attack does not establish its claim: the message names the first thing wrong and where."""


class TooLargeError(EdgeproofError):
    """The question is too large for the engine; the message says how large it is."""


class StoreError(EdgeproofError):
    """A store that cannot be read or written; the message names the file, and what is in it is left alone."""
