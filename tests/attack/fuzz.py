"""Calls of the public API with arguments that nobody would write.

Each call ends in a right result (finite, within range, the budget kept) or in a ValueError or TypeError that says what
to write; anything else is a finding: another exception, words that do not help, a wrong result, a hang, a crash.

    python -m tests.attack.fuzz                    a long run with a fresh seed, which it prints
    python -m tests.attack.fuzz --seed 7 --calls 500 --engine compiled
    python -m tests.attack.fuzz --only 7/123       that one call again, with its traceback
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import re
import secrets
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import varde
from tests.attack.arguments import (
    ODD,
    Ends,
    Env,
    Rng,
    action_lists,
    algorithm,
    arrays,
    bandit,
    decision,
    explorer,
    learners,
    modest,
    odd,
    options,
    searchers,
    table,
    words,
)
from tests.attack.isolated import isolated
from varde import certainty, testing
from varde._compile import using
from varde.certainty.stopping import Results
from varde.selection.evidence import Evidence
from varde.worlds.world import as_world

PATIENCE = {"python": 10.0, "compiled": 90.0}  # seconds of computing that a call may take, most of them compiling
WAIT = 6.0  # times as long may go by altogether
SHARD = 250  # calls per process of a long run
WORLD = varde.tabulate(
    {
        "a": {"x": [(0.5, "b", 1.0), (0.5, "a", 0.0)], "y": [(1.0, "c", 0.5)]},
        "b": {"x": [(1.0, "c", 1.0)], "y": [(1.0, "a", 0.0)]},
        "c": {},
    }
)
LAKE = varde.tabulate(
    {s: {"x": [(0.5, 1 - s, 1.0), (0.5, s, 0.0)], "y": [(1.0, s, 0.5 * s)]} for s in (0, 1)}, bernoulli=True
)


class Call(NamedTuple):
    """A call and what is to be looked at afterwards."""

    given: Any  # to be printed
    go: Callable[[], Any]


# -- one generator per door ----------------------------------------------------------------------


def finite(numbers: Any, what: str) -> None:
    assert np.isfinite(np.asarray(numbers, float)).all(), f"{what} is {numbers}"


def kept_in(settings: dict[str, Any], r: Rng, share: float = 0.2, strange: float = 0.4) -> dict[str, Any]:
    """Some of the settings, some of those replaced by something odd."""
    return {name: odd(r, usual, strange) for name, usual in settings.items() if r.random() < share}


def check_measured(measured: Any, budget: Any, runs: Any) -> None:
    assert measured.at[-1] == budget, f"the budget is {budget}, the last checkpoint {measured.at}"
    assert measured.values.shape == (runs, measured.at.size), measured.values.shape
    finite(measured.values, "values")
    finite(measured.regret, "regret")


def measure_bandit(r: Rng) -> Call:
    a, b = odd(r, lambda: algorithm(r), 0.03), odd(r, lambda: bandit(r), 0.03)
    budget = modest(odd(r, lambda: r.choice([10, 20, 40, 60]), 0.15))
    rest = {"runs": 2} | kept_in({"at": [5, 10], "runs": 2, "seed": 2, "workers": 1, "shuffle": True}, r)
    rest["engine"] = odd(r, "python", 0.03)
    for name in ("runs", "workers"):
        rest[name] = modest(rest.get(name, 1), 5)

    def go() -> None:
        measured = varde.bandits.measure(a, b, budget, **rest)
        check_measured(measured, budget, rest["runs"])
        size = np.size(varde.bandits.problems.true_means(b))
        assert 0 <= measured.answers.min() <= measured.answers.max() < size, measured.answers

    return Call((a, b, budget, rest), go)


def decide(r: Rng) -> Call:
    d, values = odd(r, lambda: decision(r), 0.05), odd(r, lambda: arrays(r), 0.1)
    name = r.choice(["evaluate", "gradient"])

    def go() -> None:
        found = getattr(varde.decisions, name)(d, values)
        finite(found, name)
        if name == "gradient":
            assert found.shape == np.shape(values), found.shape

    return Call((name, d, values), go)


def check_selection(found: Any) -> None:
    str(found), repr(found), found.to_csv(), found.to_html()
    json.dumps(found.to_dict(), allow_nan=False)
    total = sum(row.p_best for row in found.rows)
    assert abs(total - 1.0) < 1e-6, f"chances sum to {total}"
    assert 0.0 <= found.p_right <= 1.0, found.p_right
    regret = found.expected_regret  # nan if nothing shows how noisy results are
    assert np.isnan(regret) or 0.0 <= regret < np.inf, f"regret is {regret}"
    finite([row.mean for row in found.rows if row.n], "a mean")


SELECTOR = {
    "goal": lambda r: r.choice(["max", "min"]),
    "seed": 3,
    "crn": True,
    "costs": lambda r: r.choice([[1, 2, 3], [1, 2], {"x": 1, "y": 3}, [1e-9, 1e9, 1]]),
    "calls": varde.Calls(retries=1),
    "stop": lambda r: r.choice([0.05, varde.Stop()]),
}


def selector_settings(r: Rng) -> dict[str, Any]:
    settings = {name: (lambda usual=usual: usual(r)) if callable(usual) else usual for name, usual in SELECTOR.items()}
    return kept_in({**settings, "warm_start": lambda: r.choice([1, 2, 9])}, r)


def selector(r: Rng) -> Call:
    choices, budget = odd(r, lambda: options(r), 0.1), odd(r, lambda: r.choice([10, 20, 30, None]), 0.3)
    settings = selector_settings(r) | kept_in({"calls": varde.Calls(expire=10.0)}, r)
    scale = r.choice([1.0, 1.0, 1.0, 1e-200, 1e140, -1e-5])
    values = [odd(r, lambda: scale * r.random(), 0.08) for _ in range(40)]
    asked = [modest(odd(r, None, 0.05), 3) for _ in range(40)]

    def go() -> None:
        found, refused = varde.Selector(choices, budget, **settings), []
        for value, n in zip(values, asked, strict=True):
            try:
                draws = found.ask(n)
            except (ValueError, TypeError) as error:
                refused.append(error)
                continue
            for draw in draws if isinstance(draws, list) else [draws]:
                if draw is None:
                    continue
                try:
                    found.tell(draw, value)
                except (ValueError, TypeError) as error:
                    refused.append(error)
                    found.fail(draw, value)
        if found.spent:
            check_selection(found.recommend())
        if found.budget is not None:
            assert found.spent <= found.budget + 1e-6 * abs(found.budget), f"{found.spent} of {found.budget} spent"
        for error in refused:
            if not helps(error):
                raise error

    strange = [v for v in values if not isinstance(v, float) or not 0 <= v <= 1]
    return Call((choices, budget, settings, strange, [n for n in asked if n is not None]), go)


def changes(r: Rng) -> Call:
    """Whatever else can be done to a selection."""
    verbs = ["add_option", "add_budget", "release", "fail", "tell", "tell", "note", "recommend", "ask"]
    steps = [
        (
            r.choice([*verbs, "batch", "tell_many"]),
            [modest(odd(r, lambda: r.choice(["a", "b", 1, 2, 0.5]), 0.4)) for _ in "xx"],
        )
        for _ in range(12)
    ]
    fields = ("successes", "trials", "mean", "sem", "n", "value", "option")
    batches = [{name: odd(r, lambda: r.choice([1, 3, 0.5]), 0.2) for name in r.sample(fields, 3)} for _ in range(3)]
    budget = r.choice([None, 20])

    def go() -> None:
        found, refused = varde.Selector(["a", "b", "c"], budget), []
        for draw in found.ask(4):
            found.tell(draw, draw.seed / 2**31)
        for name, given in steps:
            try:
                if name == "batch":
                    found.tell_many([(given[0], batches[0]), {"option": given[1], **batches[1]}], skip=given[0] == "a")
                    found.tell(given[0], **{key: batches[2][key] for key in batches[2] if key != "option"})
                    continue
                getattr(found, name)(*given[: 2 if name in ("fail", "tell", "note", "add_option") else 1])
            except (ValueError, TypeError) as error:
                refused.append(error)
        check_selection(found.recommend())
        for error in refused:
            if not helps(error):
                raise error

    return Call((budget, steps, batches), go)


def select(r: Rng) -> Call:
    choices = r.choice([["a", "b", "c"], {"x": 1, "y": 2}, [1, 2, 3]])
    answer, budget = odd(r, 0.5, 0.5), modest(odd(r, 10, 0.2), 40)
    settings = selector_settings(r) | kept_in(
        {"workers": 2, "calls": varde.Calls(timeout=1.0, ordered=False), "progress": False, "seconds": 1.0},
        r,
        0.2,
        0.5,
    )
    settings["workers"] = modest(settings.get("workers", 1), 4)
    settings.setdefault("seconds", 5.0)  # where half of all calls fail, pauses are long
    failing = r.choice(
        [None, None, None, ZeroDivisionError("x"), SystemError(), MuteError(), MemoryError(), StopIteration()]
    )

    def own(option: Any, rng: Any) -> Any:
        if failing is not None and rng.random() < 0.3:
            raise failing
        return answer if rng.random() < 0.3 else rng.random()

    function = odd(r, lambda: own, 0.05)
    return Call((choices, answer, budget, settings, failing), lambda: _select(function, choices, budget, settings))


def _select(function: Any, choices: Any, budget: Any, settings: dict[str, Any]) -> None:
    try:
        driven = {name: settings[name] for name in ("workers", "progress", "seconds") if name in settings}
        selector = varde.Selector(choices, budget, **{name: settings[name] for name in settings if name not in driven})
        check_selection(varde.select(function, selector, **driven))
    except RuntimeError as error:
        if not re.search(r"no call has worked: .* in a row \(the last, of ", str(error)):
            raise


class MuteError(Exception):
    """Cannot be printed."""

    def __str__(self) -> str:
        raise ValueError("no words")


def check_move(move: Any, budget: Any, stopped: bool = False) -> None:
    str(move)
    assert move.certificate.spent == budget or stopped, f"{move.certificate.spent} of {budget} simulations"
    finite(move.value, "the value")
    finite([value for action, value in move.values.items() if move.visits[action]], "a value")
    if move.chances:
        assert abs(sum(move.chances.values()) - 1.0) < 1e-6, f"chances {move.chances}"
        loss = move.certificate.loss  # nan if all returns were equal: nothing shows how noisy they are
        assert np.isnan(loss) or 0.0 <= loss < np.inf, f"loss {loss}"


def plan_settings(r: Rng) -> dict[str, Any]:
    settings = {"workers": 1, "graph": True, "keep": True, "seed": 3, "stop": 0.1, "seconds": 1.0, "batch": 2}
    found = kept_in({**settings, "algorithm": lambda: searchers(r)}, r, 0.15)
    for name in ("workers", "batch"):
        found |= {name: modest(found[name], 3)} if name in found else {}
    found["tree"] = varde.planning.Growth(
        **{name: found.pop(name) for name in ("graph", "keep", "batch") if name in found}
    )
    return found


def plan(r: Rng) -> Call:
    budget, settings = modest(odd(r, 15, 0.15), 40), plan_settings(r)
    settings |= {"horizon": odd(r, 4, 0.15), "discount": odd(r, 0.9, 0.15)}
    kind = r.choice(["table", "function", "described", "object", "environment"])
    world, state = WORLD, "a"
    if kind in ("object", "environment"):
        world, state = Ends(r) if kind == "object" else Env(r), None
    if kind == "function":
        world, settings["actions"], state = explorer(r), odd(r, lambda: action_lists(r), 0.1), 0
    elif kind == "described":
        world = table(r)
    world, state = odd(r, lambda: world, 0.03), odd(r, state, 0.1)

    def go() -> None:
        given = varde.tabulate(world) if kind == "described" and isinstance(world, dict) else world
        early = "stop" in settings or "seconds" in settings
        limits = {name: settings[name] for name in ("stop", "seconds") if name in settings}
        planner = varde.Planner(given, **{name: settings[name] for name in settings if name not in limits})
        check_move(planner(state, budget, **limits), budget, early)

    return Call((kind, words(world), state, budget, settings), go)


def tabulate(r: Rng) -> Call:
    described, start = odd(r, lambda: table(r), 0.05), odd(r, "a", 0.15)
    rest = kept_in({"bernoulli": True, "starts": {"a": 0.5, "b": 0.5}}, r, 0.1)
    discount, policy = odd(r, 0.9, 0.2), odd(r, lambda: [0, 0, 0], 0.1)

    def go() -> None:
        world = varde.tabulate(described, start, **rest)
        chosen, values = varde.best_policy(world, discount)
        finite(values, "values of the best policy")
        assert ((chosen >= 0) & (chosen < np.maximum(world.model.states["width"], 1))).all(), chosen
        finite(varde.policy_values(world, policy, discount), "values of a policy")

    return Call((described, start, rest, discount, policy), go)


def measure_search(r: Rng) -> Call:
    a, budget, rest = odd(r, lambda: searchers(r), 0.03), modest(odd(r, 15, 0.15), 40), {"horizon": 4, "runs": 1}
    rest |= kept_in({"horizon": 3, "discount": 0.9, "runs": 2, "at": [5], "seed": 1, "graph": True}, r)
    rest |= {"engine": odd(r, "python", 0.03), "workers": 1, "runs": modest(rest["runs"], 3)}
    world = odd(r, WORLD, 0.03)

    def go() -> None:
        check_measured(varde.planning.measure(a, world, budget, **rest), budget, rest["runs"])

    return Call((a, words(world), budget, rest), go)


def check_policy(policy: Any, budget: Any, early: bool = False) -> None:
    str(policy), policy.uncertain, policy.untried_states
    finite(list(policy.values.values()), "values")
    doubt = np.array(list(policy.doubt.values()))
    assert ((doubt >= 0.0) & (doubt <= 1.0)).all(), f"doubt {doubt}"
    assert policy.spent <= budget and (early or policy.spent > 0), f"{policy.spent} of {budget} steps"
    for state in policy:
        sure = policy.certificate(state)
        assert abs(sum(sure.chances.values()) - 1.0) < 1e-6, sure


def learn(r: Rng) -> Call:
    budget, settings = modest(odd(r, 30, 0.2), 60), {"discount": odd(r, 0.9, 0.15)}
    settings |= kept_in({"algorithm": lambda: learners(r), "seed": 1, "seconds": 1.0}, r, 0.3)
    kind = r.choice(["table", "function", "described", "object", "environment"])
    world = Ends(r) if kind == "object" else Env(r) if kind == "environment" else LAKE
    if kind == "function":
        world, settings["start"], settings["actions"] = (
            explorer(r),
            odd(r, 0, 0.1),
            odd(r, lambda: action_lists(r), 0.1),
        )
    elif kind == "described":
        world = table(r)
    world = odd(r, lambda: world, 0.03)

    def go() -> None:
        given = varde.tabulate(world) if kind == "described" and isinstance(world, dict) else world
        check_policy(varde.learn(given, budget, **settings), budget, "seconds" in settings)

    return Call((kind, words(world), budget, settings), go)


def learner(r: Rng) -> Call:
    settings = {"actions": action_lists(r), **kept_in({"discount": 0.9, "seed": 1}, r)}
    settings |= kept_in({"algorithm": lambda: learners(r)}, r, 0.3)
    told = [(odd(r, r.random, 0.05), odd(r, lambda: r.randrange(3), 0.03), odd(r, False, 0.03)) for _ in "x" * 40]

    def go() -> None:
        found, refused, state = varde.Learner(**settings), [], 0
        for reward, after, over in told:
            try:
                found.tell(state, found.ask(state), reward, after, over)
                state = 0 if over else after
            except (ValueError, TypeError, varde.SimulationError) as error:
                refused.append(error)
                state = 0
        for error in refused:
            if not helps(error):
                raise error
        if len(refused) < len(told):
            check_policy(found.recommend(), len(told))

    return Call((settings, told), go)


def measure_learning(r: Rng) -> Call:
    a, budget, rest = odd(r, lambda: learners(r), 0.03), modest(odd(r, 30, 0.15), 60), {"runs": 1}
    rest |= kept_in({"discount": 0.9, "runs": 2, "at": [5], "seed": 1, "report": "model"}, r)
    rest |= {"engine": odd(r, "python", 0.03), "workers": 1, "runs": modest(rest["runs"], 3)}
    world = odd(r, LAKE, 0.03)

    def go() -> None:
        check_measured(varde.learning.measure(a, world, budget, **rest), budget, rest["runs"])

    return Call((a, words(world), budget, rest), go)


ENVIRONMENTS = [("river_swim", 1, 1), ("forked_river_swim", 1, 2), ("frozen_lake", 0, 4), ("sailing", 0, 4)]
ENVIRONMENTS += [("taxi", 0, 4), ("synthetic_tree", 2, 4)]


def environment(r: Rng) -> Call:
    name, least, most = r.choice(ENVIRONMENTS)
    many = r.randint(least, most)
    given = [modest(odd(r, lambda: r.choice([2, 3, 5, 0.1]), 0.6), 5) for _ in range(many)]

    def go() -> None:
        found = getattr(varde.environments, name)(*given)
        finite(found.means if name == "synthetic_tree" else found.model.outcomes["reward"], "means")

    return Call((name, given), go)


def stopping(r: Rng) -> Call:
    given = kept_in({"delta": 0.05, "margin": 0.1, "bounds": (0.0, 1.0)}, r, 0.5)
    scale = r.choice([1.0, 1e-200, 1e100])
    counts, means, squares = np.full(3, 10.0), scale * np.array([0.2, 0.5, 0.9]), scale * scale * np.ones(3)

    def go() -> None:
        results = Results(counts, means, squares, lambda i: np.full(10, means[i]))
        assert varde.Stop(**given).satisfied(results) in (True, False)

    return Call((given, scale), go)


def certify(r: Rng) -> Call:
    k, scale = r.choice([2, 3, 8]), r.choice([1.0, 1e-200, 1e140, 1e-300])
    values = [
        np.array([scale * r.choice([r.random(), 0.0, 1.0]) for _ in range(r.choice([1, 2, 9]))]) for _ in range(k)
    ]

    def go() -> None:
        sure = certainty.assess(certainty.from_values(values))
        finite(sure.chances, "chances")
        assert abs(sure.chances.sum() - 1.0) < 1e-6, sure.chances

    return Call(values, go)


def judge(r: Rng) -> Call:
    names = options(r)
    values = [odd(r, lambda: arrays(r), 0.1) for _ in range(3)]

    def go() -> None:
        check_selection(varde.Selection.of(Evidence(["a", "b", "c"], ["a", "b", "c"], values)))

    return Call((names, values), go)


def contract(r: Rng) -> Call:
    name, given = r.choice([("check_decision", decision), ("check_bandit", bandit), ("check_world", table)])
    record = odd(r, lambda: given(r), 0.1)
    if r.random() < 0.2:  # the others take long, unless there is something wrong
        name, record = r.choice([name for name in testing.__all__ if name.startswith("check")]), r.choice(ODD)

    def go() -> None:
        found = varde.tabulate(record) if name == "check_world" and isinstance(record, dict) else record
        with contextlib.suppress(AssertionError):  # a contract that is broken
            getattr(testing, name)(found, *{"check_bandit": (200,), "check_world": (50,)}.get(name, ()))

    return Call((name, record), go)


def world_of(r: Rng) -> Call:
    given, actions = odd(r, lambda: r.choice([WORLD, WORLD.model, explorer(r)]), 0.3), odd(r, None, 0.3)
    rest = kept_in({"start": 0, "key": lambda: str}, r, 0.2)
    return Call((words(given), actions, rest), lambda: as_world(given, actions, **rest))


DOORS: dict[Callable[[Rng], Call], int] = {
    measure_bandit: 5, decide: 3, selector: 5, select: 2, tabulate: 3, plan: 6, learn: 3,
    learner: 2, measure_search: 2, measure_learning: 2, environment: 1, stopping: 1, certify: 1, judge: 1, contract: 1,
    world_of: 1, changes: 2,
}  # fmt: skip


# -- what came of it -----------------------------------------------------------------------------

VERBS = "write return tell give use leave take let ask see name add rescale make begin measure change install wrap"
VERBS += " draw save put"
ADVICE = re.compile(rf":.*\b({VERBS.replace(' ', '|')})\b", re.S)


def helps(error: BaseException) -> bool:
    """Whether an error says what to write."""
    if isinstance(error, varde.SimulationError):
        return re.search("in state|at its start", str(error)) is not None
    return isinstance(error, (ValueError, TypeError)) and ADVICE.search(str(error)) is not None


class Ended(NamedTuple):
    kind: str
    detail: str = ""
    where: str = ""


class Hang(BaseException):
    """Raised by the alarm; no handler of errors catches it."""


def _alarm(*_: Any) -> None:
    raise Hang


def set_alarm(seconds: float) -> None:
    for clock, name in ((signal.ITIMER_VIRTUAL, signal.SIGVTALRM), (signal.ITIMER_REAL, signal.SIGALRM)):
        signal.signal(name, _alarm)
        signal.setitimer(clock, seconds if clock == signal.ITIMER_VIRTUAL else WAIT * seconds)


def attempt(call: Call, patience: float) -> Ended:
    """Make a call, and say how it ended: right, refused, unhelpful, wrong, other or hang."""
    set_alarm(patience)
    try:
        call.go()
        return Ended("right")
    except Hang as error:
        return Ended("hang", f"longer than {patience:g} s", place(error))
    except AssertionError as error:
        own = traceback.extract_tb(error.__traceback__)[-1].filename == __file__
        return Ended("wrong" if own else "other", f"AssertionError: {error}", place(error))
    except KeyError as error:  # a function of the user's may fail in its own way
        return Ended("right" if "on purpose" in str(error) else "other", f"KeyError: {error}", place(error))
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        detail = f"{type(error).__name__}: {error}"
        kind = "refused" if helps(error) else "unhelpful" if isinstance(error, (ValueError, TypeError)) else "other"
        return Ended(kind, detail[:300], place(error))
    finally:
        set_alarm(0.0)


def place(error: BaseException) -> str:
    """The last line of the package that an error passed."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/varde/" in f.filename]
    return f"{frames[-1].filename.rpartition('/varde/')[2]}:{frames[-1].lineno}" if frames else "-"


