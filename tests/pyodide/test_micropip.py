"""Other people's pages install the wheels with micropip."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.docs.fences import ROOT, fences_of

pytestmark = pytest.mark.node

ALONE = ("flatbuffers", "pagetrain")
ALL = (*ALONE, "pagetrain_ops", "pagetrain_accelerator", "pagetrain_project")
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
HOST = "https://your.host/pagetrain/"
# What follows the page's blocks: grey pictures of two kinds.
TRAINING = """
import io
from PIL import Image

job.set_classes(["dark", "light"])
for grey in (0, 40, 215, 255):
    file = io.BytesIO()
    Image.new("RGB", (224, 224), (grey, grey, grey)).save(file, "PNG")
    job.add(file.getvalue(), "dark" if grey < 128 else "light")
list(job.fit(epochs=20, validation=0))
job.predict(file.getvalue())[0].label
"""


@pytest.mark.parametrize("names", [ALONE, ALL], ids=["alone", "all"])
def test_micropip_installs_the_served_wheels(wheels: dict[str, Path], server: SimpleNamespace, names: tuple[str, ...]) -> None:
    """micropip.install by URL makes `import pagetrain` work, with nothing fetched but these wheels; alone, it says what would be faster."""
    urls = [f"{server.url}runtime/{wheels[name].name}" for name in names]
    version, personalizer, backend, has_resize, *said = printed_by(SCRIPT, wheels, urls).split()
    assert (version, personalizer) == (wheels["pagetrain"].name.split("-")[1], "Personalizer")
    if names == ALL:
        assert (backend in {"simd", "relaxed-simd"}, has_resize, said) == (True, "True", [])
    else:
        assert (backend, has_resize) == ("numpy", "False")
        assert f'micropip.install("pagetrain-accelerator=={version}")' in " ".join(said)
    assert {target.rpartition("/")[2] for _, target, _ in server.requests} == {wheels[name].name for name in names}


def test_the_page_s_blocks_load_the_base_model(wheels: dict[str, Path], server: SimpleNamespace) -> None:
    """Those for Pyodide in docs/pagetrain.md, from the served site: a training follows, with nothing from elsewhere."""
    blocks = [fence.text for fence in fences_of(ROOT / "docs/pagetrain.md") if HOST in fence.text]
    assert len(blocks) == 2
    script = "\n".join([*blocks, TRAINING]).replace(HOST, server.url)
    assert printed_by(script, wheels, []) == "light"


def printed_by(script: str, wheels: dict[str, Path], urls: list[str]) -> str:
    """The last line: what the script's last expression is, in a Pyodide with micropip where the wheels of `urls` were installed."""
    from sitebuild import node

    job = {
        "wheels": [str(wheels[name]) for name in ("micropip", "packaging", "numpy", "pillow")],
        "urls": urls,
        "script": script,
    }
    command = [node.program("node"), str(Path(__file__).with_name("micropip.mjs")), json.dumps(job)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout.splitlines()[-1]
