"""What somebody should know who is about to let others in."""

from pathlib import Path

from saniwa.api.guard.settings import Settings
from saniwa.store.gate.people.people import People


def advice(settings: Settings, people: Path) -> tuple[str, ...]:
    """What is not as it should be for a server that others reach; nothing for one of our own.

    Raises:
        StoreError: `STORE_UNREADABLE` if who is known cannot be read.
    """
    if settings.private:
        return ()
    told = []
    if not People(people).all():
        told.append(
            "nobody is known yet, so nobody from elsewhere can sign in: "
            "saniwa gate people add NAME --role ROLE"
        )
    if not settings.https:
        told.append(
            "names and secrets travel in the clear: give --certificate and "
            "--private-key, or --behind-https if a proxy speaks TLS"
        )
    if settings.loopback and not settings.proxy:
        told.append(
            "only this machine reaches the server, so everybody comes from one address "
            "and shares its limits: name the proxy in front with --trusted-proxy ADDRESS"
        )
    return tuple(told)
