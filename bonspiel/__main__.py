"""The command line: `python -m bonspiel`."""

import sys

from bonspiel.runs.cli import main

sys.exit(main())
