"""What is said of finished studies, and in which order."""

import numpy as np
import pytest

from varde.cli.present import Presenter
from varde.studies import Cell, Figure, Study
from varde.studies.executors import hired
from varde.studies.running import complete, plan
from varde.studies.store import Blocks


def ones(key, first, runs):
    return np.ones((runs, 2))


def test_what_is_written_of_a_study_is_said_before_the_next(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    cells = [Cell("p", "a", "", (1, 2), ones)]
    studies = [Study("one", "One", cells, 2, figure=Figure()), Study("two", "Two", cells, 2)]
    with Blocks(tmp_path / "blocks.db") as store, hired(1) as workers:
        show = Presenter(tmp_path, store)
        for done in complete([plan(study, 2, 0) for study in studies], workers.executor):
            show.finished(done)
    said = capsys.readouterr().out
    assert said.index("one.svg") < said.index("Two") < said.index("two.json")
    assert (tmp_path / "one.png").stat().st_size > 1000
