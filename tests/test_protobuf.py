"""protobuf: numbers byte by byte. What onnx makes of whole messages: test_onnxformat_oracle.py and test_export_oracle.py."""

import struct

import pytest

from pagetrain import protobuf
from pagetrain.errors import FormatError


@pytest.mark.parametrize(
    "value, expected",
    [
        (0, "00"),
        (1, "01"),
        (127, "7f"),
        (128, "8001"),
        (300, "ac02"),
        (2**31, "8080808008"),
        (2**63 - 1, "ff" * 8 + "7f"),
        (-2, "fe" + "ff" * 8 + "01"),
    ],
)
def test_varints(value, expected):
    """The examples of the encoding's documentation and its edges."""
    assert protobuf.varint(value).hex() == expected


NUMBERS = [0, 1, 127, 128, 300, -1, -(2**63), 2**63 - 1, 5]


def test_messages_come_back():
    """Fields in any order, several of one number, and merged from two parts."""
    first = protobuf.number(1, 300) + protobuf.content(2, b"ab") + protobuf.float32(3, 1.5)
    second = protobuf.text(2, "ü") + protobuf.number(1, -2)
    found = protobuf.message(memoryview(first), memoryview(second))
    assert found[1] == [300, 2**64 - 2]
    assert [bytes(value) for value in found[2]] == [b"ab", "ü".encode()]
    assert bytes(found[3][0]) == struct.pack("<f", 1.5)


def test_packed_numbers_and_single_ones_are_the_same():
    """In one field there may be both."""
    packed = b"".join(protobuf.varint(value) for value in NUMBERS)
    single = [value % 2**64 for value in NUMBERS]
    assert protobuf.signed_numbers([memoryview(packed)]).tolist() == NUMBERS
    assert protobuf.signed_numbers([*single, memoryview(packed)]).tolist() == NUMBERS * 2
    assert protobuf.signed_numbers([]).tolist() == protobuf.signed_numbers([memoryview(b"")]).tolist() == []


DAMAGED = [b"\x08", b"\x08\xff", b"\x0a\x05abcd", b"\x0d\0\0\0", b"\x09" + bytes(7), b"\x0b", b"\x08" + b"\xff" * 10]


@pytest.mark.parametrize("data", DAMAGED)
def test_what_is_no_message_is_refused(data):
    """Cut short anywhere, a group, a number of too many bits."""
    with pytest.raises(FormatError):
        protobuf.message(memoryview(data))
