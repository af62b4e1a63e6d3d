"""Studies by name: questions that the papers raise and no single published table answers.

A study is a function of a `Kitchen` that returns a `Report`. Most are the papers' own
figures, claims without figures, or their open questions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.report import Report


@dataclass(frozen=True)
class Question:
    """A study that can be asked for.

    Parameters
    ----------
    text
        What it asks.
    source
        Where the question comes from.
    recipe
        "module:function" below `saddlepoint.studies.tables`.
    """

    text: str
    source: str
    recipe: str


QUESTIONS: dict[str, Question] = {
    "thresholds": Question(
        "what thresholding does to the 24 card abstractions of Leduc Hold'em, by threshold",
        "000, Figure 3",
        "leduc_pathologies:thresholding",
    ),
    "pathologies": Question(
        "how exploitable all 25 pairs of card abstractions are, and which refinements are worse",
        "004, 2.3.1",
        "leduc_pathologies:pathologies",
    ),
    "random-games": Question(
        "purification in random games of other sizes and other payoffs",
        "000, 6.2; 002, 3",
        "purification:other_games",
    ),
    "superiority": Question(
        "games in which each way to play an abstract strategy beats each other one",
        "000, 5",
        "superiority:all_directions",
    ),
    "desiderata": Question(
        "which translation mapping satisfies what", "001, 4", "mapping_grid:desiderata"
    ),
    "mappings": Question(
        "how exploitable each mapping is, over stacks and menus of three games",
        "001, 8 and 9",
        "mapping_grid:by_stack_and_menu",
    ),
    "offence-defence": Question(
        "whether sizes that are only answered, not made, help a translating player",
        "001, 11",
        "mapping_grid:offence_and_defence",
    ),
    "lossless": Question(
        "which abstractions lose nothing, on small decks and in Rhode Island Hold'em",
        "003, 5",
        "lossless_decks:lossless_decks",
    ),
    "stages": Question(
        "what truncated games with naive and with modelled payoffs lose",
        "003, 7.2 and Table 6.1",
        "stage_payoffs:stages",
    ),
    "coaches": Question(
        "what two coaches in Leduc Hold'em win and lose", "004, Table 5.2", "switching:coaches"
    ),
}


def ask(name: str, kitchen: Kitchen | None = None) -> Report:
    """Do a study.

    >>> ask("desiderata").title
    'What translation mappings satisfy'
    """
    if name not in QUESTIONS:
        raise SettingsError(unknown("study", name, QUESTIONS))
    module, _, function = QUESTIONS[name].recipe.partition(":")
    recipe: Callable[[Kitchen], Report] = getattr(
        import_module(f"saddlepoint.studies.tables.{module}"), function
    )
    return recipe(kitchen or Kitchen())
