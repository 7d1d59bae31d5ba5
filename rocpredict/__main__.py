"""Entry point of ``python -m rocpredict``."""

import sys

from rocpredict.cli import main

if __name__ == "__main__":
    sys.exit(main())
