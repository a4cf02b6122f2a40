"""Slow decoding of frames that fail the codec's strict decoding.

Libraries use msgpack in different ways: some send text as `bin`, and some send integers from 2^32
on as floats. Both are accepted here. Any other fault is named, with the `re` of the refused message
if the frame contains it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import msgpack
import msgspec

from server.base.wire.messages import NEWS, Re
from server.base.wire.short_forms import FIRST_NUMBER, LAST_NUMBER

MAX_LIST_LENGTH: Final = 64
"""Maximum elements of an array within a message."""

MAX_ELEMENTS: Final = 512
"""Maximum elements of all arrays within a message; commands have at most 260. Each takes
0.3 µs here."""

_MAX_DEPTH: Final = 4
"""Maximum depth of arrays in a field; no command's field has more than two."""

_INEXACT: Final = 2.0**53
"""The lowest float that stands for more than one integer."""

_ARRAYS: Final = frozenset((*range(0x90, 0xA0), 0xDC, 0xDD))
_MAPS: Final = frozenset((*range(0x80, 0x90), 0xDE, 0xDF))
"""The first bytes of arrays, and of maps."""

_EXTENSIONS: Final = frozenset((msgpack.ExtType, msgpack.Timestamp))

_MAP: Final = "a map, which no message contains"
_EXTENSION: Final = "an extension type, which no message contains"
_TOO_LONG: Final = f"an array of more than {MAX_LIST_LENGTH} elements"
_TOO_DEEP: Final = "arrays nested too deeply"

_LIMIT: Final = re.compile(
    r"`(?P<kind>str|array)` of (?:length (?P<sign>[<>]=) (?P<count>\d+)"
    r"|(?P<words>at most|at least) length (?P<number>\d+))"
)
_UNITS: Final = {"str": "characters", "array": "elements"}


class BadMessageError(Exception):
    """A frame that is not a message of this protocol.

    Attributes:
        re: the `re` of its refusal if the frame contains one, else `NEWS`.
        text: the fault in the frame, in one sentence.
    """

    def __init__(self, text: str, re: Re = NEWS) -> None:
        super().__init__(text)
        self.text = text
        self.re = re


class _FaultError(Exception):
    """A fault in the message, as a sentence."""


class _FieldError(Exception):
    """A fault in a field, as a sentence without its subject."""


def decode(frame: bytes, types: Mapping[int, Any]) -> Any:
    """Decode a frame leniently.

    Args:
        frame: its bytes.
        types: the types of messages by their first value.

    Raises:
        BadMessageError: it contains none of these messages.
    """
    values: list[Any] = []
    names: Sequence[str] = ("kind", "id")
    subject = ""
    try:
        reader = _Reader(frame)
        while len(values) < min(reader.length, 2):
            values.append(reader.read())
        kind = _type_of(values[0], types)
        names, subject = _names(kind), f" of `{kind.__name__}`"
        _check_length(reader.length, kind)
        while len(values) < reader.length:
            values.append(reader.read())
        reader.end()
        return msgspec.convert(values, type=kind)
    except _FaultError as error:
        text = str(error)
    except _FieldError as error:
        text = f"`{names[len(values)]}`{subject}: {error}."
    except msgspec.ValidationError as error:
        text = _sentence(str(error), names, subject)
    raise BadMessageError(text, _re_of(values))


