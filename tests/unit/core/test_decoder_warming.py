import subprocess
import sys

_FIRST_READ = """
import sys, threading
import msgspec
from saniwa.core.decoder_warming import warm_decoders

sys.setswitchinterval(1e-6)

def chain(depth):
    inner = str
    for number in range(depth):
        fields = [(f"f{n}", str) for n in range(8)] + [("inner", inner)]
        inner = msgspec.defstruct(f"S{number}", fields)
    return inner

def value(depth):
    inner = "x"
    for _ in range(depth):
        inner = {**{f"f{n}": "x" for n in range(8)}, "inner": inner}
    return msgspec.json.encode(inner)

content = value(12)
for _ in range(int(sys.argv[1])):
    shape = chain(12)
    if sys.argv[2:]:
        warm_decoders(shape)
    together = threading.Barrier(8)

    def read():
        together.wait()
        for _ in range(20):
            msgspec.json.decode(content, type=shape)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""


def test_what_is_ready_is_read_by_many_threads_at_once() -> None:
    """Many threads can use the prepared decoders at once, also for the first time."""
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_READ, "30", "ready"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert (0, "") == (done.returncode, done.stderr)
