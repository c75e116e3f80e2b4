"""Count the sentences and words of every draft in a folder, and print them as JSON."""

import hashlib
import json
import re
import sys
from pathlib import Path


def measure(path: Path) -> dict[str, object]:
    """Return what one draft has; headings do not count."""
    content = path.read_bytes()
    lines = content.decode().splitlines()
    text = " ".join(line for line in lines if not line.startswith("#"))
    sentences = [each for each in re.split(r"[.!?]+", text) if each.strip()]
    words = len(text.split())
    return {
        "sentences": len(sentences),
        "words": words,
        "words_per_sentence": round(words / max(len(sentences), 1), 1),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


if __name__ == "__main__":
    drafts = sorted(Path(sys.argv[1]).glob("*.md"))
    counted = {"drafts": {path.name: measure(path) for path in drafts}}
    sys.stdout.write(json.dumps(counted, indent=2) + "\n")
