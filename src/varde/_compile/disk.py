"""Machine code on disk: a file for each kernel and the types of its records, loaded without Numba.

Importing Numba takes 0.2 s, and what it has compiled needs none of it: an object file, which LLVM links in a few
milliseconds, and two C extensions of Numba's that make a Python function of an address.

The first half of a file's name is a digest of the package's text and of the types; the second half one of the processor
and of what Numba is.  Nothing is replaced: other code has another name.  A checksum guards each file, since machine
code with a bit turned over would run.  Files are written under another name and moved, so that processes may write at
once, or be killed.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import pickle
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from .._files import package_digest
from .engine import PACKAGE
from .records import in_words

SIZE = hashlib.sha256().digest_size
SUFFIX = ".kernel"
UNUSED = 60 * 24 * 3600.0  # seconds after which a file goes that nobody has read
# Settings of Numba that do not change the code it makes; all others count.
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER"}


def cache_folder() -> Path:
    """In VARDE_CACHE_DIR, or where the system keeps such things; RuntimeError if there is no home either."""
    own, system = os.environ.get("VARDE_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME", "")
    if own:
        return Path(own) / "kernels"
    return (Path(system) if os.path.isabs(system) else Path.home() / ".cache") / PACKAGE / "kernels"


def digest(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:24]


class Storage:
    """The file of a kernel for arguments of this ``kind``.

    Only what consists of this package's code is stored: of a user's file nobody knows what it depends on.
    """

    def __init__(self, kernel: str, kind: Any, ours: bool):
        self.kernel, self.kind, self.ours = kernel, kind, ours

    @functools.cached_property
    def name(self) -> str:
        """How the name of the file begins."""
        return f"{self.kernel}-{digest(package_digest(), in_words(self.kind))}"

    @functools.cached_property
    def is_there(self) -> bool:
        """Whether there was machine code for this processor when first asked; imports LLVM only if that is likely."""
        if not self.ours:
            return False
        with contextlib.suppress(OSError, RuntimeError):
            return any(each.startswith(self.name) for each in os.listdir(cache_folder())) and self.path.exists()
        return False

    @property
    def path(self) -> Path:
        return cache_folder() / f"{self.name}-{surroundings()}{SUFFIX}"

    def load(self) -> Any:
        """What was saved, as a function; None if there is nothing that fits."""
        with contextlib.suppress(Exception):
            if self.is_there and (data := read(self.path)) is not None:
                return linked(self.kernel, *pickle.loads(data))
        return None

    def save(self, compiled: Any) -> None:
        """Keep what Numba has compiled."""
        library, described = compiled.library, compiled.fndesc
        if not self.ours or not library._object_caching_enabled:  # without ``once``
            return
        if library.has_dynamic_globals or compiled.environment.consts:  # an address, which the next process has not
            return
        module = library._final_module
        needed = [each.name for each in (*module.functions, *module.global_variables) if each.is_declaration]
        names = described.llvm_cpython_wrapper_name, described.env_name
        try:
            write(self.path, pickle.dumps((library._get_compiled_object(), *names, needed)))
        except (OSError, RuntimeError) as error:  # a full disk, a folder that can only be read; no home
            warnings.warn(
                f"compiled code cannot be kept on disk ({error}); every process will compile again. "
                "Set VARDE_CACHE_DIR to a writable folder.",
                stacklevel=2,
            )


# -- machine code without Numba ------------------------------------------------------------------------


@functools.cache
def surroundings() -> str:
    """A digest of what machine code depends on besides the package: processor, Python, Numba and its settings."""
    from llvmlite import binding

    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten(), binding.get_process_triple()
    if os.environ.get("NUMBA_CPU_NAME", "").lower() == "generic":  # for any processor of the kind
        processor = ("", "", processor[2])
    settings = (f"{name} {os.environ[name]}" for name in sorted(os.environ) if name.startswith("NUMBA_"))
    version = Path(numba_folder(), "_version.py").read_text()
    return digest(*processor, sys.version, version, *(each for each in settings if each.split()[0] not in HARMLESS))


def numba_folder() -> str:
    found = importlib.util.find_spec("numba")
    assert found is not None and found.submodule_search_locations
    return found.submodule_search_locations[0]


def extension(name: str) -> Any:
    """A C extension of Numba's, without the rest."""
    loaders = importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES
    found = importlib.machinery.FileFinder(numba_folder(), loaders).find_spec(f"numba.{name}")
    assert found is not None and found.loader is not None
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


@functools.cache
def linker() -> Any:
    """LLVM, told of the symbols that machine code refers to, and what makes functions of addresses."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    functions, helpers = extension("_dynfunc"), extension("_helperlib")
    for name, address in {**helpers.c_helpers, **functions.c_helpers}.items():
        binding.add_symbol(f"numba_{name}", address)
    binding.add_symbol("_Py_NoneStruct", id(None))
    for name, kind in vars(builtins).items():
        if isinstance(kind, type) and issubclass(kind, BaseException):
            binding.add_symbol(f"PyExc_{name}", id(kind))
    return binding, functions


def linked(name: str, code: bytes, wrapper: str, environment: str, needed: list[str]) -> Any:
    """The function in an object file; None if it refers to something that is not here, where LLVM would give up."""
    binding, functions = linker()
    engine = binding.create_mcjit_compiler(
        binding.parse_assembly(""), binding.Target.from_default_triple().create_target_machine()
    )
    for symbol in needed:  # the engine knows those of the process
        if not symbol.startswith("llvm.") and binding.address_of_symbol(symbol) is None:
            return None
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    empty = functions.Environment({})
    ctypes.c_void_p.from_address(engine.get_global_value_address(environment)).value = id(empty)
    return functions.make_function(sys.modules[__name__], name, "", engine.get_function_address(wrapper), empty, engine)


# -- files -----------------------------------------------------------------------------------------------


def read(path: Path) -> bytes | None:
    """What was written there, or None if it is missing or damaged."""
    try:
        with open(path, "rb") as file:
            checksum, data = file.read(SIZE), file.read()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # of a folder that is only read
        os.utime(path)
    return data if hashlib.sha256(data).digest() == checksum else None


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.stem}-{os.getpid()}-{time.monotonic_ns()}.part")
    try:
        part.write_bytes(hashlib.sha256(data).digest() + data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    for old in path.parent.iterdir():
        with contextlib.suppress(OSError):  # another process was quicker
            if time.time() - old.stat().st_mtime > UNUSED and old.suffix in (SUFFIX, ".part"):
                old.unlink()
