"""``python -m heldout.ray``."""

import signal
import sys

from heldout.ray import main

if __name__ == "__main__":
    # The command hears Ctrl-C itself.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
