"""The command line: ``heldout …`` and ``python -m heldout …``, the same as the binary's."""

import signal
import sys

from heldout import _native


def main() -> int:
    """Run the command of this process; return its exit code."""
    # The command hears Ctrl-C itself where it has something to save, and ends at once where it has not.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command_line(["heldout", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
