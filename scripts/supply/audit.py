"""Checks everything in the lock files for known vulnerabilities: Python and npm packages.

`make audit` checks everything; `make audit ARGS=core` what every installation has. Exits with
status 0 if everything was checked and nothing was found, 1 if something was found, and 3 if
something could not be checked, which never counts as success.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.supply.advisories import AuditAnswer, from_npm, from_pip_audit
from scripts.supply.licence_list import read_list
from scripts.supply.locks import ROOT, PythonPin, list_python_pins

WEAK, UNASKED = 1, 3
"""The exit statuses: something was found, something could not be checked."""
ACCEPTED: dict[str, str] = {}
"""Known vulnerabilities that do not affect Saniwa, by identifier, each with the reason."""

_PATIENCE = 900


def choose_pins(part: str) -> list[PythonPin]:
    """The pins to check: `core`, an extra's name, `users`, or `all`."""
    pins = list_python_pins()
    if part == "all":
        return pins
    among = {
        (each.name, each.version)
        for each in read_list()
        if part in each.reach or (part == "users" and each.users)
    }
    return [pin for pin in pins if (pin.name, pin.version) in among]


def split_rounds(pins: Sequence[PythonPin]) -> list[list[PythonPin]]:
    """Split the pins into rounds, so that none has two versions of a package."""
    made: list[dict[str, PythonPin]] = []
    for pin in pins:
        free = next((each for each in made if pin.name not in each), None)
        if free is None:
            made.append(free := {})
        free[pin.name] = pin
    return [list(each.values()) for each in made]


def ask_python(pins: Sequence[PythonPin], services: Sequence[Sequence[str]]) -> AuditAnswer:
    """Ask the services in order, until one of them answers."""
    answers = [_ask_round(each, services) for each in split_rounds(pins)]
    return AuditAnswer(
        sum(each.asked for each in answers),
        tuple(found for each in answers for found in each.found),
        tuple(why for each in answers for why in each.unasked),
    )


def _ask_round(pins: list[PythonPin], services: Sequence[Sequence[str]]) -> AuditAnswer:
    unasked: list[str] = []
    for service in services:
        answer = _ask_service(pins, service)
        if not answer.unasked:
            return answer
        unasked += [f"{service[0]}: {why}" for why in answer.unasked]
    return answer._replace(unasked=tuple(unasked))


def _ask_service(pins: list[PythonPin], service: Sequence[str]) -> AuditAnswer:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requirements.txt"
        # Without the marker, so that packages for other machines are checked as well.
        lines = [pin.text.replace(f" ; {pin.marker}", "") for pin in pins]
        file.write_text("".join(lines), encoding="utf-8")
        command = [sys.executable, "-m", "pip_audit", "--requirement", str(file)]
        command += ["--require-hashes", "--disable-pip", "--format", "json"]
        command += ["--progress-spinner", "off", "--desc", "off"]
        return from_pip_audit(*_run_program([*command, "--vulnerability-service", *service]))


def ask_npm() -> AuditAnswer:
    """Check the npm packages of the web app."""
    return from_npm(*_run_program(["sh", "scripts/page.sh", "audit"]))


def _run_program(command: Sequence[str]) -> tuple[str, str]:
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return "", str(problem)
    return done.stdout, done.stderr


def report_answer(whose: str, answer: AuditAnswer) -> int:
    """Print the result, and return the exit status."""
    new = [each for each in answer.found if each.name not in ACCEPTED]
    for each in answer.found:
        why = f" (accepted: {ACCEPTED[each.name]})" if each.name in ACCEPTED else ""
        print(f"{whose}: {each.package} {each.version}: {each.name}, {each.cure}{why}")
    for why in answer.unasked:
        print(f"{whose}: could not ask: {why}")
    short = "; this is no all-clear" if answer.unasked else ""
    print(f"{whose}: {answer.asked} packages asked about, {len(new)} findings{short}")
    if new:
        return WEAK
    return UNASKED if answer.unasked or not answer.asked else 0


def main(arguments: Sequence[str]) -> int:
    """Check everything, and return the worst exit status."""
    parser = argparse.ArgumentParser(prog="make audit", description=__doc__)
    parser.add_argument("part", nargs="?", default="all")
    parser.add_argument("--osv-url", help="ask this service of OSV's kind, and no other")
    asked = parser.parse_args(arguments)
    pins = choose_pins(asked.part)
    if not pins:
        parser.error(f"there is no part {asked.part!r}: core, users, all, or an extra")
    services = [["osv"], ["pypi"]]
    if asked.osv_url:
        services = [["osv", "--osv-url", asked.osv_url]]
    ends = [report_answer("python", ask_python(pins, services))]
    if asked.part in ("all", "users"):
        ends.append(report_answer("page", ask_npm()))
    return WEAK if WEAK in ends else max(ends)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
