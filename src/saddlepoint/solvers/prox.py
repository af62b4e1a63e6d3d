r"""Prox functions of a treeplex: what smooths best responses, and how strongly convex it is.

A prox function d of a treeplex Q is strongly convex, is zero at its minimum, and makes

$$\operatorname{smax}(g, \mu) = \max_{x \in Q} \{g^\top x - \mu\,d(x)\}$$

easy to compute; its maximiser is unique and changes smoothly with g (thesis 003, section 8.3.1).
Those here are *dilated*: one simplex's prox function $\psi$, entropy or Euclidean, in every
information set, times the probability to get there and a weight,

$$d(x) = \sum_I w_I\, x_{p(I)}\, \psi(x_{I\cdot} / x_{p(I)}),$$

so that it is least, 0, where all actions are equally likely, and greatest at a pure plan.

Three choices of weights:

* `equal`: 1 everywhere, as Hoda, Gilpin and Pena (2010) induce it;
* `nested`: $w_I = 1 + \max_a \sum_{J \in C(Ia)} w_J$ (Farina, Kroer and Sandholm 2021), which is
  the greatest number of information sets that a plan reaches from I on;
* `doubled`: $w_I = 2 + 2 \max_a \sum_J w_J$, with 1 for 2 where I has no own move before it
  (Kroer, Waugh, Kilinc-Karzan and Sandholm 2020).

**How convex.** For a direction h (with $h_0 = 0$ and $\sum_a h_{Ia} = h_{p(I)}$) the second
derivative of d is

$$H = \sum_I w_I \Big[\sum_a \frac{h_{Ia}^2}{x_{Ia}} - \frac{h_{p(I)}^2}{x_{p(I)}}\Big]
  \quad\text{or}\quad
  \sum_I \frac{w_I}{x_{p(I)}} \sum_a \Big(h_{Ia} - \frac{x_{Ia}}{x_{p(I)}} h_{p(I)}\Big)^2 .$$

All terms are at least 0, so a bound for weights w' is one for w with the factor
$\min_I w_I / w'_I$. Write n for the number of actions of an information set.

* *Euclidean norm, entropy.* With nested weights $H = \sum_q c_q h_q^2 / x_q$ with
  $c_q = w_I - \sum_{J \in C(q)} w_J \ge 1$, and $x_q \le 1$: modulus 1.
* *Sum of absolute values, entropy.* From the same, by Cauchy and Schwarz,
  $H \ge (\sum_q |h_q|)^2 / \sum_q x_q$: modulus 1/M, where M is the greatest sum of a plan.
* *Euclidean norm, Euclidean.* $(h - p h_p)^2 \ge h^2/2 - p^2 h_p^2$ and $1/x_{p(I)} \ge 1$: with
  doubled weights, modulus 1.
* *Norm of the treeplex,* whose unit ball is $(Q - Q)/2$ and whose dual norm of g is half the
  range of $g^\top x$ over Q; on a simplex it is the sum of absolute values. With
  $\delta = h_{I\cdot} - p\,h_{p(I)}$ and the values V of actions, given g and the behaviour of x,
  $g^\top h = \sum_I \sum_a \delta_a V_a$. Cauchy and Schwarz bound its square by H times
  $\sum_I x_{p(I)} \operatorname{Var}_p(V_{I\cdot}) / w_I$ for entropy. With equal weights that
  sum is the variance of $g^\top \pi$, where $\pi$ is a pure plan drawn by playing x, hence at most
  the square of half the range: modulus $\min_I w_I$. For the Euclidean one it is
  $\sum_I x_{p(I)} \sum_a (V_{Ia} - \bar V_I)^2 / w_I$, at most C times the same square with
  $C_I = n / w_I + \max_a \max_{J \in C(Ia)} C_J$, since ranges of what is reached together add up:
  modulus 1/C.

The last norm is the one for games: with weights and deals as many as there may be, the norm of A
in it is no more than the payoffs are (`saddlepoint.solvers.operator_norm`). The argument by
variance is ours; that equal weights are the right ones for entropy is known (Fan, Kroer and
Farina 2024).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saddlepoint.core.errors import SettingsError
from saddlepoint.sequence.treeplex import Treeplex
from saddlepoint.solvers.prox_sweeps import Smoother, accumulate, soften

Vector = NDArray[np.float64]
KINDS = ("entropy", "euclidean")
WEIGHTS = ("equal", "nested", "doubled")
NORMS = ("absolute", "euclidean", "treeplex")


class Prox:
    """A dilated prox function of a treeplex.

    Parameters
    ----------
    plex
        The treeplex.
    kind
        `entropy` or `euclidean`.
    weights
        `equal`, `nested` or `doubled`.

    Examples
    --------
    >>> d = Prox(Treeplex.simplex(2))
    >>> value, x = d.sargmax([0.0, np.log(3.0), 0.0])
    >>> x.round(6), round(value, 6), round(d.diameter, 6)
    (array([1.  , 0.75, 0.25]), 0.693147, 0.693147)
    >>> Prox(Treeplex.simplex(2), "euclidean").sargmax([0.0, 0.5, 0.0])[1]
    array([1.  , 0.75, 0.25])
    """

    def __init__(self, plex: Treeplex, kind: str = "entropy", weights: str = "equal") -> None:
        if kind not in KINDS:
            raise SettingsError(f"prox is '{kind}', expected one of {KINDS}")
        if weights not in WEIGHTS:
            raise SettingsError(f"weights is '{weights}', expected one of {WEIGHTS}")
        self.plex, self.kind = plex, kind
        B = plex.blocks
        self.actions = np.repeat(B.actions, B.lanes).astype(np.float64)
        self.weights = self._weights(weights)
        first = np.cumsum(B.lanes) - B.lanes
        self.arrays = Smoother(B, first, self.weights, kind == "euclidean")

    def _bound(
        self, base: Vector, factor: Vector | None = None, together: bool = True
    ) -> tuple[Vector, float]:
        total, v = np.empty(self.plex.n_infosets), np.empty(self.plex.n_sequences)
        factor = np.ones_like(total) if factor is None else factor
        accumulate(self.plex.blocks, base, factor, together, total, v)
        return total, float(v[0])

    def _weights(self, choice: str) -> Vector:
        ones = np.ones(self.plex.n_infosets)
        if choice == "equal":
            return ones
        twice = np.where(self.plex.flat.parent > 0, 2.0, 1.0) if choice == "doubled" else ones
        return self._bound(twice, twice)[0]

    @cached_property
    def diameter(self) -> float:
        """The greatest value of d over the treeplex, exactly: that of some pure plan."""
        n = self.actions
        most = np.log(n) if self.kind == "entropy" else 0.5 * (1.0 - 1.0 / n)
        return self._bound(self.weights * most)[1]

    @cached_property
    def moduli(self) -> dict[str, float]:
        """Lower bounds on the strong convexity parameter, by norm."""
        w = self.weights
        if self.kind == "entropy":
            nested = self._weights("nested")
            ratio, most = _least(w / nested), self._bound(np.ones_like(w))[1]
            return {"absolute": ratio / max(1.0, most), "euclidean": ratio, "treeplex": _least(w)}
        ratio = _least(w / self._weights("doubled"))
        return {
            "euclidean": ratio,
            "treeplex": 1.0 / max(1.0, self._bound(self.actions / w, together=False)[1]),
        }

    def sargmax(self, g: ArrayLike, mu: float = 1.0) -> tuple[float, Vector]:
        """The maximum of g'x - mu d(x), and the plan that attains it. O(sequences)."""
        v = self.plex.vector(g).copy()
        s, x = np.empty_like(v), np.empty_like(v)
        return float(soften(self.arrays, mu, v, s, x)), x

    def smax(self, g: ArrayLike, mu: float = 1.0) -> float:
        """The maximum of g'x - mu d(x)."""
        return self.sargmax(g, mu)[0]

    def value(self, x: ArrayLike) -> float:
        """The value d(x) at a realization plan."""
        x = self.plex.vector(x)
        own, p = self._shares(x)
        n = self.actions[self.plex.flat.infoset[1:]]
        if self.kind == "entropy":
            terms = p * np.log(n * p, out=np.zeros_like(p), where=p > 0)
        else:
            terms = 0.5 * (p - 1.0 / n) ** 2
        return float((own * terms) @ x[self.plex.flat.parent][self.plex.flat.infoset[1:]])

    def gradient(self, x: ArrayLike) -> Vector:
        r"""The gradient of d at a plan that plays every action.

        For entropy $w_I (\ln p_a + 1) + \sum_{J \in C(Ia)} w_J (\ln n_J - 1)$, where p is the
        behaviour; it is infinite where an action is never played.
        """
        f = self.plex.flat
        own, p = self._shares(self.plex.vector(x))
        n, w = self.actions, self.weights
        g = np.zeros(self.plex.n_sequences)
        if self.kind == "entropy":
            with np.errstate(divide="ignore"):
                g[1:] = own * (np.log(p) + 1.0)
            np.add.at(g, f.parent, w * (np.log(n) - 1.0))
        else:
            off = p - (1.0 / n)[f.infoset[1:]]
            g[1:] = own * off
            each = 0.5 * off**2 - p * off
            np.add.at(g, f.parent, w * np.bincount(f.infoset[1:], each, len(w)))
        return g

    def _shares(self, x: Vector) -> tuple[Vector, Vector]:
        """The weight and the behaviour of every sequence but the empty one."""
        return self.weights[self.plex.flat.infoset[1:]], self.plex.behaviour(x)[1:]


def _least(values: Vector) -> float:
    """The least of some numbers, 1 if there are none."""
    return float(values.min()) if len(values) else 1.0
