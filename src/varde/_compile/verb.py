"""Functions of both engines.

helper   plain Python when called from Python, machine code inside a kernel.
verb     the same, chosen by the type of its first argument.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .engine import FOREIGN, is_package, numba, part_options, when_loaded
from .records import extended

F = TypeVar("F", bound=Callable[..., Any])


def helper(function: Any = None, *, apart: bool = False) -> Any:
    """Let kernels call ``function``; from Python it stays what it is.

    ``apart`` keeps it out of its callers: for a body so long that the call costs nothing and copies of it would take
    long to compile.
    """
    if function is None:
        return functools.partial(helper, apart=apart)

    def register() -> None:
        options = part_options(apart) if is_package(function.__module__) else FOREIGN
        numba().extending.overload(function, strict=False, jit_options=options)(lambda *args: function)

    when_loaded(register)
    return function


def verb(function: Any = None, *, fallback: bool = False) -> Any:
    """Let the type of the first argument choose the function: ``@verb.of(Record)`` adds a case.

    With ``fallback`` the decorated body serves the types nobody named.
    """
    if function is None:
        return functools.partial(verb, fallback=fallback)
    table: dict[type, Callable[..., Any]] = {}
    name = function.__name__

    def find(cls: type) -> Callable[..., Any]:
        if cls not in table and not fallback:
            raise TypeError(f"{name} is not defined for {cls.__name__}: write @{name}.of({cls.__name__})")
        return table.get(cls, function)

    @functools.wraps(function)
    def call(record: Any, *args: Any) -> Any:
        return find(type(record))(record, *args)

    def resolve(record: Any, *args: Any) -> Any:
        found = find(getattr(record, "instance_class", type(record)))
        return found if is_package(found.__module__) else trampoline(found)

    def register() -> None:
        numba().extending.overload(call, strict=False, jit_options=part_options())(resolve)

    def of(cls: type) -> Callable[[F], F]:
        def register(implementation: F) -> F:
            if cls in table:
                # Compiled code may already contain the first definition; a second would be ignored there.
                raise TypeError(
                    f"{name} is already defined for {cls.__name__}: make a record of your own "
                    f"(in a notebook, run the cell that defines {cls.__name__} again first)"
                )
            if not is_package(implementation.__module__):
                extended.add(cls)
            table[cls] = implementation
            return implementation

        return register

    when_loaded(register)
    # mypy does not know function attributes; these two are the public face of a verb.
    call.of, call.find = of, find  # type: ignore[attr-defined]
    return call


@functools.cache
def trampoline(function: Callable[..., Any]) -> Callable[..., Any]:
    """A user's function is compiled by itself, as Numba does; ours calls it."""
    compiled = numba().njit(**FOREIGN)(function)

    def call(record: Any, *args: Any) -> Any:
        return compiled(record, *args)

    return call
