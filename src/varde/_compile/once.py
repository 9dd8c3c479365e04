"""Compile each function once, in the kernel that uses it.

Numba optimises and assembles a library for every function, and a library holds all functions that it calls: a helper
at the bottom of seven calls is compiled seven times, and all but the last are thrown away.  Here a helper becomes a
``Part``, which is only written down; the ``Whole`` of a kernel takes in all parts, and LLVM goes over it once.

Importing this fails where Numba lacks a name that is needed; then its own pipeline does the work, in twice the time.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack

from .notice import safe_point


class Part(JITCodeLibrary):
    """The code of one helper.  It has no address: it exists in what it is linked into.

    LLVM's quick passes over single functions stay: without them compiling took as long, within the noise.
    """

    @property
    def codegen(self) -> Any:
        return Nowhere(self._codegen)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def own_module(self) -> Any:
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """With all that it calls, for a library of Numba's own, which takes in what it calls and no more."""
        module = self.own_module().clone()
        for library in gather(self._linking_libraries):
            module.link_in(module_of(library), preserve=True)
        return module


class Nowhere:
    """The code generator for code without an address: there is no environment to set."""

    def __init__(self, codegen: Any):
        self._own = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def set_env(self, env_name: str, env: Any) -> None:
        pass


class Whole(JITCodeLibrary):
    """The code of a kernel with all of its parts."""

    def finalize(self) -> None:
        for library in gather(self._linking_libraries):
            if hasattr(library, "_reload_init"):  # since Numba 0.62
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(module_of(library), preserve=True)
        self._linking_libraries = []
        safe_point()  # the last: from here on it is LLVM's, and goes on to the end
        super().finalize()


def module_of(library: Any) -> Any:
    return library.own_module() if isinstance(library, Part) else library._get_module_for_linking()


def gather(libraries: list[Any]) -> list[Any]:
    """These and all that they call, callers first: LLVM takes in only what something there already refers to."""
    found: dict[int, Any] = {}  # in the order in which they are left: what is called comes before its callers
    entered: set[int] = set()

    def visit(library: Any) -> None:
        if id(library) in entered:
            return
        entered.add(id(library))
        for called in library._linking_libraries if isinstance(library, Part) else ():
            visit(called)
        found[id(library)] = library

    for library in libraries:
        visit(library)
    return list(found.values())[::-1]


def pipeline(library_class: type) -> type:
    class Compiler(CompilerBase):
        def define_pipelines(self) -> Any:
            state, caller = self.state, ConfigStack.top_or_none()
            caller.forceinline, caller.no_cpython_wrapper = True, True  # or a helper is compiled for both
            if state.library is None:
                state.library = library_class(state.targetctx.codegen(), state.func_id.func_qualname)
                state.library.enable_object_caching()
            return [DefaultPassBuilder.define_nopython_pipeline(state)]

    return Compiler


def check(library: Any) -> None:
    """AttributeError unless this Numba has the private names used above."""
    for name in ("_raise_if_finalized", "_finalize_dynamic_globals", "_get_module_for_linking"):
        getattr(JITCodeLibrary, name)
    for name in ("_linking_libraries", "_final_module", "_finalized", "enable_object_caching"):
        getattr(library, name)
    getattr(library.codegen, "set_env")  # noqa: B009


check(JITCodeLibrary(cpu_target.target_context.codegen(), "probe"))
PART, WHOLE = pipeline(Part), pipeline(Whole)