def call_of(seed: int, number: int, only: str = "") -> tuple[str, Call | None]:
    r = Rng(f"{seed}/{number}")
    r.temper = r.choice([1.0, 0.5, 0.1, 0.05])
    doors = {door: weight for door, weight in DOORS.items() if only in ("", door.__name__)}
    (door,) = r.choices(list(doors), doors.values())
    try:
        return door.__name__, door(r)
    except (ValueError, TypeError, OverflowError, ArithmeticError):
        return door.__name__, None  # not even the arguments can be made


@contextlib.contextmanager
def engine_of(name: str) -> Any:
    """Let every kernel run in Python: no time to compile, and errors instead of crashes."""
    with using(name), np.errstate(all="ignore"):
        yield


def run(seed: int, first: int, calls: int, engine: str = "python", only: str = "") -> list[dict[str, Any]]:
    """Make calls, one line of JSON before each (who crashes cannot say what it was) and one after."""
    found = []
    warnings.simplefilter("ignore")
    with engine_of(engine):
        for number in range(first, first + calls):
            door, call = call_of(seed, number, only)
            if call is None:
                continue
            given = f"{door}{call.given!r}"[:600]
            print(json.dumps({"call": f"{seed}/{number}", "given": given}), flush=True)
            began = time.monotonic()
            ended = attempt(call, PATIENCE[engine])
            found.append({"call": f"{seed}/{number}", "door": door, "given": given, **ended._asdict()})
            found[-1]["seconds"] = round(time.monotonic() - began, 2)
            print(json.dumps(found[-1]), flush=True)
    return found


