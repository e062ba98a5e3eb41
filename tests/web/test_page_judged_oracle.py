"""web/page/judged in node against scikit-learn and scipy."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, precision_score, recall_score

pytestmark = [pytest.mark.oracle, pytest.mark.node]
SCRIPT = Path(__file__).with_name("judged_of.mjs")


def judged_in_node(labels: list[str], truth: np.ndarray, probabilities: np.ndarray) -> dict[str, Any]:
    """What the page's modules say of these pictures."""
    node = shutil.which("node")
    assert node, "node is needed for these tests"
    pictures = [{"key": str(index), "label": labels[place]} for index, place in enumerate(truth)]
    given = json.dumps({"labels": labels, "pictures": pictures, "probabilities": probabilities.ravel().tolist()})
    done = subprocess.run([node, SCRIPT], input=given, capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("classes, pictures", [(2, 9), (4, 48), (40, 600)])
def test_counts_rates_and_losses(classes: int, pictures: int) -> None:
    """Confusion, right answers, recall, precision and each picture's loss are scikit-learn's; the last class has no judged picture."""
    rng = np.random.default_rng(classes)
    truth = rng.integers(0, classes - 1, pictures)
    logits = rng.normal(size=(pictures, classes)) + 2 * np.eye(classes)[truth]
    probabilities = (np.exp(logits) / np.exp(logits).sum(1, keepdims=True)).astype(np.float32)
    said, places = probabilities.argmax(1), list(range(classes))
    found = judged_in_node([f"class {place}" for place in places], truth, probabilities)

    assert found["counts"] == confusion_matrix(truth, said, labels=places).tolist()
    assert found["right"] == accuracy_score(truth, said, normalize=False)
    for name, score, whole in (("recall", recall_score, "own"), ("precision", precision_score, "said")):
        ours = [one["right"] / one[whole] if one[whole] else 0.0 for one in found["perClass"]]
        assert ours == pytest.approx(score(truth, said, labels=places, average=None, zero_division=0.0), rel=1e-12), name  # float64
    one_by_one = [
        log_loss(truth[[i]], probabilities[[i]].astype(np.float64) / probabilities[i].sum(dtype=np.float64), labels=places)
        for i in range(pictures)
    ]
    assert found["losses"] == pytest.approx(one_by_one, abs=1e-6)  # rows of float32 sum to 1 within 1e-7 or so; log_loss wants 1
    wrong = np.flatnonzero(said != truth)
    assert found["wrong"] == sorted(wrong, key=lambda i: probabilities[i, truth[i]])


@pytest.mark.parametrize("right, all_", [(42, 48), (0, 7), (7, 7), (1, 2), (171, 240), (1980, 2000)])
def test_interval(right: int, all_: int) -> None:
    """The interval of right answers is scipy's Wilson interval at 95 %."""
    probabilities = np.array([[0.75, 0.25]] * right + [[0.25, 0.75]] * (all_ - right), np.float32)
    found = judged_in_node(["yes", "no"], np.zeros(all_, np.int64), probabilities)
    reference = binomtest(right, all_).proportion_ci(0.95, method="wilson")
    assert found["interval"] == pytest.approx([reference.low, reference.high], abs=1e-12)  # float64
