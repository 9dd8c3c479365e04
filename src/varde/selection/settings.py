"""Rules and options as JSON and back, and whether a file is that of the program that opens it."""

from __future__ import annotations

import json
from typing import Any

from .._compile import is_record


def rule_to(rule: Any) -> Any:
    """A record as [name, field, ...]; a user's record is named after its module too."""
    if is_record(rule):
        home = type(rule).__module__
        name = type(rule).__name__ if home.split(".")[0] == __name__.split(".")[0] else f"{home}.{type(rule).__name__}"
        return [name, *map(rule_to, rule)]
    return rule.tolist() if hasattr(rule, "tolist") else rule


def rule_from(saved: Any, given: Any) -> Any:
    """The record that ``saved`` stands for; one of the user's own must be ``given``."""
    import varde

    if given is not None:
        return given
    if not isinstance(saved, list):
        return saved
    record = getattr(varde, saved[0], None)
    if record is None:
        raise ValueError(f"the file was made with the rule {saved[0]}: write rule={saved[0].split('.')[-1]}(...)")
    return record(*(rule_from(field, None) for field in saved[1:]))


def check_settings(path: Any, given: dict[str, Any], saved: dict[str, Any]) -> None:
    """Refuse to go on with a file under other settings than it was made with."""
    for name in ("goal", "rng", "crn", "rule"):
        if given[name] != saved[name]:
            raise ValueError(
                f"{path} was made with {name}={shown(saved[name])}, this is {name}={shown(given[name])}: "
                "write what the file has, or another file"
            )


def check_options(
    path: Any,
    entries: list[tuple[str, Any]],
    costs: list[float],
    saved: list[tuple[str, str | None, float]],
    size: int,
) -> None:
    """Refuse other options than the file has; those added later may be left out if the file knows them."""
    known = {name: (value, cost, i) for i, (name, value, cost) in enumerate(saved)}
    for (name, option), cost in zip(entries, costs, strict=True):
        if name not in known:
            raise ValueError(
                f"{path} has no option {name!r}: open it with the options it has and write add_option({name!r}), "
                "or write another file"
            )
        value, before, _ = known.pop(name)
        now = as_json(option)
        if value != now:
            raise ValueError(
                f"{path} has {name!r} as {value or 'an object'}, this is {now or repr(option)}: give it another name"
            )
        if before != cost:
            raise ValueError(f"{path} has {name!r} at a cost of {before:g}, this is {cost:g}: write what the file has")
    for name, (value, _, i) in known.items():
        if i < size or value is None:
            raise ValueError(f"{path} has the option {name!r}, which is not among those given: write it too")


def shown(setting: Any) -> str:
    """A setting as a user writes it."""
    if isinstance(setting, list):
        return f"{setting[0]}({', '.join(map(shown, setting[1:]))})"
    return repr(setting)


def as_json(option: Any) -> str | None:
    """The option as JSON, or None if reading that would give something else."""
    try:
        text = json.dumps(option, allow_nan=False)
        return text if json.loads(text) == option and type(json.loads(text)) is type(option) else None
    except (TypeError, ValueError):
        return None
