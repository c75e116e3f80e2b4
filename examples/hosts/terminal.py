"""A whole Saniwa host for the terminal.

Try: python terminal.py --story lantern-island
Enter goes on, a number chooses, words are said; also: /back, /save NAME, /load NAME.
"""
# ruff: noqa: T201 - a terminal is where it prints

import json
import subprocess
import sys

command = [sys.executable, "-m", "saniwa", "host", "--stdio", *sys.argv[1:]]
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
saniwa = subprocess.Popen(command, **pipes, encoding="utf-8")


def ask(op, **fields):
    """One line to Saniwa, one line back."""
    saniwa.stdin.write(json.dumps({"op": op, **fields}) + "\n")
    saniwa.stdin.flush()
    return json.loads(saniwa.stdout.readline() or "null") or sys.exit(1)


def show(directive):
    """What a directive says; a terminal has no pictures and no sound."""
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
