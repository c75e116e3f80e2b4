"""inspect-ai: what a sample of one call costs when the model costs nothing.

Run by the environment of its own: `inspect_samples.py FEW MANY`. Prints JSON.
"""

import json
import sys
import tempfile
import time


class _WordCounter:
    """Counts words: the real encoding is fetched from the network on first use."""

    def encode(self, text: str, **_: object) -> list[str]:
        return text.split()


def _time_samples(count: int) -> float:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    samples = [Sample(input=f"Say so. {n}", target="so") for n in range(count)]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes())
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        logs = eval(task, model="mockllm/model", log_dir=folder, display="none")
        spent = time.perf_counter() - begun
    assert logs[0].status == "success", logs[0].error
    return spent


def main() -> None:
    """Measure a few and many, and print the cost of each further sample."""
    import tiktoken

    tiktoken.get_encoding = lambda *_: _WordCounter()
    tiktoken.encoding_for_model = lambda *_: _WordCounter()
    few, many = (int(word) for word in sys.argv[1:])
    _time_samples(few)
    first, last = _time_samples(few), _time_samples(many)
    each = (last - first) / (many - few) * 1000
    print(json.dumps({"ms": each, "whole": last * 1000 / many}))


if __name__ == "__main__":
    main()
