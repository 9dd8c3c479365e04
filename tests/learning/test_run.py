"""What a run has shown, by rows."""

import numpy as np

from varde.learning import Learner
from varde.learning.run import seen_of
from varde.rows import END

from .gathered import gather


def test_a_log_is_counted_by_outcome():
    states, actions, after = np.array([[0, 0, 0, 1], [1, 1, 1, 0], [1, 1, END, 0]])
    seen = gather(np.array([2, 1]), states, actions, np.array([1.0, 3.0, 7.0, 0.5]), after, np.array([1, 0]))
    assert seen.first.tolist() == [0, 2, 3] and seen.rows.tolist() == [0, 0, 2, 3]
    assert seen.to.tolist() == [END, 1, 0] and seen.counts.tolist() == [1, 2, 1]
    assert seen.means.tolist() == [7.0, 2.0, 0.5] and seen.squares.tolist() == [0.0, 2.0, 0.0]
    assert seen.tried.tolist() == [0, 3, 1]
    assert seen.owners.tolist() == [0, 0, 1] and seen.pairs.tolist() == [1, 1, 2]


def test_a_learner_has_seen_what_it_was_told():
    learner = Learner(actions=lambda state: ["go", "stay"] if state == "shore" else ["go"], discount=0.9)
    learner.tell("shore", "go", 1.0, "boat")
    learner.tell("boat", "go", 2.0, "sea", over=True)
    learner.tell("shore", "go", 3.0, "boat")
    seen = seen_of(learner.driver.run)
    assert learner.atlas.states[:2] == ["shore", "boat"]
    assert seen.tried[:3].tolist() == [2, 0, 1] and seen.starts[0] == 2 and seen.starts.sum() == 2
    assert seen.to.tolist() == [1, END] and seen.means.tolist() == [2.0, 2.0] and seen.squares[:3].tolist() == [2, 0, 0]
