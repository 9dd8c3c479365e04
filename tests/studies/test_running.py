"""Running: blocks in any order, on anything, kept as they finish; the result does not show it."""

import multiprocessing
import os
import time
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.long import times
from varde import VarDE
from varde.decisions import LogSumExp, Nesterov
from varde.paper import GROUPS, STUDIES
from varde.studies import Answer, Cell, Paper, Statement, Study, run
from varde.studies.executors import ClusterError, hired
from varde.studies.fingerprint import environment
from varde.studies.measuring import CellName, WorkerError, measure_block, measure_named
from varde.studies.running import MeasureError, compiles_much, complete, plan, quick
from varde.studies.store import Blocks, unpacked
from varde.studies.study_files import load, read

from .coins import write_coins


@pytest.fixture
def coins(tmp_path):
    source = read(write_coins(tmp_path / "coins.py", runs=23))
    return load(source)["coins"], source


@pytest.fixture
def store(tmp_path):
    with Blocks(tmp_path / "blocks.db") as store:
        yield store


class Backwards(Executor):
    """Answers all it was given in the meantime, the last first, whenever one more is asked for."""

    def __init__(self, patience):
        self.patience, self.waiting = patience, []

    def submit(self, function, *args):
        future = Future()
        self.waiting.append((future, function, args))
        if len(self.waiting) == self.patience:
            for given, act, on in reversed(self.waiting):
                given.set_result(act(*on))
            self.waiting.clear()
        return future


def finish(study, runs=None, seed=0, store=None, pool=None, source=None, **how):
    made = plan(study, runs or study.runs, seed, store, source)
    if pool is not None:
        [done] = complete([made], pool, store=store, **how)
        return made
    with hired(2) as workers:
        [done] = complete([made], workers.executor, store=store, **how)
    assert done is made
    return made


def test_a_second_time_nothing_is_measured(coins, store):
    study, _ = coins
    first = finish(study, store=store)
    assert first.reused == 0 and len(store) == len(first.portions) == 4 * 5
    again = finish(replace(study, cells=[replace(cell) for cell in study.cells]), store=store)
    assert again.reused == 20 and again.rows() == first.rows() == run(study)
    assert again.seconds == first.seconds > 0.0


def test_processes_are_for_many_new_cells_of_ours(coins, store, monkeypatch):
    study, source = coins
    monkeypatch.setattr("varde.studies.running.MANY", 4)
    made = plan(study, 10, 0, store)
    assert compiles_much([made]) and not compiles_much([plan(study, 10, 0, store, source)])
    finish(replace(study, cells=study.cells[:1]), 5, store=store)
    assert not compiles_much([plan(study, 10, 0, store)]), "only three are new"


def test_the_blocks_of_a_cell_follow_each_other(coins):
    study, _ = coins
    done = []
    made = finish(study, pool=Backwards(1), room=lambda: 1, tick=lambda of, block: done.append(block.fingerprint))
    assert done == [portion.fingerprint for portion in made.portions]


def test_more_runs_reuse_what_is_there(coins, store):
    study, _ = coins
    finish(study, 10, store=store)
    more = finish(study, 20, store=store)
    assert more.reused == 4 * 2 and more.rows() == run(study, 20)
    fewer = finish(study, 15, store=store)
    assert fewer.reused == 4 * 3 and fewer.rows() == run(study, 15)
    rest = finish(study, 23, store=store)  # a last block of three runs is not the first part of one of five
    assert rest.reused == 4 * 4 and finish(study, 25, store=store).reused == 4 * 4


def test_another_setting_reuses_nothing(coins, store):
    study, source = coins
    finish(study, store=store)
    for other, how in (
        (study, {"seed": 1}),
        (study, {"source": source}),
        (replace(study, name="other"), {}),
        (replace(study, block=6), {"runs": 12}),
        (replace(study, cells=[replace(cell, setting="x") for cell in study.cells]), {}),
    ):
        assert plan(other, how.get("runs", 20), how.get("seed", 0), store, how.get("source")).reused == 0


