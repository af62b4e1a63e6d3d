from __future__ import annotations

import numpy as np
import pytest

from saddlepoint.reverse.responders import Frequencies
from saddlepoint.studies.keep import Keeper
from saddlepoint.studies.recipes import Kitchen
from saddlepoint.studies.tables import boundary


@pytest.mark.slow
def test_boundary_estimation_as_published_and_with_predictions_by_sides(tmp_path: object) -> None:
    kitchen = Kitchen(keeper=Keeper(tmp_path))  # type: ignore[arg-type]
    cells = boundary.table_4_1(kitchen)
    assert len(cells) == 15
    agent = Frequencies(boundary.agent().table)
    # An all-in of 22 chips is folded by two thirds of the hands: all but the king.
    np.testing.assert_allclose(agent.table[1], [2 / 3, 1 / 3, 0.0], atol=0.02)
    sides = boundary.trials(agent, seed=0, predict="side")
    for i, column in enumerate(boundary.BOUNDARIES):
        assert sides["iterations"][i] < cells[f"iterations, {column}"].value
        assert sides["error rate"][i] < cells[f"error rate, {column}"].value
