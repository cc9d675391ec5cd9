"""`python -m poolwise` is `poolwise`."""

import sys

from poolwise.cli.main import main

sys.exit(main())
