"""How long work is told and kept, whoever asks for it.

Algorithms do their work in *chunks*: each has a name and a key, plain data that says what it
depends on, and its result is a mapping of arrays and numbers. A caller who keeps the chunks
(`saddlepoint.studies.keep` does) loses only the one that was under way when he is killed.
Nothing is kept by default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Result = dict[str, Any]
Keep = Callable[[str, Mapping[str, Any], Callable[[], Result]], Result]


def _at_once(name: str, key: Mapping[str, Any], compute: Callable[[], Result]) -> Result:
    return compute()


@dataclass(frozen=True, kw_only=True)
class Work:
    """How chunks are kept and what is said meanwhile.

    Parameters
    ----------
    keep
        Takes the name, the key and the function of a chunk; returns its result.
    say
        Takes a line on what goes on.
    portion
        About how many elementary steps a chunk has: a few seconds of work.
    """

    keep: Keep = _at_once
    say: Callable[[str], None] = lambda text: None
    portion: float = 3e8

    def chunks(self, costs: Sequence[float]) -> Iterator[range]:
        """Split tasks of these costs into runs of about a portion.

        >>> [list(part) for part in Work(portion=10).chunks([4, 4, 4, 20, 1])]
        [[0, 1, 2], [3], [4]]
        """
        begin, total = 0, 0.0
        for k, cost in enumerate(costs):
            if (k > begin and total >= self.portion) or (k > begin and cost >= self.portion):
                yield range(begin, k)
                begin, total = k, 0.0
            total += cost
        if begin < len(costs):
            yield range(begin, len(costs))


SILENT = Work()


def told(part: range, count: int) -> str:
    """Which of the buckets of the round before a chunk is about, in words.

    >>> told(range(0, 13), 13), told(range(4, 6), 13)
    ('all 13 buckets', 'buckets 5 to 6 of 13')
    """
    if len(part) == count:
        return f"all {count:,} buckets"
    return f"buckets {part.start + 1:,} to {part.stop:,} of {count:,}"
