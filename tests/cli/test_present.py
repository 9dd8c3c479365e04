"""What is said of finished studies, and in which order."""

from concurrent.futures import Executor, Future

import numpy as np
import pytest

from varde.cli.present import Presenter
from varde.studies import Cell, Figure, Study
from varde.studies.executors import hired
from varde.studies.running import complete, plan
from varde.studies.store import Blocks


class Slow(Executor):
    """Draws when told to."""

    def submit(self, act):
        self.future, self.act = Future(), act
        return self.future

    def draw(self):
        self.future.set_result(self.act())


def ones(key, first, runs):
    return np.ones((runs, 2))


def test_a_figure_may_come_late_and_is_announced_before_the_next_study(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    cells, painter = [Cell("p", "a", "", (1, 2), ones)], Slow()
    studies = [Study("one", "One", cells, 2, figure=Figure()), Study("two", "Two", cells, 2)]
    with Blocks(tmp_path / "blocks.db") as store, hired(1) as workers:
        show = Presenter(tmp_path, store, painter=painter)
        first, second = complete([plan(study, 2, 0) for study in studies], workers.executor)
        show.finished(first)
        assert not show.is_drawn() and "Written" not in capsys.readouterr().out
        painter.draw()
        assert show.is_drawn()
        show.finished(second)
        said = capsys.readouterr().out
        assert said.index("one.svg") < said.index("Two") and (tmp_path / "one.png").stat().st_size > 1000
        show.conclude()
        assert "two.json" in capsys.readouterr().out and not show.is_drawn()
