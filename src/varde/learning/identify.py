"""The public doors: learn a policy from one trajectory, or score an agent over many runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._compile import is_record
from ..random import key as named_key
from ..random import stream
from ..worlds.gymnasium import from_gymnasium
from ..worlds.table import MDP, Table
from .checks import check_algorithm, check_world, restrict
from .loop import Task, continuing_only, prepare, unit_rewards
from .run import begin_run, own_report, ponder, task_of, travel
from .simulator import Simulator
from .varde import VarDENav

CERTAIN = 0.05  # a decision that is wrong with a larger probability is called uncertain


@dataclass(frozen=True)
class Learned:
    """A policy, what it is estimated to be worth, and where it may still be wrong.

    ``doubt[s]`` bounds the probability that another action is better in state s, by the delta method on the model of
    the data; it is 1 where an action was never tried.
    """

    policy: np.ndarray  # [S] an action number for every state
    values: np.ndarray  # [S] its value in the model of the data
    doubt: np.ndarray  # [S]
    visits: np.ndarray  # [S, A] how often each pair was sampled
    states: Sequence[Hashable] = field(repr=False)  # [S] names
    actions: Sequence[Hashable] = field(repr=False)  # [A] names

    @property
    def uncertain(self) -> list[Hashable]:
        """The states whose action is the best with less than 95 % certainty, most doubtful first."""
        order = np.argsort(-self.doubt, kind="stable")
        return [self.states[s] for s in order if self.doubt[s] > CERTAIN]

    @property
    def unseen(self) -> list[Hashable]:
        """The states that the trajectory never came to, as far as their actions go."""
        return [name for s, name in enumerate(self.states) if not self.visits[s].any()]

    def __getitem__(self, state: Hashable) -> Hashable:
        """The action for a state, by name."""
        if state not in self.states:
            raise KeyError(f"{state!r} is not one of the {len(self.states)} states, such as {self.states[0]!r}")
        return self.actions[self.policy[self.states.index(state)]]

    def __str__(self) -> str:
        lines = [f"a policy for {len(self.states)} states from {int(self.visits.sum())} steps"]
        shown = self.uncertain[:10]
        if shown:
            more = f" and {len(self.uncertain) - 10} more" if len(self.uncertain) > 10 else ""
            lines.append(f"uncertain in {len(self.uncertain)}: {', '.join(map(str, shown))}{more}")
        else:
            lines.append("no state is uncertain: every action is the best with probability 95 % or more")
        if self.unseen:
            lines.append(f"{len(self.unseen)} of them never visited")
        return "\n".join(lines)


# -- the door ------------------------------------------------------------------------------------


def identify_policy(
    model: Any,
    steps: int,
    discount: float = 0.99,
    *,
    agent: Any = VarDENav(),  # noqa: B008
    report: str = "model",
    seed: int = 0,
    start: Any = None,
    states: int | None = None,
    actions: int | None = None,
    episodic: bool = False,
    unreachable: str = "refuse",
) -> Learned:
    """Learn a good policy from one trajectory of ``steps`` interactions, and say where it may be wrong.

    >>> import varde
    >>> learned = varde.identify_policy(varde.river_swim(5), steps=10_000, discount=0.99)
    >>> learned.policy.tolist(), learned[0], learned.uncertain
    ([1, 1, 1, 1, 1], 'right', [])

    ``model`` is a table (``varde.tabulate``), a Gymnasium environment with a transition table, or a function
    ``simulate(state, action, generator)`` that returns ``(state, reward)``, with states and actions numbered from 0;
    write how many there are as ``states`` and ``actions``.  With ``episodic`` it returns ``(state, reward, over)``.
    An episode that is over continues at ``start``.

    ``report="model"`` returns the best policy of the model of the data, ``"own"`` what the agent itself would do.
    States that cannot be reached are refused; ``unreachable="drop"`` leaves them out, as is done for Gymnasium.
    """
    check_algorithm(agent, steps, discount)
    if report not in ("model", "own"):
        raise ValueError(f'report is {report!r}: write "model" or "own"')
    if unreachable not in ("refuse", "drop"):
        raise ValueError(f'unreachable is {unreachable!r}: write "refuse" or "drop"')
    key = named_key(seed, "identify-policy")
    if callable(model) and not is_record(model) and not hasattr(model, "unwrapped"):
        return _learn_simulator(agent, model, steps, discount, report, key, start, states, actions, episodic)
    world = as_world(model, start)
    if unreachable == "drop" or hasattr(model, "unwrapped"):
        world = restrict(world)
    check_world(agent, world)
    task, table = task_of(world, discount, steps)
    return _learn(agent, table, task, report, key, world.states, world.actions)


def _learn(
    agent: Any, model: Any, task: Task, report: str, key: np.ndarray, states: Sequence[Any], actions: Sequence[Any]
) -> Learned:
    run = begin_run(agent, task, stream(key))
    while travel(agent, model, run, task.budget):
        ponder(agent, run)
    plans = prepare(VarDENav(), task)
    plans.assess[0] = 1
    if report == "own":
        own_report(agent, run, plans.reported.policy)
    ponder(VarDENav(), run._replace(memory=plans))
    found = plans.reported if report == "own" else plans.doubts.solution
    shown = slice(0, len(states))
    visits = np.where(task.discounts[:, None] > 0.0, run.seen.rewards.counts, 0)
    return Learned(
        found.policy[shown], found.values[shown], plans.doubts.wrong[shown], visits[shown], list(states), list(actions)
    )


def _learn_simulator(
    agent: Any,
    function: Callable[..., Any],
    steps: int,
    discount: float,
    report: str,
    key: np.ndarray,
    start: Any,
    states: int | None,
    actions: int | None,
    episodic: bool,
) -> Learned:
    for name, given, least in (("states", states, 1), ("actions", actions, 2)):
        if given is None or given != int(given) or given < least:
            raise ValueError(f"{name} is {given}: a simulator needs to be told how many it has, {least} or more")
    assert states is not None and actions is not None
    first = 0 if start is None else start
    if first != int(first) or not 0 <= first < states:
        raise ValueError(f"start is {start!r}: write a state from 0 to {states - 1}")
    if episodic and continuing_only(agent):
        raise ValueError(f"{type(agent).__name__} needs a task that goes on: let episodes restart, or use VarDENav()")
    discounts = np.full(states + episodic, float(discount))
    if episodic:
        discounts[-1] = 0.0
    generator = np.random.default_rng([int(word) for word in key])
    model = Simulator(function, generator, states + episodic, actions, bool(episodic), bool(unit_rewards(agent)))
    size = discounts.size
    task = Task(
        discounts,
        np.full(size, int(actions)),
        np.array([size]),
        float(discount),
        int(actions),
        int(first),
        int(steps),
    )
    return _learn(agent, model, task, report, key, range(states), range(actions))


def as_world(model: Any, start: Any = None) -> Table:
    """A table, from whatever form it was given in."""
    if isinstance(model, Table):
        world = model
    elif isinstance(model, MDP):
        size = model.pairs.size - 1
        world = Table(model, range(size), range(int(np.diff(model.pairs).max())), 0, {s: s for s in range(size)})
    elif hasattr(model, "unwrapped"):
        if not getattr(model.unwrapped, "P", None):
            raise TypeError(
                f"{model} has no transition table env.unwrapped.P: write a function simulate(state, action, generator) "
                "of its dynamics and give that, with states= and actions="
            )
        world = from_gymnasium(model)
    else:
        raise TypeError(
            f"model is a {type(model).__name__}: write a table (varde.tabulate), a Gymnasium environment with a "
            "transition table, or a function simulate(state, action, generator)"
        )
    if start is None:
        return world
    return Table(world.model, world.states, world.actions, world.state(start), world.index)
