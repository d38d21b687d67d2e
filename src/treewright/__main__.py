"""`python -m treewright`: the command line."""

import sys

from treewright.cli import main

sys.exit(main())
