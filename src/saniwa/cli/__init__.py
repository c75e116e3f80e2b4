"""The command line: click commands that parse options, call `saniwa.app`, and print.

No rules of the product are decided here.
"""

import gc

# What a command imports and reads stays to its end: looking for garbage among it takes time.
gc.set_threshold(50_000)
