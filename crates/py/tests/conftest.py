"""Windows of tests are shown to nobody, what they start hears Ctrl-C, and what asks nothing of Gymnasium runs once."""

import os
import signal

import gymnasium

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

#: Files whose tests ask nothing of Gymnasium itself, though it may carry what they ask about: most of the time, and the
#: same under both of its versions. `test_names.py` sees that none of them names it.
ONCE = [
    "test_command_line.py",
    "test_files_of_training.py",
    "test_interrupt.py",
    "test_limits.py",
    "test_manual.py",
    "test_outputs.py",
    "test_policies.py",
    "test_rliable.py",
    "test_s2b.py",
    "test_soak.py",
    "test_word_pieces.py",
]
collect_ignore = ONCE if gymnasium.__version__.startswith("1.2.") else []

# A shell starts what it does not wait for deaf to Ctrl-C, which every child inherits.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
