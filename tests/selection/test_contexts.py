"""Which option for which context: the rule on cells, what is asked and told, the answer, stores, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

import varde
from varde.rule import VarDE, joint_decrements
from varde.selection.by_context import ContextChooser
from varde.selection.goals import goal_of

KINDS = ["sums", "proofs", "history"]
GOOD = {"brief": (0.9, 0.2, 0.5), "steps": (0.5, 0.8, 0.4), "cite": (0.4, 0.3, 0.9)}


def mark(prompt, rng, context):
    return float(rng.random() < GOOD[prompt][KINDS.index(context)])


def chooser_after(results=60, seed=0, contexts=12):
    """A chooser that has seen so many results of a plane in two features."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(contexts, 2))
    truth = x @ rng.normal(size=(2, 3))
    found = ContextChooser(VarDE(), 3 * contexts, 3, None, goal_of("max"), results, contexts)
    for c in range(contexts):
        for a in range(3):
            found.describe(3 * c + a, {"option": f"{a}", "context": f"{c}", "features": {"a": x[c, 0], "b": x[c, 1]}})
    for _ in range(results):
        if found.is_due:
            found.take_fit(found.fitted())
        i = found.next_cold(None)
        warm = i is not None
        i = found.choose(None) if i is None else i
        found.add_pending(i, warm)
        found.add_result(i, truth[i // 3, i % 3] + 0.5 * rng.normal(), True)
    found.choose(None)
    return found


def test_a_score_is_by_how_much_a_result_lowers_the_variance_of_all_decisions():
    model = chooser_after().model
    scores, cov, mu = model.scores(np.zeros(36), None), model.covariance, model.means.reshape(12, 3)
    expected = np.zeros(36)
    for i in range(36):
        after = cov - np.outer(cov[i], cov[i]) / (cov[i, i] + model.noise[i])
        for c in range(12):
            b = int(mu[c].argmax())
            for j in set(range(3)) - {b}:
                row = np.zeros(36)
                row[[3 * c + b, 3 * c + j]] = 1.0, -1.0
                before = row @ cov @ row
                g = (1.0 + np.exp(np.pi / np.sqrt(3.0) * (mu[c, b] - mu[c, j]) / np.sqrt(before))) ** -2.0
                expected[i] += g * (before - row @ after @ row)
    assert scores / scores.max() == pytest.approx(expected / expected.max(), rel=1e-6)


def test_one_context_is_the_rule_of_options_that_resemble_each_other():
    model = chooser_after(contexts=1, results=30).model
    mu, cov = model.means, model.covariance
    b = int(mu.argmax())
    errors = np.diagonal(cov) + cov[b, b] - 2.0 * cov[b]
    with np.errstate(divide="ignore", invalid="ignore"):
        g = np.where(np.arange(3) == b, 0.0, (1.0 + np.exp(np.pi / 3**0.5 * (mu[b] - mu) / np.sqrt(errors))) ** -2.0)
    rows = np.append(b, np.delete(np.arange(3), b))
    expected = joint_decrements(g[rows], cov[rows], 0, np.diagonal(cov) + model.noise)
    scores = model.scores(np.zeros(3), None)
    assert scores / scores.max() == pytest.approx(expected / expected.max(), rel=1e-6)


@pytest.fixture(scope="module")
def found():
    return varde.select(mark, list(GOOD), 400, contexts=KINDS, seed=2)


def test_the_answer_is_an_option_for_each_context_and_how_sure_each_is(found):
    assert found.policy == {"sums": "brief", "proofs": "steps", "history": "cite"} == found.best
    row = found["proofs"]
    assert row.best == "steps" and 0.5 < row.p_right <= 1.0 and row.n > 0
    assert row.low <= row.estimate <= row.high <= 1.0  # shares of successes
    assert row.chances["steps"] == row.p_right and sum(row.chances.values()) == pytest.approx(1.0)
    low, high = found.interval
    assert low < (0.9 + 0.8 + 0.9) / 3 < high and 0.0 <= found.expected_regret < 0.05
    assert found.p_right == pytest.approx(np.mean([found[kind].p_right for kind in KINDS]))


def test_the_answer_is_printed_saved_and_exported(found, tmp_path):
    assert (
        "3 options, by context" in str(found)
        and "brief" in str(found)
        and len(found.sentence.splitlines()) == 1
        and len(found.sentence) <= 200
    )
    found.save(tmp_path / "a.json")
    assert varde.Choices.load(tmp_path / "a.json") == found
    assert found.to_dict()["policy"] == found.policy
    assert found.to_csv().splitlines()[0].startswith("context,best_name,n,estimate")
    assert "proofs" in found.to_html() and list(found) == KINDS and len(found) == 3


def test_samples_go_where_a_context_is_still_open():
    def far_or_near(option, rng, context):
        gap = {"far": 3.0, "near": 0.3}[context]
        return gap * (option == "b") + rng.normal()

    selector, asked = varde.Selector(["a", "b"], 200, contexts=["far", "near"]), []
    while (draw := selector.ask()) is not None:
        asked.append(draw.context)
        selector.tell(draw, far_or_near(draw.option, np.random.default_rng(draw.seed), draw.context))
    assert asked.count("near") > 3 * asked.count("far")


def test_somebody_in_a_context_gets_an_option_for_that_context():
    contexts = {"small": {"size": 1.0}, "large": {"size": 9.0}}
    selector = varde.Selector(["a", "b"], 60, contexts=contexts)
    for t in range(60):
        where = ("small", "large")[t % 2]
        draw = selector.ask(context=where if t % 4 else contexts[where])
        assert draw.context is contexts[where] and draw.option in ("a", "b")
        selector.tell(draw, float(draw.option == "a") * (1.0 if where == "small" else -1.0) + 0.01 * (draw.seed % 10))
    assert selector.ask(context="small") is None  # the budget is spent
    answer = selector.recommend()
    assert answer[{"size": 1.0}].best == "a" and answer["large"].best == "b"


def test_a_draw_of_another_context_that_waits_is_not_handed_to_who_is_there():
    selector = varde.Selector(["a", "b"], 60, contexts=["x", "y"])
    draw = selector.ask(context="x")
    selector.release(draw)
    assert selector.ask(context="y").context == "y"
    assert selector.ask().id == draw.id


def test_a_file_goes_on_as_if_it_had_never_stopped(tmp_path):
    def some(selector, many):
        draws = []
        for _ in range(many):
            draw = selector.ask()
            draws.append((draw.name, draw.seed))
            selector.tell(draw, mark(draw.option, np.random.default_rng(draw.seed), draw.context))
        return draws

    whole = some(varde.Selector(list(GOOD), 90, contexts=KINDS, seed=4), 90)
    with varde.Selector(list(GOOD), 90, contexts=KINDS, seed=4, store=tmp_path / "a.db") as selector:
        parts = some(selector, 40)
    with varde.Selector.open(tmp_path / "a.db") as selector:
        parts += some(selector, 20)
    with varde.Selector(list(GOOD), 90, contexts=KINDS, seed=4, store=tmp_path / "a.db") as selector:
        parts += some(selector, 30)
        assert selector.recommend().policy["proofs"] == "steps"
    assert parts == whole
    with pytest.raises(ValueError, match=r"the store was made with (alike=True|contexts=3)"):
        varde.Selector([f"{prompt} | {kind}" for kind in KINDS for prompt in GOOD], 90, seed=4, store=tmp_path / "a.db")


def test_threads_choose_as_many_times_and_every_context_is_served():
    found = varde.select(mark, list(GOOD), 120, contexts=KINDS, workers=4)
    again = varde.select(mark, list(GOOD), 120, contexts=KINDS, workers=4)
    assert found == again and found.spent == 120


def test_contexts_without_a_result_are_judged_by_those_that_resemble_them():
    contexts = [{"x": float(x)} for x in range(10)]
    selector = varde.Selector(["up", "down"], contexts=contexts)
    for x in (0, 1, 3, 4, 5, 6, 8, 9):
        for shift in (-0.1, 0.1):
            selector.tell(f"up | x={x}.0", x - 4.5 + shift)
            selector.tell(f"down | x={x}.0", 4.5 - x + shift)
    answer = selector.recommend()
    assert answer[contexts[2]].best == "down" and answer[contexts[7]].best == "up" and answer[contexts[7]].n == 0


def test_of_statements_of_95_percent_hardly_any_is_wrong():
    stated = wrong = 0
    for seed in range(12):
        truth = np.random.default_rng([seed, 5]).normal(size=(4, 6))

        def value(option, rng, context, truth=truth):
            return truth[option, context] + rng.normal()

        answer = varde.select(value, [0, 1, 2, 3], 240, contexts={f"c{c}": c for c in range(6)}, seed=seed)
        for c, row in enumerate(answer.rows):
            stated += row.p_right >= 0.95
            wrong += row.p_right >= 0.95 and truth[row.best, c] < truth[:, c].max()
    assert stated >= 10 and wrong <= 0.05 * stated + 2.0 * (0.05 * stated) ** 0.5


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"goal": varde.Top(2)}, "write goal='max' or goal='min'"),
        ({"items": ["x", "y"]}, "leave items="),
        ({"stop": 0.05}, "leave stop="),
        ({"crn": True}, "leave crn="),
        ({"costs": [1, 2]}, "leave costs="),
        ({"contexts": [f"c{c}" for c in range(201)]}, "write at most 400"),
        ({"contexts": "proofs"}, "a list of texts"),
        ({"contexts": []}, "a list of texts"),
        ({"contexts": [{"x": 1.0}, {"y": 2.0}]}, "different parameters"),
    ],
)
def test_what_contexts_cannot_be_combined_with_is_said(how, words):
    with pytest.raises((TypeError, ValueError), match=words):
        varde.Selector(["a", "b"], 50, **({"contexts": KINDS} | how))


def test_mistakes_at_the_door_are_said():
    with pytest.raises(TypeError, match="has no parameter named context"):
        varde.select(lambda option, rng: rng.normal(), ["a", "b"], 20, contexts=KINDS)
    with pytest.raises(ValueError, match="two or more"):
        varde.Selector(["a"], 20, contexts=KINDS)
    selector = varde.Selector(["a", "b"], 20, contexts=KINDS)
    for change in (lambda: selector.add_option("c"), lambda: selector.remove_option("a | sums")):
        with pytest.raises(ValueError, match="begin another"):
            change()
    with pytest.raises(KeyError, match="there is no context 'physics': write one of sums, proofs, history"):
        selector.ask(context="physics")
    with pytest.raises(ValueError, match="has no contexts"):
        varde.Selector(["a", "b"], 20).ask(context="sums")
