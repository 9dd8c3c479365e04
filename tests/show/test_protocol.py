"""Selection, Move and Policy share one interface, name by name."""

import csv
import io
import itertools
import json
import math
import pickle

import numpy as np
import pytest

import varde
from varde.show import Answer


def waiting(counters, rng):
    return rng.exponential(10.0 / counters) + 2.0 * counters


def step(state, action, rng):
    return (state + action) % 3, float(rng.random() < 0.2 + 0.3 * (state == 2)), rng.random() < 0.2


MADE = {
    "alike": lambda: varde.select(waiting, list(range(1, 13)), 60, goal="min", alike=True),
    "selection": lambda: varde.select(waiting, [1, 2, 3], 60, goal="min"),
    "three best": lambda: varde.select(waiting, list(range(1, 8)), 200, goal=varde.Top(3, "min")),
    "move": lambda: varde.plan(step, 0, 200, horizon=3, actions=[0, 1]),
    "policy": lambda: varde.learn(step, 400, actions=[0, 1], start=0, discount=0.9),
}


@pytest.fixture(scope="module")
def made():
    return {name: make() for name, make in MADE.items()}


@pytest.fixture(scope="module", params=list(MADE))
def answer(request, made):
    return made[request.param]


def test_every_answer_has_the_same_facts(answer):
    assert isinstance(answer, Answer) and 0.0 <= answer.p_right <= 1.0 and answer.expected_regret >= 0.0
    low, high = answer.interval
    assert low <= answer.value <= high and answer.stopped == "budget"
    assert answer.spent in (60, 200, 400)
    names = answer.best_name if isinstance(answer.best_name, list) else [answer.best_name]
    assert all(isinstance(name, str) for name in names)
    for row in answer.rows:
        assert isinstance(row.name, str) and row.n >= 0 and row.interval == (row.low, row.high)
        assert 0.0 <= row.p_best <= 1.0 and row.verdict


def test_the_best_is_what_the_user_gave(made):
    found = made["selection"]
    assert found.best == 2 and found.best_name == "2" and found[found.best] == found.rows[1]
    mapped = varde.select(waiting, {"few": 1, "more": 2}, 40, goal="min")
    assert mapped.best == {"few": 1, "more": 2}[mapped.best_name]
    three = made["three best"]
    assert len(three.best) == 3 and three.best_name == [str(option) for option in three.best]
    means = [three[option].mean for option in three.best]
    assert means == sorted(means)
    move, policy = made["move"], made["policy"]
    assert move.best in (0, 1) and policy.best is policy and policy.best[0] in (0, 1)


def test_the_sentence_comes_first_and_nothing_claims_more(answer):
    sentence = answer.sentence
    assert " ".join(str(answer).split("\n\n")[0].split("\n")).replace("\u00a0", " ") == sentence.replace("\u00a0", " ")
    assert sentence in repr(answer) and answer._repr_html_().startswith("<p>")


def test_programs_get_everything(answer, tmp_path):
    record = json.loads(answer.to_json())
    assert record == json.loads(json.dumps(answer.to_dict())) and record["sentence"] == answer.sentence
    assert {"best", "best_name", "p_right", "interval", "expected_regret", "stopped", "spent", "notes"} <= set(record)
    assert [row["name"] for row in record["rows"]] == [row.name for row in answer.rows]
    assert answer.to_json(tmp_path / "a.json") is None and json.loads((tmp_path / "a.json").read_text()) == record
    rows = list(csv.DictReader(io.StringIO(answer.to_csv())))
    assert len(rows) == len(answer.rows) and [float(row["p_best"]) for row in rows] == [r.p_best for r in answer.rows]


def test_data_frames_have_the_rows(answer):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame, other = answer.to_pandas(), answer.to_polars()
    assert isinstance(frame, pandas.DataFrame) and isinstance(other, polars.DataFrame)
    assert list(frame.index) == other[:, 0].to_list() == [row.name for row in answer.rows]
    assert frame["estimate"].tolist() == [row.estimate for row in answer.rows]
    if not isinstance(answer, varde.Selection):
        with pytest.raises(TypeError, match="keeps no single results"):
            answer.to_pandas(values=True)


def test_pages_and_plots(answer, tmp_path):
    answer.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")
    axes = answer.plot()
    assert axes is plt.gca() and axes.figure is plt.gcf(), "plt.savefig saves it"
    _, (left, right) = plt.subplots(1, 2)
    assert answer.plot(ax=right) is right and right.has_data() and not left.has_data()
    plt.close("all")


def test_saved_and_pickled_it_is_the_same(answer, tmp_path):
    assert pickle.loads(pickle.dumps(answer)) == answer
    answer.save(tmp_path / "answer.json")
    again = type(answer).load(tmp_path / "answer.json")
    assert again == answer and str(again) == str(answer) and again.to_dict() == answer.to_dict()
    assert again.to_html() == answer.to_html() and [path.name for path in tmp_path.iterdir()] == ["answer.json"]
    with pytest.raises(TypeError, match="unhashable"):
        hash(answer)


def test_another_answer_is_another(made):
    for one, other in itertools.combinations(made.values(), 2):
        assert one != other
    assert made["selection"] == MADE["selection"]() != varde.select(waiting, [1, 2, 3], 61, goal="min")
    assert made["selection"] != 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: {**record, "varde": "move"}, "is not a selection but a move"),
        (lambda record: {**record, "format": 1}, "has format 1"),
        (
            lambda record: {**record, "state": {**record["state"], "rows": {"record": "Popen", "fields": []}}},
            "is damaged",
        ),
        *[
            (lambda record, part=part: {**record, "state": {**record["state"], "prices": part}}, "is damaged")
            for part in (
                {"array": ["x"], "type": "|O", "shape": [1]},
                {"array": [0], "type": "V1000000000000", "shape": [1]},
                {"array": [1.0, 2.0], "type": "<f8", "shape": [3]},
            )
        ],
        (lambda record: {**record, "state": {"chosen": []}}, "is damaged"),
        (lambda record: [], "is not a selection"),
    ],
)
def test_a_file_that_is_something_else_is_refused(made, change, message, tmp_path):
    found, path = made["selection"], tmp_path / "found.json"
    found.save(path)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(varde.StoreError, match=message):
        varde.Selection.load(path)


def test_what_a_file_cannot_hold_is_refused_and_the_older_file_stays(tmp_path):
    (tmp_path / "a.json").write_text("older")
    found = varde.select(lambda f, rng: f() + rng.normal(), {"one": lambda: 1.0, "two": lambda: 2.0}, 20)
    with pytest.raises(TypeError, match=r"cannot be written to a file: .* to_json"):
        found.save(tmp_path / "a.json")
    assert (tmp_path / "a.json").read_text() == "older" and "lambda" in found.to_json()


def test_numpy_and_odd_names_survive(tmp_path):
    options = [np.float64(0.5), (1, "x"), None, "=1+1"]
    found = varde.Selector(options, 40)
    while (draw := found.ask()) is not None:
        found.tell(draw, float(draw.seed % 97) + len(draw.name))
    found = found.recommend()
    found.save(tmp_path / "found.json")
    assert varde.Selection.load(tmp_path / "found.json") == found and found.to_csv().count("'=1+1") == 1
    assert math.isfinite(found.value) and json.loads(found.to_json())["best_name"] == found.best_name
