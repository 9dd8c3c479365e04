"""Records by reference, for Numba: the address of a block of words, that of a record in it, and how fields are read."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)

from .engine import in_kernels
from .kernels import contents

WORD = ir.IntType(64)


class Held(types.Type):
    """The address of a block that holds a tuple of records of the type ``inner``."""

    def __init__(self, inner: Any):
        self.inner = inner
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


def read(context: Any, builder: Any, kinds: Any, address: Any, which: int) -> Any:
    """One of several values that lie one after another: a record as its address, anything else as its value."""
    kind, at = kinds[which], sum(map(num_words, kinds[:which]))

    def word(i: int) -> Any:
        loaded = builder.load(builder.gep(builder.inttoptr(address, WORD.as_pointer()), [WORD(at + i)]))
        # A block is not written while a kernel runs: LLVM may read a word once and keep it.
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if is_named(kind):
        return builder.add(address, WORD(8 * at))
    if isinstance(kind, types.Array):
        from numba.np.arrayobj import populate_array  # not needed, and slow, where code is on disk

        made = context.make_array(kind)(context, builder)
        shape = [word(1 + i) for i in range(kind.ndim)]
        strides = [WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(made, builder.inttoptr(word(0), made.data.type), shape, strides, strides[-1], None)
        return made._getvalue()
    if isinstance(kind, types.Float):
        return builder.bitcast(word(0), ir.DoubleType())
    return builder.trunc(word(0), ir.IntType(1)) if isinstance(kind, types.Boolean) else word(0)


@infer_getattr
class FieldTypes(AttributeTemplate):
    key = Ref

    def generic_resolve(self, typ: Any, attr: str) -> Any:  # type: ignore[override]
        kinds = dict(zip(typ.record.fields, typ.record.types, strict=True))
        return by_reference(kinds[attr]) if attr in kinds else None


@lower_getattr_generic(Ref)
def read_field(context: Any, builder: Any, ref: Any, address: Any, name: str) -> Any:
    return read(context, builder, ref.record.types, address, ref.record.fields.index(name))


@intrinsic
def open_block(context: Any, held: Any) -> Any:
    kinds = held.inner.types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parts = [read(context, builder, kinds, args[0], i) for i in range(len(kinds))]
        return context.make_tuple(builder, signature.return_type, parts)

    return types.Tuple([by_reference(kind) for kind in kinds])(held), code


def opened(held: Any) -> Any:
    return open_block(held)  # type: ignore[call-arg]


in_kernels(contents, lambda held: opened if isinstance(held, Held) else None)
