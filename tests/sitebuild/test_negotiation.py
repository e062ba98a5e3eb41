"""sitebuild.negotiation: Accept-Encoding and If-None-Match as RFC 9110 has them."""

from pathlib import Path

import pytest

from sitebuild.catalog import Representation
from sitebuild.negotiation import choose, is_fresh

ALL = [Representation(encoding, Path(encoding), 1, f'"{encoding}"') for encoding in ("identity", "gzip", "br")]


@pytest.mark.parametrize(
    "header, expected",
    [
        (None, "identity"),
        ("", "identity"),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("x-gzip", "gzip"),
        ("GZIP", "gzip"),
        ("br;q=0.5, gzip;q=0.8", "gzip"),
        ("br; q=0.5 , gzip ;q=0.5", "br"),
        ("br;q=0, gzip;q=0", "identity"),
        ("*", "br"),
        ("*;q=0.5, gzip", "gzip"),
        ("br;q=0, *", "gzip"),
        ("identity", "identity"),
        ("identity, gzip;q=0.5", "identity"),
        ("gzip;q=0.1", "gzip"),
        ("identity;q=0, gzip;q=0.1", "gzip"),
        ("identity;q=0", "identity"),  # nothing acceptable: the file is still sent
        ("*;q=0", "identity"),
        ("deflate, zstd", "identity"),
        ("gzip;q=nonsense", "identity"),
        (";;,,q=1,", "identity"),
    ],
)
def test_the_best_acceptable_representation_is_chosen(header: str | None, expected: str) -> None:
    """The highest weight; among equal ones brotli, gzip, identity."""
    assert choose(header, ALL).encoding == expected


def test_only_what_there_is_can_be_chosen() -> None:
    """A file without variants is sent as it is."""
    assert choose("br, gzip", ALL[:1]).encoding == "identity"


@pytest.mark.parametrize(
    "header, expected",
    [
        (None, False),
        ('"a"', True),
        ('W/"a"', True),
        ('"b", W/"a"', True),
        ("*", True),
        ('"b"', False),
        ("a", False),
        ("", False),
    ],
)
def test_if_none_match_compares_weakly(header: str | None, expected: bool) -> None:
    """A listed tag, with or without W/, or * means that the client has it."""
    assert is_fresh(header, '"a"') is expected
