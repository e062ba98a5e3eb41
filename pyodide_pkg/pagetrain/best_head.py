"""The best head of a run so far, and what a run leaves behind however it ends."""

from __future__ import annotations

from collections.abc import Generator

from .errors import TrainingDivergedError
from .head import Snapshot
from .learner import Learner
from .progress import Progress

Rank = tuple[float, float]  # greater is better


class BestHead:
    """Offered after each epoch, restored when the run ends."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._snapshot: Snapshot | None = None
        self._rank: Rank | None = None

    def offer(self, rank: Rank) -> bool:
        """Whether the present head is better than all before, or the first; it is remembered then."""
        if self._rank is not None and rank <= self._rank:
            return False
        self._snapshot, self._rank = Snapshot(self._learner.state), rank
        return True

    def left_by(self, run: Generator[Progress, None, None]) -> Generator[Progress, None, None]:
        """Passes on what `run` yields; when it ends, is closed or fails, the best head is put back.

        Without one, that from before is: after a divergence, or if it had learnt anything. Classes that changed meanwhile stay as they are.
        """
        state = self._learner.state
        state.allocate_gradients()
        before, untrained = Snapshot(state), state.optimizer.step == 0
        diverged = False
        try:
            yield from run
        except TrainingDivergedError:
            diverged = True
            raise
        finally:
            if not self._learner.data.is_current():
                pass  # another change has the last word: what was remembered is of other classes
            elif self._snapshot is not None:
                self._snapshot.restore()
            elif diverged or not untrained:
                before.restore()
