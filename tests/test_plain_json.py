"""JSON of anyone: a value or a ValueError, soon."""

import pytest

from pagetrain import plain_json


@pytest.mark.parametrize("end", ["", "\\", '\\"'])
def test_a_text_without_end_is_read_once(end):
    """Not once for each quotation mark in it, when 200 000 of them took a quarter of an hour: one piece of it is the whole."""
    text = '"' + '\\"' * 200_000 + end
    first = next(plain_json._STRING_OR_BRACKET.finditer(text))
    assert first.end() >= len(text) - 1  # a lone backslash at the end is no part of a text
    with pytest.raises(ValueError, match=r"Unterminated|Invalid"):
        plain_json.loads(text)


@pytest.mark.parametrize("text", ["[" * 33 + "]" * 33, '{"a":' * 40 + "1" + "}" * 40, '["\\"", ' + "[" * 40 + "]" * 40 + "]"])
def test_deep_nesting_is_refused(text):
    """Counted outside of texts only."""
    with pytest.raises(ValueError, match="nested deeper"):
        plain_json.loads(text)


def test_brackets_in_texts_are_text():
    """With quotation marks before and behind them."""
    text = r'["[[[[\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\\", {"]]}}\"": "x"}]'
    assert plain_json.loads(text) == ['[[[["' + "[" * 36, "\\", {']]}}"': "x"}]
