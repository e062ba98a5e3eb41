"""Where things are. Everything that set-up makes lies under .cache, but node_modules, which node looks for beside package.json."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
REQUIREMENTS = ROOT / "requirements"
NODE_MODULES = ROOT / "node_modules"

VENV = CACHE / "venv"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMPS = CACHE / "stamps"
LOGS = CACHE / "logs"

PYODIDE_WHEELS = CACHE / "pyodide-wheels"
DOWNLOADS = CACHE / "downloads"
PAGETRAIN_WHEELS = CACHE / "pagetrain-wheels"
BYTE_CODE = CACHE / "byte-code"
PAGETRAIN_BYTE_CODE = CACHE / "pagetrain-byte-code"
ARTIFACTS = CACHE / "artifacts"
SNAPSHOT = CACHE / "snapshot"
SITE = CACHE / "site"
VARIANTS = CACHE / "variants"
PYODIDE_TEST_WHEELS = CACHE / "pyodide-test-wheels"
BROWSERS = CACHE / "browsers"
