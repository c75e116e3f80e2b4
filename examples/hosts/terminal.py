"""A complete Saniwa host: `python terminal.py --story lantern-island` plays a story.

Enter continues, a number chooses, words are spoken; also: /back, /save NAME, /load NAME.
"""
# ruff: noqa: T201 - it prints to the terminal

import json
import subprocess
import sys

command = [sys.executable, "-m", "saniwa", "host", "--stdio", *sys.argv[1:]]
saniwa = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def ask(op, **fields):
    """Send one line to Saniwa and return the answer; exit if Saniwa has ended."""
    try:
        print(json.dumps({"op": op, **fields}), file=saniwa.stdin, flush=True)
        return json.loads(saniwa.stdout.readline())
    except (BrokenPipeError, ValueError):
        sys.exit("Saniwa is not running; the reason is above.")


def show(directive):
    """Print a directive; a terminal has no pictures and no sound."""
    kind, args = directive["type"], directive["args"]
    if kind == "Say":
        print(f"{args['speaker']}: {args['text']}".removeprefix(": "))
    elif kind == "Branch":
        for number, choice in enumerate(args["choices"], 1):
            print(f"  {number}. {choice}")
    elif kind == "Ask":
        print(f"  ({args['prompt']})")
    elif kind == "Ending":
        print(f"~ {args['id']} ~")


answer, waiting = ask("begin"), "end"
while True:
    if "moment" in answer:
        waiting = answer["moment"]["waiting"]
        for each in answer["moment"]["step"]["directives"]:
            show(each)
    elif "saves" in answer:
        print("Saved:", ", ".join(each["name"] for each in answer["saves"]))
    else:
        print(f"[{answer['error']['message']}. {answer['error']['hint']}]")
    if waiting == "end":
        break
    print(end="> ", flush=True)
    line = (sys.stdin.readline() or sys.exit()).strip()
    word, _, name = line.partition(" ")
    if word in ("/back", "/save", "/load"):
        answer = ask(word[1:], **({} if word == "/back" else {"name": name}))
    elif line.isdecimal() and "choice" in waiting:
        answer = ask("choose", index=int(line) - 1)
    elif "words" in waiting:
        answer = ask("say", text=line)
    else:
        answer = ask("step")
