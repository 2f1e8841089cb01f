"""`python -m portico_backend serve | inbox | issue | hostile | canonical`."""

import sys

from .cli import main

sys.exit(main())