SHARDED = """
import sys
from tests.attack import fuzz
fuzz.run(*map(int, sys.argv[1:4]), *sys.argv[4:])
"""


def in_processes(seed: int, calls: int, engine: str = "python", only: str = "") -> list[dict[str, Any]]:
    """The same in a process for each SHARD of the calls; one that crashes or hangs is a finding."""
    found: list[dict[str, Any]] = []
    for first in range(0, calls, SHARD):
        many = min(SHARD, calls - first)
        while many > 0:
            ended = isolated(SHARDED, seed, first, many, engine, only, timeout=SHARD * PATIENCE[engine])
            lines = [json.loads(line) for line in ended.out.splitlines() if line.startswith('{"call"')]
            found += [line for line in lines if "kind" in line]
            if ended.code == 0:
                break
            begun = lines[-1] if lines else {"call": f"{seed}/{first}", "given": ended.err[-300:]}
            found.append({**begun, "door": "-", "kind": "crash", "detail": str(ended.code), "where": ended.err[-300:]})
            done = int(begun["call"].partition("/")[2]) + 1
            first, many = done, many - (done - first)
    return found


FINE = ("right", "refused")


def summary(found: list[dict[str, Any]]) -> str:
    """How the calls ended, and one example of each kind of finding."""
    kinds = collections.Counter(line["kind"] for line in found)
    lines = [", ".join(f"{many} {kind}" for kind, many in kinds.most_common())]
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for line in found:
        if line["kind"] not in FINE:
            groups.setdefault((line["kind"], line["where"], line["detail"][:40]), []).append(line)
    for (kind, where, _), group in sorted(groups.items(), key=lambda item: -len(item[1])):
        one = group[0]
        lines.append(f"{len(group):4} {kind} at {where}: {one['detail']}\n       {one['call']}  {one['given'][:300]}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--engine", choices=["python", "compiled"], default="python")
    parser.add_argument("--door", default="", help="only calls of this generator")
    parser.add_argument("--only", default="", help="one call, such as 7/123")
    given = parser.parse_args()
    if given.only:
        seed, number = map(int, given.only.split("/"))
        _, call = call_of(seed, number, given.door)
        with engine_of(given.engine):
            print(call.given)  # type: ignore[union-attr]
            call.go()  # type: ignore[union-attr]
        return 0
    seed = secrets.randbits(20) if given.seed is None else given.seed
    print(f"seed {seed}, {given.calls} calls, engine {given.engine}", flush=True)
    found = in_processes(seed, given.calls, given.engine, given.door)
    print(summary(found))
    return int(any(line["kind"] not in FINE for line in found))


if __name__ == "__main__":
    sys.exit(main())
