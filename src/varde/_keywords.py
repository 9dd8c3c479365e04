"""Keywords that a call does not have: the error names the right word, and signatures stay typed.

People come with the words of other libraries (``gamma``, ``n_trials``, ``n_jobs``), or with a setting that belongs to a
record (``margin``, ``timeout``), or to another of our calls.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from .check import shown

F = TypeVar("F", bound=Callable[..., Any])

BUDGET = (
    "n_trials max_evals n_evals n_calls n_iter num_samples iterations n_iterations simulations num_simulations steps "
)
BUDGET += "n_steps timesteps total_timesteps evaluations n_samples samples trials rollouts"
SAME = {  # a word from elsewhere: ours
    **dict.fromkeys(BUDGET.split(), "budget"),
    **dict.fromkeys(["gamma", "discount_factor"], "discount"),
    **dict.fromkeys(["n_jobs", "jobs", "n_workers", "num_workers", "threads", "processes", "parallel"], "workers"),
    **dict.fromkeys(["random_state", "rng", "random_seed"], "seed"),
    **dict.fromkeys(["depth", "max_depth", "max_steps", "max_episode_steps", "lookahead"], "horizon"),
    **dict.fromkeys(["max_time", "time_limit", "time_budget"], "seconds"),
    **dict.fromkeys(["storage", "db", "file", "path", "checkpoint"], "store"),
    **dict.fromkeys(["verbose", "show_progress", "show_progress_bar", "progress_bar"], "progress"),
    **dict.fromkeys(["alpha", "delta", "confidence"], "stop"),
    **dict.fromkeys(["env", "environment", "simulator"], "world"),
    **dict.fromkeys(["arms", "candidates", "choices"], "options"),
    **dict.fromkeys(["func", "objective", "fn"], "function"),
    **dict.fromkeys(["action_space"], "actions"),
}
GOALS = {"minimize": "min", "minimise": "min", "min": "min", "maximize": "max", "maximise": "max", "max": "max"}
RECORDS = {  # a setting in a record
    **dict.fromkeys(
        ["retries", "backoff", "patience", "per_second", "timeout", "expire", "ordered", "bounds"],
        ("calls", "varde.Calls({})"),
    ),
    "margin": ("stop", "varde.Stop(0.05, {})"),
}


def helpful(**instead: str) -> Callable[[F], F]:
    """Decorate a function or a constructor; ``instead`` says of some keywords what to do, and why."""

    def decorate(function: F) -> F:
        known = inspect.signature(function).parameters
        what = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def checked(*given: Any, **named: Any) -> Any:
            for name, value in named.items():
                if name not in known:
                    raise TypeError(message(what, name, value, known, instead))
            return function(*given, **named)

        return cast(F, checked)

    return decorate


def message(what: str, name: str, value: Any, known: Mapping[str, Any], instead: Mapping[str, str]) -> str:
    """What is wrong with a keyword, and what to write."""
    has = f"{what} has no {name}="
    if name in instead:
        return f"{has}: {instead[name].replace('{}', shown(value))}"
    if name in ("direction", "mode", "sense", "maximize", "maximise", "minimize", "minimise"):
        if "goal" not in known:
            return f"{has}: rewards are to be high; write the negative of what is to be low"
        wanted = GOALS.get(str(value).lower(), "max")
        if name in GOALS:
            wanted = GOALS[name] if value else {"min": "max", "max": "min"}[GOALS[name]]
        return f'{has}: write goal="{wanted}"'
    if name in SAME and SAME[name] in known:
        sample = {"progress": "True", "stop": "0.05"}.get(SAME[name], shown(value))
        if SAME[name] == "workers" and not (isinstance(value, int) and value > 0):  # -1 means all cores elsewhere
            sample = "4"
        return f"{has}: write {SAME[name]}={sample}"
    if name in SAME and SAME[name] in instead:
        return f"{has}: {instead[SAME[name]].replace('{}', shown(value))}"
    if name in RECORDS:
        keyword, record = RECORDS[name]
        if keyword in known:
            return f"{has}: write {keyword}={record.format(f'{name}={shown(value)}')}"
        if keyword in instead:
            return f"{has}: {instead[keyword].replace('=...', '=' + record.format(f'{name}={shown(value)}'))}"
    import difflib  # here and not above: nobody who imports varde waits for it

    ours = [one for one in known if one not in ("self", "cls")]
    near = difflib.get_close_matches(name, ours, 1, 0.7)
    hint = f"did you mean {near[0]}=?" if near else f"its parameters are {', '.join(ours)}"
    return f"{has}: {hint}"
