"""Records by reference, for Numba: the address of a block, the address of a record in it, and how fields are read.

Importing this fails where Numba or llvmlite lack a name that is needed; then records go in by value.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)

from .door import contents

WORD = ir.IntType(64)


class Held(types.Type):
    """The address of a block that holds a tuple of records of the type ``inner``."""

    def __init__(self, inner: Any):
        self.inner = inner
        self.contents = types.Tuple([by_reference(kind) for kind in inner.types])
        super().__init__(f"Held({inner})")


class Ref(types.Type):
    """The address of a record's words."""

    def __init__(self, record: Any):
        self.record = record
        self.instance_class = record.instance_class  # by which verbs choose
        super().__init__(f"Ref({record})")


@register_model(Held)
@register_model(Ref)
class AddressModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any):
        super().__init__(dmm, fe_type, WORD)


@unbox(Held)
def unbox_held(kind: Any, address: Any, c: Any) -> NativeValue:
    return NativeValue(c.pyapi.long_as_longlong(address))


def is_named(kind: Any) -> bool:
    return isinstance(kind, types.BaseNamedTuple)


def by_reference(kind: Any) -> Any:
    return Ref(kind) if is_named(kind) else kind


def can_hold(kind: Any) -> bool:
    """Whether a block can hold values of this type."""
    if is_named(kind):
        return all(map(can_hold, kind.types))
    if isinstance(kind, types.Array):
        return kind.layout == "C" and kind.mutable and kind.aligned and kind.ndim > 0
    return kind in (types.float64, types.int64, types.boolean)


def num_words(kind: Any) -> int:
    if is_named(kind):
        return sum(map(num_words, kind.types))
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


def starts(kinds: Any) -> list[int]:
    """The words at which parts of these types begin."""
    return [sum(map(num_words, kinds[:i])) for i in range(len(kinds))]


def read(context: Any, builder: Any, kind: Any, address: Any, at: int) -> Any:
    """What begins at word ``at``: a record as its address, anything else as its value."""

    def word(i: int) -> Any:
        loaded = builder.load(builder.gep(builder.inttoptr(address, WORD.as_pointer()), [WORD(at + i)]))
        # A block is not written while a kernel runs: LLVM may read a word once and keep it.
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if is_named(kind):
        return builder.add(address, WORD(8 * at))
    if isinstance(kind, types.Array):
        return array(context, builder, kind, word(0), [word(1 + i) for i in range(kind.ndim)])
    if isinstance(kind, types.Float):
        return builder.bitcast(word(0), ir.DoubleType())
    return builder.trunc(word(0), ir.IntType(1)) if isinstance(kind, types.Boolean) else word(0)


def array(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any]) -> Any:
    """A C array: its strides follow from its shape."""
    made = context.make_array(kind)(context, builder)
    made.itemsize = WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    size = made.itemsize
    strides: list[Any] = []
    for length in reversed(shape):
        strides.insert(0, size)
        size = builder.mul(size, length)
    number = shape[0]
    for length in shape[1:]:
        number = builder.mul(number, length)
    made.nitems = number
    made.data = builder.inttoptr(data, made.data.type)
    made.shape = cgutils.pack_array(builder, shape)
    made.strides = cgutils.pack_array(builder, strides)
    made.meminfo = cgutils.get_null_value(made.meminfo.type)
    made.parent = cgutils.get_null_value(made.parent.type)
    return made._getvalue()


@infer_getattr
class FieldTypes(AttributeTemplate):
    key = Ref

    def generic_resolve(self, typ: Any, attr: str) -> Any:  # type: ignore[override]
        kinds = dict(zip(typ.record.fields, typ.record.types, strict=True))
        return by_reference(kinds[attr]) if attr in kinds else None


@lower_getattr_generic(Ref)
def read_field(context: Any, builder: Any, ref: Any, address: Any, name: str) -> Any:
    kinds, at = ref.record.types, ref.record.fields.index(name)
    return read(context, builder, kinds[at], address, starts(kinds)[at])


@lower_builtin(contents, Held)
def lower_contents(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kinds = signature.args[0].inner.types
    parts = [read(context, builder, kind, args[0], at) for kind, at in zip(kinds, starts(kinds), strict=True)]
    return context.make_tuple(builder, signature.return_type, parts)
