"""The listeners of an agent, and their order."""

from saniwa.agent.journal import EventEmitter


def test_listeners_hear_in_the_order_in_which_they_came() -> None:
    """Listeners are called in the order in which they were added."""
    heard: list[str] = []
    bell = EventEmitter()
    bell.on("x", lambda _: heard.append("first"))
    bell.on("*", lambda _: heard.append("second"))

    bell.emit({"event": "x"})
    bell.emit({"event": "y"})

    assert ["first", "second", "second"] == heard


def test_ending_one_listening_ends_no_other() -> None:
    """A function may be added twice, and each is removed separately."""
    heard: list[str] = []
    bell = EventEmitter()

    def listen(_: object) -> None:
        heard.append("heard")

    stop = bell.on("x", listen)
    bell.on("x", listen)
    stop()
    stop()
    bell.emit({"event": "x"})

    assert ["heard"] == heard


def test_once_is_once() -> None:
    """A `once` listener is called for the next event only."""
    heard: list[str] = []
    bell = EventEmitter()
    bell.once("x", lambda _: heard.append("heard"))

    bell.emit({"event": "x"})
    bell.emit({"event": "x"})

    assert (["heard"], False) == (heard, bell.has_listeners)


def test_a_listener_removed_in_the_meantime_is_not_informed() -> None:
    """A listener that another one removed during the event is not called."""
    heard: list[str] = []
    bell = EventEmitter()
    stops: list[object] = []
    bell.on("x", lambda _: stops[0]())  # type: ignore[operator]
    stops.append(bell.on("x", lambda _: heard.append("late")))

    bell.emit({"event": "x"})

    assert [] == heard
