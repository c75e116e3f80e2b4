from saniwa.http.session_tokens import SessionCookie
from tests.unit.http.middleware.guarded_requests import make_scope

KEY = b"k" * 32


def test_no_script_and_no_foreign_page_carries_the_token() -> None:
    """The cookie is HttpOnly and SameSite=Strict."""
    name, value = SessionCookie(KEY, https=False).build_header("text", 60)

    assert b"set-cookie" == name
    assert {"Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=60"} == set(
        value.decode().split("; ")[1:]
    )


def test_over_tls_the_cookie_goes_nowhere_else() -> None:
    """Behind TLS the cookie is Secure and bound to its host."""
    _, value = SessionCookie(KEY, https=True).build_header("text", 60)

    assert value.startswith(b"__Host-saniwa-")
    assert b"; Secure" in value
    assert b"Domain" not in value


def test_two_gardens_on_one_machine_have_two_cookies() -> None:
    """Two servers on one machine have different cookies."""
    assert SessionCookie(KEY, https=False).name != SessionCookie(b"x" * 32, https=False).name


def test_the_token_is_found_among_other_cookies() -> None:
    """The token is found among other cookies."""
    cookie = SessionCookie(KEY, https=False)
    asked = make_scope(cookie=["a=1; b", f"{cookie.name}=x.y;c=3", f"{cookie.name}=second"])

    assert ["x.y", "second"] == cookie.read_values(asked)
    assert [] == cookie.read_values(make_scope())


def test_a_token_is_removed_by_the_same_name() -> None:
    """Removing the cookie uses the same name."""
    cookie = SessionCookie(KEY, https=False)

    assert cookie.build_header("", 0)[1].decode().startswith(f"{cookie.name}=; Max-Age=0;")