def test_a_damaged_block_is_measured_again(coins, store):
    study, _ = coins
    whole = finish(study, store=store)
    [(key, sums)] = store.execute("SELECT fingerprint, runs FROM blocks LIMIT 1").fetchall()
    store.execute("UPDATE blocks SET runs = ? WHERE fingerprint = ?", (sums[:-1] + b"?", key))
    again = finish(study, store=store)
    assert again.reused == 19 and again.rows() == whole.rows()
    assert finish(study, store=store).reused == 20


def fail_late(key, first, runs):
    if first >= 15:
        raise ZeroDivisionError("oh")
    return np.ones((runs, 1))


def test_a_failing_measure_is_named_and_the_rest_is_kept(store):
    study = Study("s", "", [Cell("p", "a", "", (1,), fail_late)], 30, block=5)
    with pytest.raises(MeasureError, match=r"s: a on p, runs 15 to 19: ZeroDivisionError: oh") as caught:
        finish(study, store=store, room=lambda: 1)
    assert isinstance(caught.value.__cause__, ZeroDivisionError) and len(store) == 3


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (lambda key, first, runs: np.ones(runs), r"shape \(5,\): return \[runs, numbers\] = \(5, 1\)"),
        (lambda key, first, runs: np.ones((runs, 2)), r"shape \(5, 2\)"),
        (lambda key, first, runs: np.full((runs, 1), np.nan), "not finite"),
        (lambda key, first, runs: "text", "measure returns 'text', which is no array of real numbers"),
        (lambda key, first, runs: np.full((runs, 1), 1j), "which is no array of real numbers"),
    ],
)
def test_a_measure_is_checked(values, words):
    with pytest.raises(MeasureError, match=words):
        run(Study("s", "", [Cell("p", "a", "", (1,), values)], 5, block=5))


def test_the_order_of_completion_does_not_show(coins):
    study, _ = coins
    done = []
    made = finish(study, pool=Backwards(20), room=lambda: 20, tick=lambda of, block: done.append(block.fingerprint))
    assert sorted(done) == sorted(portion.fingerprint for portion in made.portions) and made.rows() == run(study)


class Counting(Executor):
    """Works at once."""

    def __init__(self):
        self.futures = []

    def submit(self, function, *args):
        future = Future()
        try:
            future.set_result(function(*args))
        except ZeroDivisionError as error:
            future.set_exception(error)
        self.futures.append(future)
        return future


def test_what_succeeded_beside_a_failure_is_kept(store):
    study = Study("s", "", [Cell("p", "a", "", (1,), fail_late)], 30, block=5)
    with pytest.raises(MeasureError):
        finish(study, store=store, pool=Counting(), room=lambda: 6)
    assert len(store) == 3


def test_no_more_is_under_way_than_there_is_room_for(coins):
    study, _ = coins
    pool, ticks = Counting(), []
    finish(study, pool=pool, room=lambda: 3, tick=lambda of, block: ticks.append(len(pool.futures) - len(ticks)))
    assert len(ticks) == 20 and max(ticks) <= 3


def test_workers_do_not_compile_the_same_kernels_at_once():
    """A block of each kind first; when all that is left is of one kind, it is shared out after all."""

    def measure(algorithm, key, first, runs):
        return np.zeros((runs, 1))

    def cell(name, algorithm):
        return Cell("p", name, "", (1,), partial(measure, algorithm))

    class Watched(Backwards):
        def submit(self, function, cell, *args):
            order.append(cell.algorithm)
            return super().submit(function, cell, *args)

    warm, cold, sparse = VarDE(LogSumExp(1.0)), VarDE(LogSumExp(0.1)), VarDE(Nesterov(0.5))
    cells = [cell("warm", warm), cell("cold", cold), cell("hot", warm), cell("sparse", sparse)]
    for some, expected in ((cells, ["warm", "sparse", "cold", "hot"]), (cells[:2], ["warm", "cold"])):
        order: list[str] = []
        finish(Study("s", "S", some, 1, block=1), pool=Watched(2), room=lambda: 2)
        assert order == expected


def test_several_studies_in_one_queue(coins, store):
    study, _ = coins
    plans = [plan(replace(study, name=name), 10, 0, store) for name in ("a", "b", "c")]
    pool = Counting()
    names = []
    for finished in complete(plans, pool, lambda: 7, store):
        names.append(finished.study.name)
    assert names == ["a", "b", "c"] and len(store) == 24


