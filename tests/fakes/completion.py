"""Cases for completions, and a distribution that provides completion plugins."""

from pathlib import Path
from textwrap import dedent
from typing import Any

from saniwa.agent.layer_contracts import CompletionCase, IterationSummary, QueryResult

CODE = '''
    """A completion from outside."""

    from saniwa.agent.layer_contracts import CompletionResult


    class Quiet:
        """Done when the model has said a word so many times."""

        def __init__(self, config):
            self.word = config["word"]
            self.most = config.get("times", 1)
            self.times = 0

        async def check(self, case):
            self.times += case.response.text.count(self.word)
            if self.times < self.most:
                return CompletionResult(complete=False)
            return CompletionResult(complete=True, reason=f"{self.times} times")

        def is_complete(self):
            return self.times >= self.most

        def get_reason(self):
            return "enough"

        def remember(self):
            return {"times": self.times}

        def recall(self, kept):
            self.times = kept["times"]


    class Forgetful:
        """Does whatever its config says, and remembers nothing."""

        def __init__(self, config):
            self.config = config

        async def check(self, case):
            what = self.config["does"]
            if what == "raise":
                raise RuntimeError("out of milk")
            if what == "lie":
                return CompletionResult(complete=True)
            if what == "mumble":
                return "done"
            return CompletionResult(complete=False)

    def secretive(config):
        plugin = Forgetful({"does": "nothing"})
        plugin.remember = lambda: {"lock": object()}
        plugin.recall = lambda kept: kept["key"]
        return plugin

    def stubborn(config):
        raise OSError("no tea either")
    '''


def install(folder: Path) -> None:
    """Write the distribution into a folder that is on `sys.path`."""
    (folder / "quietness.py").write_text(dedent(CODE), encoding="utf-8")
    about = folder / "quietness-1.0.dist-info"
    about.mkdir()
    text = "Metadata-Version: 2.1\nName: quietness\nVersion: 1.0\n"
    (about / "METADATA").write_text(text, encoding="utf-8")
    names = ("quiet:Quiet", "forgetful:Forgetful", "secretive", "stubborn", "lost")
    pairs = [name.partition(":") for name in names]
    lines = [f"{name} = quietness:{made or name}" for name, _, made in pairs]
    points = "\n".join(["[saniwa.completion]", *lines, ""])
    (about / "entry_points.txt").write_text(points, encoding="utf-8")


def make_case(*messages: str, iteration: int = 1, **more: Any) -> CompletionCase:
    """A case after an iteration with these messages from the model."""
    texts = messages or ("...",)
    return CompletionCase(
        iteration=iteration,
        response=QueryResult(messages=texts, conversation_id="c-1"),
        summary=IterationSummary(iteration=iteration, step="s_door", assistant_responses=texts),
        **more,
    )
