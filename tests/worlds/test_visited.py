"""States get numbers as they are visited, and kernels read what is known of them."""

from dataclasses import dataclass

import numpy as np
import pytest

from varde.worlds.function import SimulationError
from varde.worlds.table import label, num_actions, num_states
from varde.worlds.visited import Atlas


def test_a_state_keeps_its_number():
    atlas = Atlas(["left", "right"])
    assert [atlas.meet(s) for s in ("a", (1, 2), "a", 3.5)] == [0, 1, 0, 2]
    assert atlas.states == ["a", (1, 2), 3.5] and atlas.numbers[(1, 2)] == 1
    assert num_states(atlas.visited) == 3 and atlas.legal[2] == ("left", "right")


def test_ended_and_unended_states_are_told_apart():
    atlas = Atlas(["go"])
    assert (atlas.meet(7), atlas.meet(7, over=True), atlas.meet(7), atlas.meet(7, over=True)) == (0, 1, 0, 1)
    assert [num_actions(atlas.visited, s) for s in (0, 1)] == [1, 0]


def test_actions_per_state_have_one_label_everywhere():
    atlas = Atlas({"a": ["up", "down"], "b": ["down"], "c": [], "d": ["stay", "up"]}.__getitem__)
    numbers = [atlas.meet(s) for s in "abcd"]
    assert [num_actions(atlas.visited, s) for s in numbers] == [2, 1, 0, 2] and atlas.widest == 2
    assert [label(atlas.visited, s, a) for s, a in ((0, 0), (0, 1), (1, 0), (3, 0), (3, 1))] == [0, 1, 1, 2, 0]


def test_a_list_that_changes_is_read_again():
    moves = ["a"]
    atlas = Atlas(lambda state: moves)
    atlas.meet(0)
    moves.append("b")
    assert atlas.legal[atlas.meet(1)] == ("a", "b")


def test_arrays_grow_and_say_so():
    atlas = Atlas([1, 2, 3])
    atlas.meet(0)
    atlas.moved = False
    atlas.meet(1)
    assert not atlas.moved
    for s in range(1000):
        assert atlas.meet(s) == s
    assert atlas.moved and num_states(atlas.visited) == 1000
    assert label(atlas.visited, 999, 2) == 2


def test_new_actions_are_said_too():
    atlas = Atlas(range)
    moved = []
    for state in (2, 1, 2, 3):
        atlas.meet(state)
        moved.append(atlas.moved)
        atlas.moved = False
    assert moved == [True, False, False, True]


def test_a_key_tells_states_apart_that_cannot_be_hashed():
    atlas = Atlas(["go"], key=lambda state: state.tobytes())
    assert [atlas.meet(np.array(x)) for x in ([1, 2], [3, 4], [1, 2])] == [0, 1, 0]
    assert atlas.states[1].tolist() == [3, 4]


@dataclass
class Tank:
    level: int = 0


@pytest.mark.parametrize(
    ("actions", "state", "error", "words"),
    [
        (["go"], [1, 2], TypeError, r"the state \[1, 2\] cannot be hashed: return .* or write key="),
        (["go"], (Tank(), 0), TypeError, r"cannot be hashed: write @dataclass\(frozen=True\) above class Tank, or"),
        (lambda s: None, 0, TypeError, "state 0 has the actions None: write a list"),
        (lambda s: [["go"]], 0, TypeError, "state 0 has the actions"),
        (lambda s: "stop", 0, TypeError, r"has the actions 'stop': write a list of names, such as \['stop'\]"),
        (["go", "go"], 0, ValueError, "one of them twice"),
        (range(1 << 17), 0, ValueError, "fewer than 65536"),
    ],
)
def test_what_cannot_be_met_is_refused(actions, state, error, words):
    with pytest.raises(error, match=words):
        Atlas(actions).meet(state)


def steps(step, actions=("go",), **more):
    atlas = Atlas(list(actions), **more)
    atlas.meet(0)
    return atlas, atlas.steps(step, np.random.default_rng(0))


def test_two_three_or_five_may_be_returned():
    answers = iter([(1, 2.0), (1, 3, np.True_), (2, 4.0, False, True, {}), [0, 1], (0, np.float32(2), 0)])
    atlas, go = steps(lambda s, a, rng: next(answers))
    assert [go(0, 0) for _ in range(5)] == [
        (1, 2.0, False),
        (2, 3.0, False),
        (3, 4.0, True),
        (0, 1.0, False),
        (0, 2.0, False),
    ]
    assert atlas.states == [0, 1, 1, 2] and atlas.legal[2] == ()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((1, float("nan")), "the reward is nan: return a finite number"),
        ((1, "much"), "the reward is .much."),
        ((["x"], 0.0), "cannot be hashed"),
        (None, r"step returned None: return \(state, reward\)"),
        ((1, 0.0, "no"), "the flag over is 'no': return True or False"),
        ((1, 0.0, None), "the flag over is None"),
        ((1, 0.0, False, {}), r"step returned \(1, 0.0, False, \{\}\): return \(state, reward\)"),
    ],
)
def test_a_wrong_answer_names_state_and_action(answer, words):
    _, go = steps(lambda s, a, rng: answer)
    with pytest.raises(SimulationError, match=r"in state 0, action 'go'.*" + words):
        go(0, 0)


def test_a_state_that_cannot_be_printed_hides_no_error():
    class Mute:
        def __repr__(self):
            raise RuntimeError

    atlas = Atlas(["go"])
    atlas.meet(Mute())
    with pytest.raises(SimulationError, match="in state a Mute that cannot be printed, action 'go': KeyError: 'lost'"):
        atlas.steps(lambda *_: {}["lost"], None)(0, 0)


def test_an_error_of_the_world_is_shown_and_kept():
    def step(state, action, rng):
        raise KeyError("out of order")

    with pytest.raises(SimulationError, match=r"in state 0, action 'go': KeyError: 'out of order'") as caught:
        steps(step)[1](0, 0)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_step_that_changes_its_state_is_refused():
    def step(state, action, rng):
        state += 1
        return state, 0.0

    atlas = Atlas(["go"], key=lambda state: state.tobytes())
    atlas.meet(np.zeros(2))
    with pytest.raises(SimulationError, match="changed the state it was given: let it change a copy"):
        atlas.steps(step, None)(0, 0)
    assert len(atlas.states) == 1


class Mutable:
    x = 0


@pytest.mark.parametrize(
    ("first", "state", "key"),
    [([1], [0], tuple), (np.array([1]), np.array([0]), lambda s: s.tobytes()), (None, Mutable(), None)],
)
def test_a_step_that_changes_its_state_into_a_known_one_is_refused(first, state, key):
    def step(state, action, rng):
        if isinstance(state, Mutable):
            state.x += 1
        else:
            state[0] = 1
        return state, 0.0, False

    atlas = Atlas(["go"], key)
    atlas.meet(first)
    with pytest.raises(SimulationError, match="returned the state it was given, perhaps changed"):
        atlas.steps(step, None)(atlas.meet(state), 0)


def test_a_state_may_lead_to_itself():
    _, go = steps(lambda s, a, rng: (s, 1.0, False))
    assert go(0, 0) == (0, 1.0, False)


def test_a_key_that_fails_names_the_state():
    with pytest.raises(SimulationError, match=r"key failed in state \[1\]: AttributeError"):
        Atlas(["go"], key=lambda state: state.name).meet([1])
