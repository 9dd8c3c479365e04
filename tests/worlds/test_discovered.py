"""States get numbers as they are visited, and kernels read what is known of them."""

from dataclasses import dataclass

import numpy as np
import pytest

from varde.worlds.discovered import Discovered
from varde.worlds.function import SimulationError


def label(known, state, action):
    return known.record.pairs["label"][known.record.states["first"][state] + action]


def test_a_state_keeps_its_number():
    known = Discovered(["left", "right"])
    assert [known.meet(s) for s in ("a", (1, 2), "a", 3.5)] == [0, 1, 0, 2]
    assert known.states == ["a", (1, 2), 3.5] and known.numbers[(1, 2)] == 1
    assert len(known.states) == 3 and known.legal[2] == ("left", "right")


def test_ended_and_unended_states_are_told_apart():
    known = Discovered(["go"])
    assert (known.meet(7), known.meet(7, over=True), known.meet(7), known.meet(7, over=True)) == (0, 1, 0, 1)
    assert [int(known.record.states["width"][s]) for s in (0, 1)] == [1, 0]


def test_actions_per_state_have_one_label_everywhere():
    known = Discovered({"a": ["up", "down"], "b": ["down"], "c": [], "d": ["stay", "up"]}.__getitem__)
    numbers = [known.meet(s) for s in "abcd"]
    assert [int(known.record.states["width"][s]) for s in numbers] == [2, 1, 0, 2] and known.widest == 2
    assert [label(known, s, a) for s, a in ((0, 0), (0, 1), (1, 0), (3, 0), (3, 1))] == [0, 1, 1, 2, 0]


def test_a_list_that_changes_is_read_again():
    moves = ["a"]
    known = Discovered(lambda state: moves)
    known.meet(0)
    moves.append("b")
    assert known.legal[known.meet(1)] == ("a", "b")


def test_arrays_grow_and_say_so():
    known = Discovered([1, 2, 3])
    known.meet(0)
    known.moved = False
    known.meet(1)
    assert not known.moved
    for s in range(1000):
        assert known.meet(s) == s
    assert known.moved and len(known.states) == 1000
    assert label(known, 999, 2) == 2


def test_new_actions_are_said_too():
    known = Discovered(range)
    moved = []
    for state in (2, 1, 2, 3):
        known.meet(state)
        moved.append(known.moved)
        known.moved = False
    assert moved == [True, False, False, True]


def test_a_key_tells_states_apart_that_cannot_be_hashed():
    known = Discovered(["go"], key=lambda state: state.tobytes())
    assert [known.meet(np.array(x)) for x in ([1, 2], [3, 4], [1, 2])] == [0, 1, 0]
    assert known.states[1].tolist() == [3, 4]


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
        (range(1 << 17), 0, ValueError, "32,767 at most"),
    ],
)
def test_what_cannot_be_met_is_refused(actions, state, error, words):
    with pytest.raises(error, match=words):
        Discovered(actions).meet(state)


def steps(step, actions=("go",), **more):
    known = Discovered(list(actions), **more)
    known.meet(0)
    return known, known.steps(step, np.random.default_rng(0))


def test_two_three_or_five_may_be_returned():
    answers = iter([(1, 2.0), (1, 3, np.True_), (2, 4.0, False, True, {}), [0, 1], (0, np.float32(2), 0)])
    known, go = steps(lambda s, a, rng: next(answers))
    assert [go(0, 0) for _ in range(5)] == [
        (1, 2.0, False),
        (2, 3.0, False),
        (3, 4.0, True),
        (0, 1.0, False),
        (0, 2.0, False),
    ]
    assert known.states == [0, 1, 1, 2] and known.legal[2] == ()


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

    known = Discovered(["go"])
    known.meet(Mute())
    with pytest.raises(SimulationError, match="in state a Mute that cannot be printed, action 'go': KeyError: 'lost'"):
        known.steps(lambda *_: {}["lost"], None)(0, 0)


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

    known = Discovered(["go"], key=lambda state: state.tobytes())
    known.meet(np.zeros(2))
    with pytest.raises(SimulationError, match="changed the state it was given: let it change a copy"):
        known.steps(step, None)(0, 0)
    assert len(known.states) == 1


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

    known = Discovered(["go"], key)
    known.meet(first)
    with pytest.raises(SimulationError, match="returned the state it was given, perhaps changed"):
        known.steps(step, None)(known.meet(state), 0)


def test_a_state_may_lead_to_itself():
    _, go = steps(lambda s, a, rng: (s, 1.0, False))
    assert go(0, 0) == (0, 1.0, False)


def test_a_key_that_fails_names_the_state():
    with pytest.raises(SimulationError, match=r"key failed in state \[1\]: AttributeError"):
        Discovered(["go"], key=lambda state: state.name).meet([1])
