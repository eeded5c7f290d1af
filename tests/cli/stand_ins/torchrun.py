"""torchrun, with what Debian's torch 1.13 lacks under Python 3.11: options with dashes, the value 0 of a flag, which loops
over flags leave out since 3.11, and a port of its own for each start."""

import re
import socket
import sys

from torch.distributed import run
from torch.distributed.elastic.multiprocessing.api import Std

if Std.from_str("0") is None:
    read = Std.from_str
    Std.from_str = classmethod(lambda cls, text: read(text) or cls.NONE)
    with socket.socket() as one:
        one.bind(("localhost", 0))
        alone = ["--rdzv_backend=c10d", f"--rdzv_endpoint=localhost:{one.getsockname()[1]}", "--rdzv_id=alone"]
    words = [re.sub(r"^--nproc-per-node=", "--nproc_per_node=", word) for word in sys.argv]
    sys.argv = words[:1] + (alone if "--standalone" in words else []) + [w for w in words[1:] if w != "--standalone"]
run.main()
