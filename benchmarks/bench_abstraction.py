"""Clustering, division and refinement of hands, against peers that do the same.

Hands are those of Rhode Island Hold'em up to suits (325 in the second round, 9,997 in the last).
The cost model is stated with each line.
"""

from __future__ import annotations

import numpy as np

from measuring import once, report, seconds
from saddlepoint.abstraction.allocate import allocate
from saddlepoint.abstraction.cluster import lloyd, segments
from saddlepoint.abstraction.expectation import expectation_based
from saddlepoint.abstraction.hands import hands_of, levels
from saddlepoint.abstraction.lossless import lossless
from saddlepoint.abstraction.potential import potential_aware
from saddlepoint.abstraction.similarity import lossy_game_shrink
from saddlepoint.games.poker import rhode_island


def on_a_line() -> None:
    """Exact clusters against Lloyd's algorithm, ours and scikit-learn's."""
    hands = hands_of(rhode_island().deal)
    place = levels(hands.strength(2))
    weight = np.bincount(place, hands.weight[2])
    value = np.bincount(place, hands.weight[2] * hands.strength(2)) / weight
    k = 50
    best = segments(value, weight, k).errors[-1]
    report(
        "clusters on a line",
        "saddlepoint, exact",
        points=len(value),
        clusters=k,
        error=best,
        milliseconds=seconds(lambda: segments(value, weight, k)) * 1e3,
        model="O(k n log n), for all numbers of clusters at once",
    )
    took, found = once(lambda: lloyd(value, weight, k, restarts=100))
    report(
        "clusters on a line",
        "saddlepoint, Lloyd with 100 starts",
        points=len(value),
        clusters=k,
        error=found.error,
        worse_by=found.error / best - 1.0,
        milliseconds=took * 1e3,
        model="O(starts * passes * n k)",
    )
    try:
        from sklearn.cluster import KMeans
    except ImportError:
        report("clusters on a line", "scikit-learn", missing=True)
        return
    means = KMeans(k, n_init=100, random_state=0)
    took, found = once(lambda: means.fit(value[:, None], sample_weight=weight))
    report(
        "clusters on a line",
        "scikit-learn, 100 starts",
        points=len(value),
        clusters=k,
        error=found.inertia_,
        worse_by=found.inertia_ / best - 1.0,
        milliseconds=took * 1e3,
    )


def in_space() -> None:
    """A start of Lloyd's algorithm in many dimensions."""
    rng = np.random.default_rng(0)
    points, weight = rng.dirichlet(np.ones(30), 20_000), np.ones(20_000)
    for distance in ("l2", "l1"):
        took, found = once(lambda d=distance: lloyd(points, weight, 100, distance=d, restarts=1))
        report(
            f"k-means in 30 dimensions, {distance}",
            "saddlepoint",
            points=len(points),
            clusters=100,
            error=found.error,
            seconds=took,
            model="O(passes * n k d)"
            + (" and medians of O(n d log n)" if distance == "l1" else ""),
        )
    try:
        from sklearn.cluster import KMeans
    except ImportError:
        report("k-means in 30 dimensions, l2", "scikit-learn", missing=True)
        return
    took, found = once(lambda: KMeans(100, n_init=1, random_state=0).fit(points))
    report(
        "k-means in 30 dimensions, l2",
        "scikit-learn",
        points=len(points),
        clusters=100,
        error=found.inertia_,
        seconds=took,
    )


def division() -> None:
    """The integer program against dynamic programming over the same errors."""
    rng = np.random.default_rng(0)
    errors = [np.sort(rng.random(80))[::-1] for _ in range(150)]
    total = 1250

    def by_table() -> float:
        best = np.zeros(total + 1)
        for row in errors:
            new = np.full(total + 1, np.inf)
            for k in range(1, len(row) + 1):
                new[k:] = np.minimum(new[k:], best[: total + 1 - k] + row[k - 1])
            best = new
        return float(best.min())

    took, counts = once(lambda: allocate(errors, total))
    spent = sum(float(row[k - 1]) for row, k in zip(errors, counts, strict=True))
    report(
        "buckets for 150 parents",
        "HiGHS, integer program",
        milliseconds=took * 1e3,
        error=spent,
        model="branch and bound",
    )
    took, best = once(by_table)
    report("buckets for 150 parents", "dynamic program", milliseconds=took * 1e3, error=best)


def whole() -> None:
    """Whole abstractions of Rhode Island Hold'em."""
    deal = rhode_island().deal
    hands, sizes = hands_of(deal), (13, 100, 750)
    for name, make in (
        ("expectation-based", lambda: expectation_based(hands, sizes)),
        ("potential-aware", lambda: potential_aware(hands, sizes)),
        ("potential-aware, earth mover", lambda: potential_aware(hands, sizes, metric="emd")),
        ("lossy GameShrink", lambda: lossy_game_shrink(hands, sizes)),
        ("lossless", lambda: lossless(deal)),
    ):
        make()
        took, _ = once(make)
        report(f"{name}, Rhode Island", "saddlepoint", seconds=took, buckets=list(sizes))


def main() -> None:
    on_a_line()
    in_space()
    division()
    whole()


if __name__ == "__main__":
    main()
