"""What is said to who cannot change the people of a gate, or is none of them."""

from pathlib import Path

from saniwa.core.errors import ProcessError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.store.gate.people.file import Person


def refused(path: Path) -> ProcessError:
    """The error for a credential that is nobody's; it tells no more than that."""
    return ProcessError(
        "CREDENTIAL_REFUSED",
        "nobody is known here by this name and secret",
        where=Where(file=str(path)),
        hint="a credential is NAME:SECRET; see who is known: saniwa gate people list",
    )


def unvouched(path: Path) -> ProcessError:
    """The error for a change that nobody vouches for."""
    return ProcessError(
        "CREDENTIAL_REFUSED",
        "somebody is known here already, and only a person changes who is",
        where=Where(file=str(path)),
        hint="let somebody of `saniwa gate people list` vouch: --credential-file FILE, "
        "or STATE_GATE_CREDENTIAL=NAME:SECRET",
    )


def an_agents(voucher: Person, path: Path) -> ProcessError:
    """The error for a change that an agent vouches for."""
    return ProcessError(
        "CREDENTIAL_REFUSED",
        f"{quoted(voucher.name)} has the role 'agent', and an agent vouches for nobody",
        where=Where(file=str(path)),
        hint="let a person of `saniwa gate people list` vouch: --credential-file FILE, "
        "or STATE_GATE_CREDENTIAL=NAME:SECRET",
    )


def agents_only() -> ProcessError:
    """The error for a change after which nobody could make another."""
    return ProcessError(
        "PERSON_UNUSABLE",
        "only agents would be known here, and nobody could add or remove anybody",
        hint="add somebody with a person's role first, such as 'reviewer'",
    )


def agents_secret(person: Person) -> ProcessError:
    """The error for an agent that would change its secret."""
    return ProcessError(
        "PERSON_UNUSABLE",
        f"{quoted(person.name)} has the role 'agent', and only people change their secret",
        hint="let a person remove this name and add it again",
    )


def same_secret() -> ProcessError:
    """The error for a new secret that is the old one."""
    return ProcessError(
        "PERSON_UNUSABLE",
        "the new passphrase is the same as the old one",
        hint="choose another",
    )


def taken(name: str) -> ProcessError:
    """The error for a name that is given."""
    return ProcessError(
        "PERSON_EXISTS",
        f"there is a person {quoted(name)} already",
        hint="choose another name, or remove this person first",
    )


def unknown(name: str, people: tuple[Person, ...]) -> ProcessError:
    """The error for a name that is not given, with the nearest one."""
    names = [each.name for each in people]
    known = f"there is: {', '.join(names)}" if names else "nobody is known here yet"
    return ProcessError(
        "PERSON_UNKNOWN",
        f"there is no person {quoted(name)}",
        hint=did_you_mean(name, names) or known,
    )
