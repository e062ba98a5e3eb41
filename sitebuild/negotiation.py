"""Choosing a representation by Accept-Encoding, and answering If-None-Match. Source: RFC 9110, sections 12.5.3 and 13.1.2."""

from collections.abc import Sequence

from sitebuild.catalog import Representation

_PREFERENCE = ("br", "gzip", "identity")  # among equal weights: the smallest first


def choose(accept_encoding: str | None, representations: Sequence[Representation]) -> Representation:
    """The best acceptable representation; identity when none is, so that a client that asks for nothing possible still gets the file."""
    weights = parse_weights(accept_encoding or "")
    acceptable = [item for item in representations if _weight(item.encoding, weights) > 0]
    return max(
        acceptable, key=lambda item: (_weight(item.encoding, weights), -_PREFERENCE.index(item.encoding)), default=representations[0]
    )


def parse_weights(header: str) -> dict[str, float]:
    """'gzip, br;q=0.5' -> {"gzip": 1.0, "br": 0.5}; what cannot be read has weight 0."""
    weights = {}
    for item in header.lower().split(","):
        coding, *parameters = (part.strip() for part in item.split(";"))
        if coding:
            weights["gzip" if coding == "x-gzip" else coding] = _quality(parameters)
    return weights


def is_fresh(if_none_match: str | None, etag: str) -> bool:
    """Whether the client already holds the representation with this strong ETag."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or etag in (tag.strip().removeprefix("W/") for tag in if_none_match.split(","))


def _weight(encoding: str, weights: dict[str, float]) -> float:
    if encoding in weights:
        return weights[encoding]
    if encoding == "identity":  # acceptable unless excluded, but anything that was asked for is better
        return weights.get("*", 0.0001)
    return weights.get("*", 0.0)


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
