"""Functions of both engines.

helper   plain Python when called from Python, machine code inside a kernel.
verb     the same, chosen by the type of its first argument.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np

from .engine import FOREIGN, in_kernels, is_package, numba
from .records import compare_types_too, extended

F = TypeVar("F", bound=Callable[..., Any])


def helper(function: Any = None, *, apart: bool = False, loops: Any = None) -> Any:
    """Let kernels call ``function``; from Python it stays what it is.

    ``apart`` keeps it out of its callers: for a body so long that the call costs nothing and copies of it would take
    long to compile.  ``loops`` is what kernels call instead, if ``function`` uses numpy, which is faster in Python, and
    would allocate in a kernel: the same operations in the same order.
    """
    if function is None:
        return functools.partial(helper, apart=apart, loops=loops)

    in_kernels(function, lambda *args: loops or function, apart)
    return function


def _whole(record: Any, given: Any) -> Any:
    return given & -1  # which Numba refuses for anything else


@helper(loops=_whole)
def whole_number(record: Any, given: Any) -> Any:
    """What a verb of ``record`` returned, if it is a whole number; compiled code accepts nothing else."""
    if not isinstance(given, (int, np.integer)):
        raise TypeError(f"{type(record).__name__} returned {given!r:.100}: return a whole number")
    return given


class Cases(dict[type, Callable[..., Any]]):
    """The functions of a verb by type; what serves a type without a case of its own is found once."""

    def __init__(self, find: Callable[[type], Callable[..., Any]]):
        self.find = find

    def __missing__(self, cls: type) -> Callable[..., Any]:
        self[cls] = found = self.find(cls)
        return found


class Verb:
    """A function chosen by the type of its first argument: ``@verb.of(Record)`` adds a case.

    The body of a ``fallback`` serves all types without a case of their own.  The verb that every algorithm of a family
    needs says what such an ``algorithm`` does and how to call it, for one that went to another family.
    """

    families: ClassVar[list[Verb]] = []

    def __init__(self, body: Callable[..., Any], fallback: bool = False, algorithm: str = ""):
        self.body, self.fallback, self.algorithm, self.name = body, fallback, algorithm, body.__name__
        self.cases: dict[type, Callable[..., Any]] = {}
        self.serving = Cases(self.find)
        if algorithm:
            self.families.append(self)
        # What is called: a plain function with just the arguments it needs, three times as fast as a method.
        self.function = functools.update_wrapper(dispatch(body.__code__.co_argcount)(self.serving), body)
        vars(self.function).update(of=self.of, find=self.find, cases=self.cases, body=body)
        in_kernels(self.function, self.resolve)

    def find(self, cls: type) -> Callable[..., Any]:
        """The function for a type."""
        if cls in self.cases or self.fallback:
            return self.cases.get(cls, self.body)
        for family in self.families if self.algorithm else ():
            if cls in family.cases:
                raise TypeError(f"{cls.__name__}() {family.algorithm}")
        raise TypeError(f"{self.name} is not defined for {cls.__name__}: write @{self.name}.of({cls.__name__})")

    def of(self, *classes: type) -> Callable[[F], F]:
        """Define the verb for these types by the decorated function."""

        def add(case: F) -> F:
            for cls in classes:
                if cls in self.cases:
                    # Compiled code may already contain the first definition; a second would be ignored there.
                    raise TypeError(
                        f"{self.name} is already defined for {cls.__name__}: make a record of your own "
                        f"(in a notebook, run the cell that defines {cls.__name__} again first)"
                    )
                if not is_package(case.__module__):
                    self.check(case)
                    extended.add(cls)
                self.cases[cls] = self.serving[cls] = case
                compare_types_too(cls)
            return case

        return add

    def check(self, case: Callable[..., Any]) -> None:
        """Refuse a function that cannot be called as this verb is."""
        names = list(inspect.signature(self.body).parameters)
        try:
            inspect.signature(case).bind(*names)
        except TypeError:
            raise TypeError(
                f"{case.__name__}{inspect.signature(case)} cannot be called as {self.name} is: "
                f"write def {case.__name__}({', '.join(names)})"
            ) from None

    def resolve(self, record: Any, *args: Any) -> Any:
        """What compiled code calls for arguments of these types of Numba."""
        found = self.find(getattr(record, "instance_class", type(record)))
        return found if is_package(found.__module__) else guest(found, (record, *args))


@functools.cache
def dispatch(arguments: int) -> Callable[[Cases], Any]:
    """What makes a function of so many arguments that is chosen by the type of the first."""
    names = ", ".join(f"_{i}" for i in range(arguments))
    made: Callable[[Cases], Any] = eval(f"lambda cases: lambda {names}: cases[type(_0)]({names})")
    return made


def verb(function: Any = None, **settings: Any) -> Any:
    """Make ``function`` a verb; with ``fallback=True`` its body serves all other types."""
    return functools.partial(verb, **settings) if function is None else Verb(function, **settings).function


class UncompiledError(TypeError):
    """A user's function contains something that Numba does not compile; Numba lets this one through as it is."""


_guests: dict[Callable[..., Any], Any] = {}


def guest(function: Callable[..., Any], types: tuple[Any, ...]) -> Callable[..., Any]:
    """A user's function is compiled by itself, in Numba's own way; ours calls it.

    It is compiled here, where a mistake can be told in a line: later, Numba would tell it in ninety.
    """
    compiled = _guests.setdefault(function, numba().njit(**FOREIGN)(function))
    try:
        compiled.compile(types)
    except (numba().NumbaError, AssertionError) as error:  # which older versions raise, without a word
        raise UncompiledError(in_short(function, str(error))) from None

    def call(record: Any, *args: Any) -> Any:
        return compiled(record, *args)

    return call


def in_short(function: Callable[..., Any], words: str) -> str:
    """What Numba does not compile, and where, from the many lines that it writes."""
    lines = [line.strip() for line in words.splitlines()]
    said = next((line for line in lines if line and not line.startswith("Failed in")), "Numba does not say why")
    called = next((f" {line.removeprefix('>>> ')}" for line in lines if line.startswith(">>> ")), "")
    place = re.search(r'File "[^"]*", line (\d+):', words)
    at = int(place[1]) if place else function.__code__.co_firstlineno
    file = function.__code__.co_filename
    source = linecache.getline(file, at).strip()
    return (
        f"{function.__name__} cannot be compiled ({file}, line {at}: {source}): {said}{called}. Write it with numbers, "
        "arrays and loops, as Numba needs it"
    )
