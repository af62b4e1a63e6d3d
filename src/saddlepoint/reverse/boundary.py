r"""Boundary estimation: where a hard translation splits the bets between two abstract sizes.

An agent reads a bet of size a up to some boundary as the abstract bet A, and a greater one
as B; its responses (fold, call, raise) come from one of two distributions accordingly. Bets
$1, \dots, n$ of ascending size are made and the responses counted in a matrix S (thesis 004,
section 4.5, equation 4.10). Were the boundary behind bet $\theta$, the responses to bets up
to $\theta$ and beyond would have counts $N_a$ and $N_b$, whose likelihood at its maximum is

$$\log P(S \mid \theta) = \sum_{d \in \{a, b\}} \Big(\sum_j N_{dj} \log N_{dj}
                          - N_d \log N_d\Big), \qquad 0 \log 0 = 0, \tag{4.15}$$

and the confidence in $\theta$ is $V(\theta, S) = P(S \mid \theta) / \sum_{\theta'} P(S \mid
\theta')$ (4.16). `choose_bet` (Algorithm 1) names the bet after which the greatest
confidence is expected to be greatest, `estimate_boundary` (Algorithm 2) goes on until it
exceeds the threshold.

**What is left open, and what is done here.** $\theta$ runs over $1, \dots, n$ as in the
algorithms; $\theta = n$ says that there is no boundary between the bets, and is never more
likely than another value. Of equally good bets or boundaries the first is taken; the greatest
confidences count as equal if they differ by rounding only. A bet that was never made has no
frequencies (0 / 0 in Algorithm 1): it is made before all others. As printed, Algorithm 1
answers 0, which is no bet, if nothing exceeds 0; that is only if nothing was observed, since
the greatest confidence is at least 1/n.

Algorithm 1 takes the responses to a bet for as likely as they were to that bet alone
(`predict="bet"`), which one observation makes certain, and may go on asking about a bet for
hundreds of hands that tells nothing. With `predict="side"` they are as likely as they were to
all bets on the same side of the likeliest boundary; this is ours, and needs a half to a third
of the hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SettingsError, unknown
from saddlepoint.core.kernel import kernel
from saddlepoint.core.seeds import Seed, generator
from saddlepoint.reverse.responders import RESPONSES, Responder

Array = NDArray[Any]
Counts = NDArray[np.int64]

PREDICT = ("bet", "side")
# Confidences that differ by less are the same but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Boundary:
    r"""What boundary estimation found.

    Parameters
    ----------
    theta
        The last bet before the boundary, counted from 1.
    confidence
        $V(\theta, S)$.
    observations
        S: responses in rows, bets in columns.
    converged
        Whether the confidence threshold was reached; if not, allow more hands.
    """

    theta: int
    confidence: float
    observations: Counts
    converged: bool

    @property
    def hands(self) -> int:
        """Observations that it took, the first one of each bet included."""
        return int(self.observations.sum())


@kernel
def _x_log_x(most: int) -> Array:
    """The numbers k log k for k up to `most`."""
    out = np.zeros(most + 1)
    for k in range(2, most + 1):
        out[k] = k * np.log(k)
    return out


@kernel
def _likelihoods(S: Array, table: Array, out: Array) -> None:
    """Write log P(S | theta) for theta = 1, ..., n. O(responses * n); table is k log k."""
    m, n = S.shape
    for t in range(n):
        out[t] = 0.0
    whole = 0
    for j in range(m):
        total = 0
        for i in range(n):
            total += S[j, i]
        whole += total
        below = 0
        for i in range(n):
            below += S[j, i]
            out[i] += table[below] + table[total - below]
    below = 0
    for i in range(n):
        for j in range(m):
            below += S[j, i]
        out[i] -= table[below] + table[whole - below]


@kernel
def _greatest(S: Array, table: Array, logs: Array) -> float:
    """V(S), the confidence in the likeliest boundary. Overwrites logs."""
    _likelihoods(S, table, logs)
    top, total = logs.max(), 0.0
    for t in range(logs.shape[0]):
        total += np.exp(logs[t] - top)
    return 1.0 / total


@kernel
def _predict(S: Array, logs: Array, side: bool, i: int, out: Array) -> None:
    """Write how often each response to bet i is expected, up to a factor.

    logs are the likelihoods of S. If bet i was never made, nothing is expected.
    """
    low, high = i, i + 1
    if side:
        top = logs.max()
        theta = 0
        while logs[theta] < top - ROUNDING:
            theta += 1
        low, high = (0, theta + 1) if i <= theta else (theta + 1, S.shape[1])
    made = 0
    for j in range(S.shape[0]):
        made += S[j, i]
    for j in range(S.shape[0]):
        out[j] = 0
        for k in range(low, high):
            out[j] += S[j, k] if made > 0 else 0


@kernel
def _choose(S: Array, table: Array, side: bool, logs: Array) -> int:
    """Algorithm 1; S is changed and changed back. O(responses^2 * bets^2)."""
    best, at = 0.0, -1
    expected, now = np.empty(S.shape[0], np.int64), np.empty(S.shape[1])
    _likelihoods(S, table, now)
    for i in range(S.shape[1]):
        _predict(S, now, side, i, expected)
        value, total = 0.0, 0
        for j in range(S.shape[0]):
            if expected[j] > 0:
                total += expected[j]
                S[j, i] += 1
                value += expected[j] * _greatest(S, table, logs)
                S[j, i] -= 1
        if total == 0:
            return i
        if value / total > best * (1.0 + ROUNDING):
            best, at = value / total, i
    return at


def _checked(S: ArrayLike) -> Counts:
    given = np.asarray(S)
    counts = np.array(given, np.int64)
    if counts.ndim != 2 or counts.size == 0 or (counts != given).any() or counts.min() < 0:
        raise SettingsError(
            f"observations have shape {counts.shape}, expected whole numbers from 0 on, "
            "responses in rows and bets in columns"
        )
    return counts


def confidence(S: ArrayLike) -> NDArray[np.float64]:
    r"""$V(\theta, S)$ for $\theta = 1, \dots, n$ (4.16).

    Parameters
    ----------
    S
        Observations, responses in rows and bets in columns.

    Examples
    --------
    >>> confidence([[2, 2, 0], [0, 0, 2], [0, 0, 0]]).round(4)
    array([0.0576, 0.9221, 0.0202])
    """
    counts = _checked(S)
    logs = np.empty(counts.shape[1])
    _likelihoods(counts, _x_log_x(int(counts.sum())), logs)
    share = np.exp(logs - logs.max())
    V: NDArray[np.float64] = share / share.sum()
    return V


def choose_bet(S: ArrayLike, predict: str = "bet") -> int:
    """The bet to make next, counted from 0 (Algorithm 1).

    Parameters
    ----------
    S
        Observations, responses in rows and bets in columns.
    predict
        What responses are predicted by: `bet` as in the thesis, or `side`; see the module.

    Examples
    --------
    >>> choose_bet([[5, 4, 1, 0], [0, 1, 1, 5], [0, 0, 0, 0]])
    2
    """
    counts = _checked(S)
    table = _x_log_x(int(counts.sum()) + 1)
    return int(_choose(counts, table, _by_side(predict), np.empty(counts.shape[1])))


def _by_side(predict: str) -> bool:
    if predict not in PREDICT:
        raise SettingsError(unknown("predict", predict, PREDICT))
    return predict == "side"


def estimate_boundary(
    responder: Responder,
    bets: int,
    seed: Seed,
    *,
    gamma: float = 0.99,
    cap: int = 500,
    predict: str = "bet",
) -> Boundary:
    """Find the boundary of an agent by what it answers to bets (Algorithm 2).

    Parameters
    ----------
    responder
        The agent.
    bets
        How many bets there are; the responder knows which.
    seed
        Draws the responses.
    gamma
        Confidence at which to stop.
    cap
        Most hands; the first one of each bet included, and always played.
    predict
        What responses are predicted by: `bet` as in the thesis, or `side`; see the module.

    Examples
    --------
    >>> from saddlepoint.reverse.responders import Frequencies
    >>> agent = Frequencies.of_two([0.1, 0.6, 0.3], [0.9, 0.1, 0.0], 6, 20)
    >>> found = estimate_boundary(agent, 20, seed=1)
    >>> found.theta, found.converged
    (6, True)
    """
    if bets < 1 or not 0.0 < gamma <= 1.0:
        raise SettingsError(
            f"there are {bets} bets and gamma is {gamma}, expected at least 1 and above 0 up to 1"
        )
    rng, side = generator(seed), _by_side(predict)
    S, logs = np.zeros((len(RESPONSES), bets), np.int64), np.empty(bets)
    table = _x_log_x(max(cap, bets) + 1)
    for i in range(bets):
        S[responder(i, rng), i] += 1
    hands = bets
    while (reached := float(_greatest(S, table, logs))) < gamma and hands < cap:
        bet = int(_choose(S, table, side, logs))
        S[responder(bet, rng), bet] += 1
        hands += 1
    top = int(np.flatnonzero(logs >= logs.max() - ROUNDING)[0])
    return Boundary(theta=top + 1, confidence=reached, observations=S, converged=reached >= gamma)
