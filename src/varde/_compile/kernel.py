"""A kernel: a door from Python into machine code, kept on disk between processes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, overload

from . import notice
from .cache import cache_folder
from .engine import is_package, kernel_options, lock, numba
from .records import canonical, is_ours, is_plain


class Kernel:
    """Compiled on first call for each combination of record types.

    Specialisations of the package's own kernels for its own records are stored on disk.  What mentions a
    user's file is not: a stored index that names a class of a file that has gone cannot be loaded at all.
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
        config = numba().config
        with lock:  # Numba reads the folder from its global settings while the function is decorated
            before, config.CACHE_DIR = config.CACHE_DIR, folder
            try:
                dispatcher = numba().njit(cache=True, **kernel_options(self.gil))(self.python)
            finally:
                config.CACHE_DIR = before
        with contextlib.suppress(ImportError):  # a Numba that keeps its files in another way
            from .kept import keep_well

            keep_well(dispatcher)
        return dispatcher

    def dispatcher(self, args: tuple[Any, ...]) -> Any:
        """Numba's function for these arguments."""
        return self.stored if all(map(is_ours, args)) else self.unstored

    def __call__(self, *args: Any) -> Any:
        args = tuple(map(canonical, args))
        return (self.dispatcher(args) if all(map(is_plain, args)) else self.python)(*args)


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, gil: bool) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Any = None, *, gil: bool = False) -> Any:
    """Make ``function`` a door into machine code; ``kernel.python`` is the other engine.

    ``gil=True`` keeps the GIL, for calls that take less time than giving it away and asking for it again.
    """
    return functools.partial(Kernel, gil=gil) if function is None else Kernel(function)
