"""A kernel: a door from Python into machine code, kept on disk between processes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, overload

from . import notice
from .cache import cache_folder
from .engine import is_package, kernel_options, numba
from .fields import in_python
from .records import canonical, is_ours, is_plain


class Kernel:
    """Compiled on first call for each combination of record types.

    Specialisations of the package's own kernels for its own records are stored on disk.  What mentions a
    user's file is not: of that nobody knows what it depends on.
    """

    def __init__(self, function: Callable[..., Any], gil: bool = False):
        functools.update_wrapper(self, function)
        self.python, self.gil = function, gil
        self.entries: dict[Any, Any] = {}  # what doors call, by types
        notice.kernels.add(function)

    @functools.cached_property
    def unstored(self) -> Any:
        return numba().njit(**kernel_options(self.gil))(self.python)

    @functools.cached_property
    def stored(self) -> Any:
        folder = cache_folder() if is_package(self.python.__module__) else None
        if folder is None:
            return self.unstored
        dispatcher = numba().njit(**kernel_options(self.gil))(self.python)
        with contextlib.suppress(ImportError):  # a Numba that keeps compiled code in another way: each process compiles
            from .kept import Kept

            dispatcher._cache = Kept(self.python, kernel_options(self.gil), folder)
        return dispatcher

    def dispatcher(self, args: tuple[Any, ...]) -> Any:
        """Numba's function for these arguments."""
        return self.stored if all(map(is_ours, args)) else self.unstored

    def __call__(self, *args: Any) -> Any:
        args = tuple(map(canonical, args))
        return self.dispatcher(args)(*args) if all(map(is_plain, args)) else self.python(*map(in_python, args))


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, gil: bool) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Any = None, *, gil: bool = False) -> Any:
    """Make ``function`` a door into machine code; ``kernel.python`` is the other engine.

    ``gil=True`` keeps the GIL, for calls that take less time than giving it away and asking for it again.
    """
    return functools.partial(Kernel, gil=gil) if function is None else Kernel(function)
