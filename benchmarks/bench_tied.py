"""Imperfect recall: an iteration over ties beside one of plain CFR on the refinement.

Rhode Island Hold'em in buckets by strength of which players see those of the round alone. Both
do the same products; the peer, which solves another game (that of players who remember), is
what the refinement costs without ties. Ties add a pass over the sequences that gathers the
strategy and two that scatter values and reach, and save those over regrets and averages.
"""

from __future__ import annotations

import numpy as np

from measuring import in_turn, once, report
from saddlepoint.abstraction.buckets import Buckets
from saddlepoint.abstraction.forgetting import forgetful
from saddlepoint.abstraction.hands import hands_of, numbered
from saddlepoint.games.poker import rhode_island
from saddlepoint.solvers.cfr import DiscountedCFR
from saddlepoint.solvers.tied import TiedRegretMatching

SIZES = (13, 20, 30)
ITERATIONS = 3


def by_strength() -> Buckets:
    """Buckets of equally many hands, by the probability of winning."""
    hands, groups = hands_of(rhode_island().deal), []
    for r, size in enumerate(SIZES):
        rank = np.argsort(np.argsort(hands.strength(r), kind="stable"), kind="stable")
        groups.append(numbered(rank * size // hands.size(r)))
    return Buckets(tuple(groups), "strength " + "-".join(map(str, SIZES)))


def main() -> None:
    game = forgetful(rhode_island(), by_strength())
    built, tied = once(game.tied_form)
    counts, estimate = game.counts(), game.estimate()
    work = TiedRegretMatching().start_tied(tied)
    plain = DiscountedCFR(threads=1).start(tied.form)
    ours, peer = in_turn(
        lambda: work.advance(ITERATIONS, 600.0), lambda: plain.advance(ITERATIONS, 600.0)
    )
    report(
        "rhode island with imperfect recall",
        "saddlepoint",
        seconds_per_iteration=ours / ITERATIONS,
        seconds_per_iteration_estimated=estimate.iteration_seconds,
        seconds_per_iteration_without_ties=peer / ITERATIONS,
        times_without_ties=ours / peer,
        buckets=list(SIZES),
        infosets=list(counts.infosets),
        refined_infosets=list(counts.refined_infosets),
        refined_sequences=list(counts.refined_sequences),
        seconds_to_build=built,
        megabytes_of_vectors=sum(v.nbytes for p in work.players for v in p) / 1e6,
        megabytes_of_vectors_without_ties=sum(v.nbytes for p in plain.players for v in p) / 1e6,
        megabytes_of_operator=tied.form.A.n_bytes / 1e6,
        megabytes_estimated=estimate.bytes / 1e6,
        model="two products, two sweeps and a regret matching, two gathers and four scatters: "
        "O(entries of the operator + sequences of the refinement)",
    )


if __name__ == "__main__":
    main()
