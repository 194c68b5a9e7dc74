"""Windows of tests are shown to nobody, and what they start hears Ctrl-C."""

import os
import signal

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

# A shell starts what it does not wait for deaf to Ctrl-C, which every child inherits.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
