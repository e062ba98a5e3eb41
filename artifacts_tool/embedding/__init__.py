"""The frozen part of a page model as a program for workers without Python: recorded from a run of its plan, file embedding.json."""

from .program import embedding_program
from .recording import NotRecordable

__all__ = ["NotRecordable", "embedding_program"]
