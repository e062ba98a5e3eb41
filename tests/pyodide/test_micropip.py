"""Other people's pages install the wheels with micropip."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.node

ALONE = ("flatbuffers", "pagetrain")
ALL = (*ALONE, "pagetrain_ops", "pagetrain_accelerator")
# What a page then sees: what computes, whether an op of pagetrain-ops is there, and what is said on stderr.
SCRIPT = """
import contextlib, io
import pagetrain
from pagetrain import kernels

with contextlib.redirect_stderr(io.StringIO()) as said:
    name = pagetrain.backend.name()
has_resize = kernels.find("", "Resize", 13) is not None
" ".join([pagetrain.__version__, pagetrain.Personalizer.__name__, name, str(has_resize), said.getvalue().strip()])
"""


@pytest.mark.parametrize("names", [ALONE, ALL], ids=["alone", "all"])
def test_micropip_installs_the_served_wheels(wheels: dict[str, Path], server: SimpleNamespace, names: tuple[str, ...]) -> None:
    """micropip.install by URL makes `import pagetrain` work, with nothing fetched but these wheels; alone, it says what would be faster."""
    from sitebuild import node

    job = {
        "wheels": [str(wheels[name]) for name in ("micropip", "packaging", "numpy", "pillow")],
        "urls": [f"{server.url}runtime/{wheels[name].name}" for name in names],
        "script": SCRIPT,
    }
    command = [node.program("node"), str(Path(__file__).with_name("micropip.mjs")), json.dumps(job)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    version, personalizer, backend, has_resize, *said = finished.stdout.splitlines()[-1].split()
    assert (version, personalizer) == (wheels["pagetrain"].name.split("-")[1], "Personalizer")
    if names == ALL:
        assert (backend in {"simd", "relaxed-simd"}, has_resize, said) == (True, "True", [])
    else:
        assert (backend, has_resize) == ("numpy", "False")
        assert f'micropip.install("pagetrain-accelerator=={version}")' in " ".join(said)
    assert {target.rpartition("/")[2] for _, target, _ in server.requests} == {wheels[name].name for name in names}
