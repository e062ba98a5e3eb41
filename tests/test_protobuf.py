"""protobuf: numbers byte by byte. What onnx makes of whole messages: test_onnxformat_oracle.py and test_export_oracle.py."""

import pytest

from pagetrain import protobuf


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