def test_other_processes_give_the_same(coins, store):
    """By name: the worker loads the study itself."""
    study, source = coins
    for kind in (source, None):
        here = study if kind else replace(STUDIES["ablation"](), runs=2, block=1)
        if kind is None:
            here = replace(here, cells=here.cells[:1])
        with hired(2, processes=True) as workers:
            made = plan(here, here.runs, 0, store, kind)
            list(complete([made], workers.executor, workers.room, store, by_name=workers.by_name))
        assert made.rows() == run(here)


def test_a_worker_with_other_code_is_an_error(coins):
    study, source = coins
    made = plan(study, 5, 0, source=source)
    where = CellName(source, "coins", "coin", "share 0")
    assert measure_named(where, 0, made.portions[0], environment())[1] > 0.0
    with pytest.raises(WorkerError, match=r"numba is .* there, 0.1 here\): install the same on all machines"):
        measure_named(where, 0, made.portions[0], {**environment(), "numba": "0.1"})
    with pytest.raises(WorkerError, match="is not the same on a worker"):
        measure_named(where, 1, made.portions[0], environment())


@pytest.mark.parametrize("name", times(list(STUDIES)[::4], STUDIES))
def test_quick_is_a_part_of_the_whole(name):
    study = STUDIES[name]()
    part, few = quick(study)
    assert 1 <= few <= study.runs and (few % study.block == 0 or few == study.runs) and part.cells
    some, whole = (
        {portion.fingerprint for portion in plan(*of, 0).portions} for of in ((part, few), (study, study.runs))
    )
    assert some <= whole


def test_quick_may_take_some_problems_and_then_grades_nothing(coins):
    cells = [replace(cell, problem=cell.algorithm) for cell in coins[0].cells]
    says = Statement("never heads", "law", {"coins": lambda rows: Answer("holds", "0 of 10")})
    paper = Paper("Coins", [replace(coins[0], cells=cells, quick_problems=["share 0"])], [says])
    part, runs = quick(paper.studies["coins"]())
    assert [cell.problem for cell in part.cells] == ["share 0"]
    [answer] = part.findings(run(part, runs))
    assert (answer.grade, answer.words) == ("too few runs", "measured on 1 of 4 problems only")
    assert paper.studies["coins"]().findings(run(paper.studies["coins"](), 5))[0].grade == "holds"


def test_quick_is_a_tenth_in_whole_blocks_or_what_the_study_says(coins):
    study = replace(coins[0], runs=200, block=15)
    assert [quick(replace(study, quick=runs))[1] for runs in (None, 1, 100, 1000)] == [30, 15, 105, 200]
    assert quick(replace(study, runs=10, block=1))[1] == 2, "an error takes two"


def test_all_is_the_whole_paper():
    whole = *GROUPS["bai"], *GROUPS["mcts"], *GROUPS["bpi"], *GROUPS["theory"], "sailing-wind"
    assert GROUPS["all"] == (*whole, "noise-spread", "held-out")  # which belong on the first screen


def test_the_address_of_a_cluster_is_checked():
    words = "write the scheduler's address, tcp://HOST:PORT, or local"
    with pytest.raises(ClusterError, match=words), hired(cluster="somewhere"):
        pass


def test_any_executor_will_do_also_one_that_pickles():
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    here = replace(STUDIES["ablation"](), runs=2, block=1)
    here = replace(here, cells=here.cells[:1])
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert run(here, pool=pool) == run(here)


def test_a_measure_may_round_otherwise_in_a_shorter_block():
    """Sums over arrays of other lengths do: a value that is 0 but for rounding is no other number."""

    def rounded(key, first, runs):
        return np.arange(first, first + runs)[:, None] % 4 - 2.0 + 1e-16 * runs

    values, _ = measure_block(Cell("p", "a", "", (1,), rounded), 0, 0, 8, twice=True)
    assert unpacked(values).shape == (8, 1)


def test_workers_that_are_dismissed_after_a_failure_are_all_that_is_killed():
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60.0,))
    other.start()
    with pytest.raises(ZeroDivisionError), hired(1, processes=True) as workers:
        worker = workers.executor.submit(os.getpid).result()
        raise ZeroDivisionError
    assert other.is_alive()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    other.kill()
    other.join()
