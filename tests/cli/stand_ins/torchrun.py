"""torchrun, with what Debian's torch 1.13 lacks under Python 3.11: options with dashes, and the value 0 of a flag, which
loops over flags leave out since 3.11."""

import re
import sys

from torch.distributed import run
from torch.distributed.elastic.multiprocessing.api import Std

if Std.from_str("0") is None:
    read = Std.from_str
    Std.from_str = classmethod(lambda cls, text: read(text) or cls.NONE)
    sys.argv = [re.sub(r"^--nproc-per-node=", "--nproc_per_node=", word) for word in sys.argv]
run.main()