class _Reader:
    """Reads the values of the array in a frame.

    Attributes:
        length: the number of values.
    """

    def __init__(self, frame: bytes) -> None:
        if not frame:
            raise _FaultError("The frame is empty.")
        if frame[0] not in _ARRAYS:
            # Lua's libraries send a table with a nil before its end as a map.
            found = "a map" if frame[0] in _MAPS else f"the byte {frame[0]:02x}"
            raise _FaultError(f"A message is a msgpack array, and this frame begins with {found}.")
        self._frame = frame
        self._left = MAX_ELEMENTS
        self._unpacker = msgpack.Unpacker(
            None,
            # Text is read like `bin`.
            raw=True,
            strict_map_key=False,
            max_buffer_size=len(frame),
            max_array_len=MAX_LIST_LENGTH,
            max_map_len=MAX_LIST_LENGTH,
        )
        self._unpacker.feed(frame)
        try:
            self.length: int = self._unpacker.read_array_header()
        except msgpack.OutOfData:
            raise _FaultError("The frame ends within the length of the array.") from None
        if not self.length:
            raise _FaultError("The message is an empty array.")

    def read(self) -> Any:
        """Read the next value."""
        try:
            return self._plain(self._unpacker.unpack())
        except msgpack.OutOfData:
            fault = "the frame ends before this field does"
        except msgpack.FormatError:
            fault = "msgpack has no type c1"
        except msgpack.StackError:
            fault = _TOO_DEEP
        except UnicodeDecodeError:
            fault = "the text is not valid UTF-8"
        except TypeError:
            # A key of a map cannot be hashed.
            fault = _MAP
        except ValueError as error:
            # msgpack has no exceptions of their own for these faults.
            text = str(error)
            is_list, is_map = "max_array_len" in text, "max_map_len" in text
            fault = _TOO_LONG if is_list else _MAP if is_map else _EXTENSION
        raise _FieldError(fault)

    def end(self) -> None:
        """Check that the frame ends here."""
        at = self._unpacker.tell()
        if at < len(self._frame):
            raise _FaultError(f"The frame continues after the message, at byte {at}.")

    def _plain(self, value: Any, depth: int = 0) -> Any:
        """Return a value with text in place of bytes, and integers in place of integral floats."""
        kind = type(value)
        if kind is bytes:
            return value.decode()
        if kind is list:
            self._left -= len(value)
            if self._left < 0:
                raise _FieldError(f"more than {MAX_ELEMENTS} elements")
            if depth == _MAX_DEPTH:
                raise _FieldError(_TOO_DEEP)
            return [self._plain(each, depth + 1) for each in value]
        if kind is float and value.is_integer() and abs(value) < _INEXACT:
            return int(value)
        if kind is dict:
            raise _FieldError(_MAP)
        if kind in _EXTENSIONS:
            raise _FieldError(_EXTENSION)
        return value


def _type_of(first: Any, types: Mapping[int, Any]) -> Any:
    """Return the type of a message by its first value."""
    if type(first) is not int:
        raise _FaultError("The first value of a message is its kind, an integer.")
    if first not in types:
        raise _FaultError(f"There is no command of kind {first}.")
    return types[first]


@cache
def _names(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the names of a message's values, in order."""
    fields = kind.__struct_fields__
    return fields if kind.__struct_config__.tag is None else ("kind", *fields)


def _check_length(length: int, kind: type[msgspec.Struct]) -> None:
    """Check the number of values, which msgspec counts without the kind."""
    most = len(_names(kind))
    least = most - len(kind.__struct_defaults__)
    if not least <= length <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise _FaultError(
            f"`{kind.__name__}` has {wanted} values, the first one included, and this message has"
            f" {length}."
        )


def _sentence(fault: str, names: Sequence[str], subject: str) -> str:
    """Return a fault found by msgspec as a sentence that names the field.

    "Expected `str` of length <= 64 - at `$[4]`" becomes "`name` of `Hello`: expected `str` of at
    most 64 characters."
    """
    fault, _, path = fault.partition(" - at `$[")
    at, _, inner = path.rstrip("`").partition("]")
    # msgspec repeats an unknown value, which can fill the frame.
    fault = _LIMIT.sub(_limit, "unknown value" if fault.startswith("Invalid") else fault)
    return f"`{names[int(at)]}{inner}`{subject}: {fault[0].lower()}{fault[1:]}."


def _limit(found: re.Match[str]) -> str:
    """Return a limit of a length with its unit."""
    sign, count = found["sign"] or found["words"], found["count"] or found["number"]
    words = {"<=": "at most", ">=": "at least"}.get(sign, sign)
    return f"`{found['kind']}` of {words} {count} {_UNITS[found['kind']]}"


def _re_of(values: Sequence[Any]) -> Re:
    """Return the `re` for the refusal of a message with these first values."""
    first, second = (*values, None, None)[:2]
    if type(second) is not int or not 0 < second < 1 << 53:
        return NEWS
    is_number = type(first) is int and FIRST_NUMBER <= first <= LAST_NUMBER
    return (first, second) if is_number else second
