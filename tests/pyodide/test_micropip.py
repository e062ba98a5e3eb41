"""Other people's pages install the wheel with micropip."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.node


def test_micropip_installs_the_served_wheels(wheels: dict[str, Path], server: SimpleNamespace) -> None:
    """micropip.install([flatbuffers, pagetrain] by URL) makes `import pagetrain` work, with nothing fetched but the two wheels."""
    from sitebuild import node

    job = {
        "wheels": [str(wheels[name]) for name in ("micropip", "packaging", "numpy", "pillow")],
        "urls": [f"{server.url}runtime/{wheels[name].name}" for name in ("flatbuffers", "pagetrain")],
        "script": "import pagetrain; ' '.join([pagetrain.__version__, pagetrain.Personalizer.__name__])",
    }
    command = [node.program("node"), str(Path(__file__).with_name("micropip.mjs")), json.dumps(job)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    version = wheels["pagetrain"].name.split("-")[1]
    assert finished.stdout.splitlines()[-1] == f"{version} Personalizer"
    assert {target.rpartition("/")[2] for _, target, _ in server.requests} == {wheels[name].name for name in ("flatbuffers", "pagetrain")}
