"""One input, made and read: the number of the input and the seed say all, so that any can be made again."""

from __future__ import annotations

import time
import traceback
import warnings
from dataclasses import dataclass
from random import Random

from pagetrain.errors import PagetrainError

from .targets import Target


@dataclass(frozen=True)
class Outcome:
    """What came of an input, in a word. fault: the trace, of an exception that is not one of ours. seconds: of the processor."""

    word: str
    size: int
    seconds: float
    fault: str = ""


def input_of(target: Target, kind: str, seed: int, number: int) -> bytes:
    """The mutated input of that number. Smaller golden files come oftener: a change hits more of what matters there."""
    random = Random(f"{kind} {seed} {number}")
    chosen = random.choices(range(len(target.seeds)), [1 / (1 + len(data)) for data in target.seeds])[0]
    return target.mutate(chosen, random)


def outcome_of(target: Target, data: bytes) -> Outcome:
    """Reads the input. Nothing it raises is let out but KeyboardInterrupt."""
    start = time.process_time()
    fault = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # numpy 2.0 warns of what later ones refuse
            word = target.read(data)
    except PagetrainError as error:
        word = f"refused: {type(error).__name__}"
    except Exception as error:  # the very thing that is looked for
        word, fault = f"fault: {type(error).__name__}", traceback.format_exc()
    return Outcome(word, len(data), time.process_time() - start, fault)
