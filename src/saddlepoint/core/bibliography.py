"""The works that games and methods come from, so that users can cite what they used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from saddlepoint.core.errors import SettingsError, unknown


@dataclass(frozen=True)
class Work:
    """A published work."""

    kind: str
    authors: str
    title: str
    venue: str
    year: int

    def text(self) -> str:
        """One line for people."""
        return f"{self.authors} ({self.year}). {self.title}. {self.venue}."

    def bibtex(self, key: str) -> str:
        """One BibTeX entry."""
        place = {"article": "journal", "inproceedings": "booktitle", "phdthesis": "school"}
        fields = {
            "author": self.authors.replace(", ", " and "),
            "title": self.title,
            place.get(self.kind, "howpublished"): self.venue,
            "year": str(self.year),
        }
        body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        return f"@{self.kind}{{{key},\n{body}\n}}"


WORKS: dict[str, Work] = {
    "ankenman2006": Work(
        "book", "Bill Chen, Jerrod Ankenman", "The Mathematics of Poker", "ConJelCo", 2006
    ),
    "brown2019": Work(
        "inproceedings",
        "Noam Brown, Tuomas Sandholm",
        "Solving Imperfect-Information Games via Discounted Regret Minimization",
        "AAAI Conference on Artificial Intelligence",
        2019,
    ),
    "burch2019": Work(
        "article",
        "Neil Burch, Matej Moravcik, Martin Schmid",
        "Revisiting CFR+ and Alternating Updates",
        "Journal of Artificial Intelligence Research 64",
        2019,
    ),
    "fan2024": Work(
        "inproceedings",
        "Zhiyuan Fan, Christian Kroer, Gabriele Farina",
        "On the Optimality of Dilated Entropy and Lower Bounds for Online Learning in "
        "Extensive-Form Games",
        "Advances in Neural Information Processing Systems 37",
        2024,
    ),
    "farina2021": Work(
        "inproceedings",
        "Gabriele Farina, Christian Kroer, Tuomas Sandholm",
        "Faster Game Solving via Predictive Blackwell Approachability",
        "AAAI Conference on Artificial Intelligence",
        2021,
    ),
    "farina2021b": Work(
        "inproceedings",
        "Gabriele Farina, Christian Kroer, Tuomas Sandholm",
        "Better Regularization for Sequential Decision Spaces: Fast Convergence Rates for Nash, "
        "Correlated, and Team Equilibria",
        "ACM Conference on Economics and Computation",
        2021,
    ),
    "ganzfried2012": Work(
        "inproceedings",
        "Sam Ganzfried, Tuomas Sandholm, Kevin Waugh",
        "Strategy Purification and Thresholding: Effective Non-Equilibrium Approaches for "
        "Playing Large Games",
        "International Conference on Autonomous Agents and Multiagent Systems",
        2012,
    ),
    "ganzfried2013": Work(
        "inproceedings",
        "Sam Ganzfried, Tuomas Sandholm",
        "Action Translation in Extensive-Form Games with Large Action Spaces: Axioms, "
        "Paradoxes, and the Pseudo-Harmonic Mapping",
        "International Joint Conference on Artificial Intelligence",
        2013,
    ),
    "gilpin2009": Work(
        "phdthesis",
        "Andrew Gilpin",
        "Algorithms for Abstracting and Solving Imperfect Information Games",
        "Carnegie Mellon University",
        2009,
    ),
    "hoda2010": Work(
        "article",
        "Samid Hoda, Andrew Gilpin, Javier Pena, Tuomas Sandholm",
        "Smoothing Techniques for Computing Nash Equilibria of Sequential Games",
        "Mathematics of Operations Research 35",
        2010,
    ),
    "huangfu2018": Work(
        "article",
        "Qi Huangfu, Julian Hall",
        "Parallelizing the dual revised simplex method",
        "Mathematical Programming Computation 10",
        2018,
    ),
    "johanson2011": Work(
        "inproceedings",
        "Michael Johanson, Kevin Waugh, Michael Bowling, Martin Zinkevich",
        "Accelerating Best Response Calculation in Large Extensive Games",
        "International Joint Conference on Artificial Intelligence",
        2011,
    ),
    "johanson2012": Work(
        "inproceedings",
        "Michael Johanson, Nolan Bard, Marc Lanctot, Richard Gibson, Michael Bowling",
        "Efficient Nash Equilibrium Approximation through Monte Carlo Counterfactual Regret "
        "Minimization",
        "International Conference on Autonomous Agents and Multiagent Systems",
        2012,
    ),
    "johanson2013": Work(
        "inproceedings",
        "Michael Johanson, Neil Burch, Richard Valenzano, Michael Bowling",
        "Evaluating State-Space Abstractions in Extensive-Form Games",
        "International Conference on Autonomous Agents and Multiagent Systems",
        2013,
    ),
    "koller1996": Work(
        "article",
        "Daphne Koller, Nimrod Megiddo, Bernhard von Stengel",
        "Efficient Computation of Equilibria for Extensive Two-Person Games",
        "Games and Economic Behavior 14",
        1996,
    ),
    "kroer2020": Work(
        "article",
        "Christian Kroer, Kevin Waugh, Fatma Kilinc-Karzan, Tuomas Sandholm",
        "Faster Algorithms for Extensive-Form Game Solving via Improved Smoothing Functions",
        "Mathematical Programming 179",
        2020,
    ),
    "kuhn1950": Work(
        "inproceedings",
        "Harold Kuhn",
        "A Simplified Two-Person Poker",
        "Contributions to the Theory of Games I",
        1950,
    ),
    "lanctot2009": Work(
        "inproceedings",
        "Marc Lanctot, Kevin Waugh, Martin Zinkevich, Michael Bowling",
        "Monte Carlo Sampling for Regret Minimization in Extensive Games",
        "Advances in Neural Information Processing Systems",
        2009,
    ),
    "lanctot2012": Work(
        "inproceedings",
        "Marc Lanctot, Richard Gibson, Neil Burch, Michael Bowling",
        "No-Regret Learning in Extensive-Form Games with Imperfect Recall",
        "International Conference on Machine Learning",
        2012,
    ),
    "lan2011": Work(
        "article",
        "Guanghui Lan, Zhaosong Lu, Renato Monteiro",
        "Primal-Dual First-Order Methods with O(1/eps) Iteration-Complexity for Cone Programming",
        "Mathematical Programming 126",
        2011,
    ),
    "nesterov2005": Work(
        "article",
        "Yurii Nesterov",
        "Excessive Gap Technique in Nonsmooth Convex Minimization",
        "SIAM Journal on Optimization 16",
        2005,
    ),
    "nesterov2005b": Work(
        "article",
        "Yurii Nesterov",
        "Smooth Minimization of Non-Smooth Functions",
        "Mathematical Programming 103",
        2005,
    ),
    "schnizlein2009": Work(
        "misc",
        "David Schnizlein",
        "State Translation in No-Limit Poker",
        "MSc thesis, University of Alberta",
        2009,
    ),
    "shi2001": Work(
        "inproceedings",
        "Jiefu Shi, Michael Littman",
        "Abstraction Methods for Game Theoretic Poker",
        "International Conference on Computers and Games 2000",
        2001,
    ),
    "southey2005": Work(
        "inproceedings",
        "Finnegan Southey, Michael Bowling, Bryce Larson, Carmelo Piccione, Neil Burch, "
        "Darse Billings, Chris Rayner",
        "Bayes' Bluff: Opponent Modelling in Poker",
        "Conference on Uncertainty in Artificial Intelligence",
        2005,
    ),
    "stengel1996": Work(
        "article",
        "Bernhard von Stengel",
        "Efficient Computation of Behavior Strategies",
        "Games and Economic Behavior 14",
        1996,
    ),
    "tammelin2014": Work(
        "misc",
        "Oskari Tammelin",
        "Solving Large Imperfect Information Games Using CFR+",
        "arXiv:1407.5042",
        2014,
    ),
    "waugh2009": Work(
        "inproceedings",
        "Kevin Waugh, Martin Zinkevich, Michael Johanson, Morgan Kan, David Schnizlein, "
        "Michael Bowling",
        "A Practical Use of Imperfect Recall",
        "Symposium on Abstraction, Reformulation and Approximation",
        2009,
    ),
    "waugh2013": Work(
        "inproceedings",
        "Kevin Waugh",
        "A Fast and Optimal Hand Isomorphism Algorithm",
        "AAAI Workshop on Computer Poker and Imperfect Information",
        2013,
    ),
    "zhang2024": Work(
        "misc",
        "Naifeng Zhang, Stephen McAleer, Tuomas Sandholm",
        "Faster Game Solving via Hyperparameter Schedules",
        "arXiv:2404.09097",
        2024,
    ),
    "zinkevich2007": Work(
        "inproceedings",
        "Martin Zinkevich, Michael Johanson, Michael Bowling, Carmelo Piccione",
        "Regret Minimization in Games with Incomplete Information",
        "Advances in Neural Information Processing Systems 20",
        2007,
    ),
}


def works(keys: Iterable[str]) -> dict[str, Work]:
    """The works of some keys, each once, in order."""
    found = {}
    for key in keys:
        if key not in WORKS:
            raise SettingsError(unknown("work", key, WORKS))
        found[key] = WORKS[key]
    return found
