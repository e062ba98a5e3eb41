"""What pagetrain says where one of its other distributions is missing, or of another version."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import pagetrain
import pagetrain_accelerator
import pagetrain_ops
from pagetrain import backend, distributions, executor
from pagetrain.errors import StateError, UnsupportedOpError
from pagetrain.kernels import registry
from pagetrain.plan import bind
from tests.graphs import graph, node, value

MODEL = graph([node("Sinh", "x", "a"), node("Foo", "a", "b"), node("TopK", "b k", "y i")], [value("x", 2)], ["y"], {"k": np.int64([1])})
SINH = graph([node("Sinh", "x", "y")], [value("x", 2)], ["y"])


def without_ops(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where pagetrain-ops is not installed, and nothing of it was imported before."""
    monkeypatch.setitem(sys.modules, "pagetrain_ops", None)  # what import statements take for a module that is not there
    for op_type in ("Sinh", "TopK"):
        monkeypatch.delitem(registry._KERNELS, ("", op_type), raising=False)


def test_versions_are_the_same() -> None:
    """Each is built as the version that it says."""
    assert pagetrain_ops.__version__ == pagetrain_accelerator.__version__ == pagetrain.__version__


def test_all_ops_that_can_be_installed_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside those that no distribution has, and with what to do; nothing of it is an ImportError."""
    without_ops(monkeypatch)
    said = (
        r"There is no kernel for these ops \(domain:op_type:since_version\): :Foo:13\. These ops lie in pagetrain-ops, which is not "
        r'installed here: :Sinh:13, :TopK:13; install it with await micropip\.install\("pagetrain-ops==[\d.]+"\) in Pyodide, with pip '
    )
    with pytest.raises(UnsupportedOpError, match=said) as caught:
        bind(MODEL)
    assert caught.value.ops == (":Foo:13", ":Sinh:13", ":TopK:13")


def test_once_installed_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook goes on after the installation that the error asked for."""
    with monkeypatch.context() as missing:
        without_ops(missing)
        with pytest.raises(UnsupportedOpError, match="Sinh"):
            bind(SINH)
    x = np.float32([0, 1])
    assert executor.run(bind(SINH), {"x": x})["y"] == pytest.approx(np.sinh(x))


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kernels may count on what this pagetrain has not."""
    monkeypatch.setattr(pagetrain_ops, "__version__", "0.0.9")
    with pytest.raises(StateError, match=rf"pagetrain-ops is of version 0\.0\.9, pagetrain of {pagetrain.__version__}; install it with "):
        bind(SINH)


def test_an_error_inside_it_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the absence of the package itself means that it is not installed."""

    def broken(name: str) -> None:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(distributions, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        distributions.installed("pagetrain_ops")


def test_without_the_accelerator_one_line_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where Python runs in WebAssembly; numpy computes."""
    monkeypatch.setattr(backend, "_chosen", None)
    monkeypatch.setattr(backend, "sys", SimpleNamespace(platform="emscripten", stderr=sys.stderr))
    monkeypatch.setitem(sys.modules, "pagetrain_accelerator", None)
    assert [backend.name(), backend.name()] == ["numpy", "numpy"]
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert 'micropip.install("pagetrain-accelerator==' in said
