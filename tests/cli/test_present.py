"""What is said of finished studies, and in which order."""

import numpy as np

from varde.cli.present import Presenter
from varde.studies import Cell, Study
from varde.studies.running import complete, plan
from varde.studies.store import Blocks


def ones(key, first, runs):
    return np.ones((runs, 2))


def test_what_is_written_of_a_study_is_said_before_the_next(tmp_path, capsys):
    cells = [Cell("p", "a", "", (1, 2), ones)]
    studies = [Study("one", "One", cells, 2), Study("two", "Two", cells, 2)]
    with Blocks(tmp_path / "blocks.db") as store:
        show = Presenter(tmp_path, store)
        for done in complete([plan(study, 2, 0) for study in studies]):
            show.finished(done)
    said = capsys.readouterr().out
    assert said.index("one.json") < said.index("Two") < said.index("two.json")
