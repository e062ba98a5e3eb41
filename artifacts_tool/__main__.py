"""python -m artifacts_tool."""

import sys

from .cli import main

sys.exit(main())
