"""Two engines from one source; the only folder that knows about Numba.

helper   plain Python when called from Python, machine code inside a kernel.
kernel   a function that Python calls and Numba compiles; compiled code is kept on disk between processes.
door     a way into a kernel that runs it in Python until compiling pays.
verb     a function chosen by the type of its first argument, in both engines.

Numba is imported by the first kernel that is compiled, never by ``import varde``.
"""

from .engine import using
from .fields import copy_row, hint, prefetch
from .kernels import Door, Kernel, contents, kernel
from .notice import left_when, uninterrupted, working_time
from .records import canonical, field_kinds, in_python, is_record, rehearse
from .slices import in_slices, slices
from .verb import helper, verb, whole_number

__all__ = [
    "Door",
    "Kernel",
    "canonical",
    "contents",
    "copy_row",
    "field_kinds",
    "helper",
    "hint",
    "in_python",
    "in_slices",
    "is_record",
    "kernel",
    "left_when",
    "prefetch",
    "rehearse",
    "slices",
    "uninterrupted",
    "using",
    "verb",
    "whole_number",
    "working_time",
]
