"""A user's function: refused where it cannot work, and recognised in a file."""

import functools
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import varde
from varde.selection.functions import identity_of


def cost(option, rng):
    return option + rng.normal()


def other(option, rng):
    return option - rng.normal()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda: 1.0, r"<lambda>\(\) cannot be called with an option \(too many positional arguments\)"),
        (lambda option, day: 1.0, r"missing a required argument: 'day'"),
        (functools.partial(cost, 1, 2), r"cannot be called with an option.*functools\.partial"),
    ],
)
def test_a_wrong_signature_is_refused_at_the_door(tmp_path, function, words):
    with pytest.raises(TypeError, match=words):
        varde.select(function, [1, 2], 20, store=tmp_path / "s.db")
    assert not (tmp_path / "s.db").exists()


def test_signatures_that_fit():
    for function in (float, abs, np.float64, functools.partial(pow, exp=2), lambda option, *more, **most: 1.0):
        assert varde.select(function, [1, 2], 20).spent == 20


def test_what_no_process_can_take_is_refused_with_the_cause():
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(TypeError, match=r"function cannot be sent to another process \(.*[Pp]ickle.*write a def"):
            varde.select(lambda option: 1.0, [1, 2], 20, workers=pool)
        locks = {"a": 1, "b": threading.Lock()}
        with pytest.raises(TypeError, match=r"option 'b' cannot be sent to another process \(.*lock.*workers=8"):
            varde.select(float, locks, 20, workers=pool)


def test_another_function_is_refused_and_an_edited_one_warned_of(tmp_path):
    path = tmp_path / "s.db"
    varde.select(cost, [1, 2], 20, store=path)
    with pytest.raises(
        ValueError, match=r"s\.db were made by 'cost', this is 'other': write that function, or another"
    ):
        varde.select(other, [1, 2], 20, store=path)
    with pytest.raises(ValueError, match=r"this is 'cost\(rng=3\)'"):
        varde.select(functools.partial(cost, rng=3), [1, 2], 20, store=path)

    def renamed(option, rng):
        return option + rng.normal()

    assert varde.select(renamed, [1, 2], 30, store=path).spent == 30  # does the same
    edited = {}
    exec("def renamed(option, rng): return option + 2.0 * rng.normal()", edited)
    edited["renamed"].__qualname__ = renamed.__qualname__
    with pytest.warns(varde.StoreWarning, match="renamed has changed since .* earlier results are kept"):
        assert varde.select(edited["renamed"], [1, 2], 40, store=path).spent == 40


class Scorer:
    def __init__(self, weight):
        self.weight, self.model = weight, object()

    def __call__(self, option):
        return self.weight * option

    def score(self, option):
        return self.weight * option


def make(shift):
    return lambda option: option + shift


def test_what_a_function_brings_along_is_part_of_it():
    for one, another in [(make(1), make(2)), (Scorer(1), Scorer(2)), (Scorer(1).score, Scorer(2).score)]:
        assert identity_of(one).name == identity_of(another).name and identity_of(one).code != identity_of(another).code
    assert identity_of(Scorer(1)) == identity_of(Scorer(1)) and identity_of(make(1)) == identity_of(make(1))
    first, second = (functools.partial(cost, rng=np.full(3, x)) for x in (1.0, 2.0))
    assert identity_of(first).name != identity_of(second).name
    for odd in (print, len, np.sin, str, functools.lru_cache(cost), functools.partial(functools.partial(cost, 1), 2)):
        assert identity_of(odd) == identity_of(odd)


def test_every_process_sees_the_same_function(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from varde.selection.functions import identity_of\n\n\n"
        "def f(option, kinds={'a', 'b', 'c'}):\n    '''Words.'''\n"
        "    return option in {'x', 'y', 'z', 'w'} and (lambda: 'a' in kinds)\n\n\n"
        "if __name__ == '__main__':\n    print(identity_of(f))\n"
    )
    commands = [[sys.executable, "mine.py"], [sys.executable, "-c", "import mine; print(mine.identity_of(mine.f))"]]
    seen = {subprocess.run(each, cwd=tmp_path, capture_output=True, check=True, text=True).stdout for each in commands}
    assert len(seen) == 1 and "name='f'" in seen.pop()


def test_a_grid_is_not_an_option():
    with pytest.raises(ValueError, match=r"the only option is \[0.1, 1, 10\], by the name of 'C': write options="):
        varde.select(lambda c: 0.0, {"C": [0.1, 1, 10]}, 30)


def test_counts_as_a_file_has_them_are_texts():
    selector = varde.Selector(["a", "b"])
    with pytest.raises(TypeError, match=r"successes of a is '52', a text: write int\(\.\.\.\)"):
        selector.tell("a", successes="52", trials="1000")


def test_an_option_in_place_of_its_draw_is_told_what_to_write():
    selector = varde.Selector({"20C": 20, "30C": 30}, 12)
    draw = selector.ask()
    with pytest.raises(ValueError, match=r"no draw 20: write the draw that ask returned, .* such as '20C'"):
        selector.tell(draw.option, 0.7)
