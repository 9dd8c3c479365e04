"""What a kernel can reach: the functions, constants and records that its machine code is made of.

The walk goes over the functions in memory, which are what Numba compiles: from a function to the globals it names, its
defaults and what it closes over, and through a verb to the functions that serve the types at hand.  Those are the types
in the signature and those that reached code names, since it may make records of them.

It is better to compile once too often than to run outdated code: if the walk finds something it does not understand it
raises ``UnclearError``, and the kernel is not kept.  It reads memory, not files, so a constant that a test or a
benchmark replaces counts as well.
"""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .engine import is_package
from .kernel import Kernel
from .records import is_record
from .verb import Verb, kept_apart

PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)
LIBRARIES = {"builtins", "math", "numpy"}  # of which the version stands for the code
LAYER = __name__.rpartition(".")[0]  # this folder: its files count whole


class UnclearError(Exception):
    """It is unclear how compiled code uses this value."""


def reached(function: FunctionType, classes: Iterable[type]) -> tuple[list[str], set[Any]]:
    """What the machine code of ``function`` for these record types depends on: as lines of text, and the functions."""
    walk = Walk(classes)
    walk.visit(function)
    walk.follow_verbs()
    return sorted(walk.lines), walk.seen


class Walk:
    def __init__(self, classes: Iterable[type]):
        self.classes = list(classes)  # by which verbs choose
        self.lines: set[str] = set()
        self.seen: set[Any] = set()
        self.verbs: list[Verb] = []

    def visit(self, value: Any) -> str:
        """The value as text; what it refers to is visited too."""
        if isinstance(value, PLAIN):
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            bits = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            return f"array {value.dtype.str} {value.shape} {bits}"
        if isinstance(value, tuple):
            kind = self.visit(type(value)) if is_record(value) else "tuple"
            return f"{kind}({', '.join(map(self.visit, value))})"
        if isinstance(value, ModuleType):
            if value.__name__ in LIBRARIES or is_own_module(value):
                return f"module {value.__name__}"  # ``names`` looks into the package's own
        elif isinstance(value, Kernel):
            return f"kernel {self.visit(value.python)}"
        elif library_of(value) in LIBRARIES:
            return name_of(value)
        elif isinstance(value, (FunctionType, Verb, type)) and is_package(value.__module__):
            if value.__module__.startswith(f"{LAYER}."):
                return name_of(value)
            if value not in self.seen:
                self.seen.add(value)
                self.enter(value)
            return name_of(value)
        raise UnclearError(f"{value!r:.100}")

    def enter(self, value: Any) -> None:
        """Meet a function, a verb or a class for the first time."""
        if isinstance(value, Verb):
            self.verbs.append(value)
        elif isinstance(value, FunctionType):
            self.lines.add(self.function_line(value))
        elif issubclass(value, tuple) and hasattr(value, "_fields"):
            self.classes.append(value)
            defaults = self.visit(tuple(value._field_defaults.items()))
            self.lines.add(f"record {name_of(value)} {value._fields} {value.__annotations__} {defaults}")
        elif not issubclass(value, BaseException):
            raise UnclearError(f"{value!r}")

    def function_line(self, function: FunctionType) -> str:
        apart = " apart" if function in kept_apart else ""
        words = [f"function {name_of(function)}{apart} {code_words(function.__code__, function.__doc__)}"]
        words += [f"{name} = {self.visit(value)}" for name, value in names(function)]
        words += [self.visit(value) for value in closure(function)]
        words.append(self.visit(function.__defaults__))
        words.append(self.visit(tuple((function.__kwdefaults__ or {}).items())))
        return " ; ".join(words)

    def follow_verbs(self) -> None:
        """Through each verb to what serves each class, until nothing new turns up."""
        verbs, classes = 0, 0
        while (verbs, classes) != (len(self.verbs), len(self.classes)):
            verbs, classes = len(self.verbs), len(self.classes)
            for verb in self.verbs[:verbs]:
                if verb.fallback:
                    self.lines.add(f"verb {name_of(verb)} otherwise {self.visit(verb.body)}")
                for cls in self.classes[:classes]:
                    if (case := verb.serving(cls)) is not None:
                        self.lines.add(f"verb {name_of(verb)} of {name_of(cls)} {self.visit(case)}")


def names(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The global names in a function, with what they mean; of the package's own modules, what is read from them.

    An attribute with the name of a global counts as that global: once too often does no harm.
    """
    here, found = function.__globals__, code_names(function.__code__)
    modules: list[Any] = [here[name] for name in found if is_own_module(here.get(name))]
    for name in sorted(found):
        for scope in (here, vars(builtins)):
            if name in scope:
                yield name, scope[name]
                break
        yield from ((f"{module.__name__}.{name}", vars(module)[name]) for module in modules if name in vars(module))


def closure(function: FunctionType) -> list[Any]:
    """What a function closes over."""
    try:
        return [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError as error:  # not yet set
        raise UnclearError(name_of(function)) from error


def code_names(code: CodeType) -> set[str]:
    """The names of globals and attributes in code, with the functions inside it."""
    inner = (code_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)


def is_own_module(value: Any) -> bool:
    return isinstance(value, ModuleType) and is_package(value.__name__)


def code_words(code: CodeType, documentation: str | None = None) -> str:
    """The code of a function without its documentation and the places of its lines."""
    constants = list(code.co_consts)
    if constants and documentation is not None and constants[0] == documentation:
        constants[0] = None
    written = [constant_words(constant) for constant in constants]
    shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    outside = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return f"{code.co_code.hex()} {code.co_exceptiontable.hex()} {shape} {outside} {written}"


def constant_words(constant: Any) -> str:
    if isinstance(constant, CodeType):
        return code_words(constant)
    if isinstance(constant, frozenset):  # in an order that changes from process to process
        return f"frozenset {sorted(map(constant_words, constant))}"
    return f"{type(constant).__name__} {constant!r}"


def library_of(value: Any) -> str:
    """The library that a function or class belongs to; nothing for an object of another kind."""
    if not isinstance(value, (FunctionType, BuiltinFunctionType, np.ufunc, type)):
        return ""
    if isinstance(value, np.ufunc):
        return "numpy"
    return (value.__module__ or "").partition(".")[0]


def name_of(value: Any) -> str:
    return f"{value.__module__}.{getattr(value, '__qualname__', None) or value.__name__}"
