"""Rounds of runs until it is clear which command is fastest."""

import numpy as np
import pytest

from varde.timing import Bench
from varde.timing.bench import standing_out

from .fake import Machine, Pretended, bench_of


def pair(seed, ratio, **machine):
    machine = Machine(seed, **machine)
    return [Pretended("slow", ratio, machine), Pretended("fast", 1.0, machine)]


def runs_of(bench):
    return [len(timing.runs) for timing in bench.timings]


def test_a_clear_case_takes_few_runs():
    bench = bench_of(pair(1, 1.2))
    assert (bench.stopped, bench.best.name) == ("sure", "fast") and sum(runs_of(bench)) <= 20
    assert bench.ratio(bench.timings[0])[0] == pytest.approx(1.2, abs=0.03)


def test_two_percent_are_found_while_the_machine_drifts_by_far_more():
    answers = [bench_of(pair(seed, 1.02, drift=0.02)) for seed in range(12)]
    assert all(bench.stopped == "sure" and bench.best.name == "fast" for bench in answers)


def test_without_common_rounds_the_drift_would_hide_it():
    """The spread of single runs is several times the difference that is found."""
    bench = bench_of(pair(3, 1.02, drift=0.02))
    assert bench.timings[0].seconds.std() > 0.04


def test_spikes_stand_out_and_are_made_again():
    bench = bench_of(pair(5, 1.05, spikes=0.1), runs=60)
    timing = bench.best
    assert timing.counted.sum() == 60 and 0 < (~timing.counted).sum() < 15
    assert np.quantile(timing.seconds[timing.counted], 0.9) < 1.3 < timing.seconds.max()


def test_what_stands_out_all_the_time_counts():
    class Bimodal(Pretended):
        def run(self, errors):
            taken, code = super().run(errors)
            return taken * (3.0 if self.machine.rng.random() < 0.35 else 1.0), code

    machine = Machine(2)
    bench = bench_of([Bimodal("now and then three times", 1.0, machine), Pretended("steady", 1.3, machine)], runs=60)
    assert bench.timings[0].counted.mean() > 0.85 and bench.best.name == "steady"


def test_a_slow_first_run_does_not_decide_and_is_noticed():
    machine = Machine(4)
    commands = [Pretended("cold", 1.0, machine, first=10.0), Pretended("slower", 1.1, machine)]
    bench = bench_of(commands, warm_up=0)
    assert bench.best.name == "cold" and bench.timings[0].first_slow > 8.0
    assert bench.timings[1].first_slow is None


def test_equal_commands_are_called_equal():
    for seed in (1, 2, 3):
        bench = bench_of(pair(seed, 1.0))
        assert bench.stopped == "sure" and bench.decided and abs(bench.ratio(bench.timings[0])[0] - 1.0) < 0.02


def test_hopeless_commands_are_run_no_more_and_with_runs_all_are():
    machine = Machine(6)
    commands = [Pretended(str(mean), mean, machine) for mean in (1.0, 1.006, 3.0)]
    bench = bench_of(commands)
    assert runs_of(bench)[2] < 0.5 * max(runs_of(bench))
    assert {timing.counted.sum() for timing in bench_of(commands, runs=15).timings} == {15}


def test_the_answer_does_not_depend_on_the_unit():
    first, second = (
        bench_of(pair(9, 1.03)),
        bench_of([Pretended("slow", 1030.0, m := Machine(9)), Pretended("fast", 1e3, m)]),
    )
    assert (first.best.name, runs_of(first)) == (second.best.name, runs_of(second))
    assert first.found.p_right == pytest.approx(second.found.p_right, rel=1e-6)


def test_standing_out_is_measured_by_the_middle():
    assert standing_out(np.array([1.0, 1.01, 0.99, 1.0, 1.02, 5.0])).tolist() == [False] * 5 + [True]
    assert not standing_out(np.full(9, 0.25)).any()


@pytest.mark.parametrize(("names", "why"), [(["a"], "there are 1 commands to compare"), (["a", "a"], "comes twice")])
def test_commands_that_cannot_be_compared_are_refused(names, why):
    with pytest.raises(ValueError, match=why):
        Bench([Pretended(name, 1.0, Machine(0)) for name in names])
