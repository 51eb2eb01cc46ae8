"""A client of one registry that tries again, creates things once, and raises what is refused.

The functions of ``concordat_client.api`` and their types are made from openapi.json; this file is written
by hand.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar, cast

import httpx

from ._idempotent import ROUTES
from .client import AuthenticatedClient
from .models.error import Error
from .types import UNSET

T = TypeVar("T")
Item = TypeVar("Item", covariant=True)

_FIRST_WAIT_S = 0.2
_LONGEST_WAIT_S = 30.0


class Refused(Exception):
    """The registry refused a request. ``code`` is for programs, the text for people.

    A redirect, such as to a page to sign in, is not followed and is raised, too.
    """

    def __init__(self, status: int, detail: dict[str, Any]) -> None:
        super().__init__(str(detail.get("message", f"The registry answered {status}.")))
        self.status = status
        self.code = str(detail.get("code", "NOT_A_REGISTRY"))
        self.detail = detail


class NotAllowed(Refused):
    """401 or 403: the key is wrong, or may not do it."""


class NotFound(Refused):
    """404."""


class Conflict(Refused):
    """409: it is in the way of what is there."""


class Invalid(Refused):
    """400, 413, 415 or 422: what was sent is wrong."""


class RateLimited(Refused):
    """429, after all retries."""


class Unavailable(Refused):
    """5xx, after all retries."""


_ERRORS: dict[int, type[Refused]] = {
    400: Invalid,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: Invalid,
    415: Invalid,
    422: Invalid,
    429: RateLimited,
}


def connect(base_url: str, key: str, *, retries: int = 4, timeout: float = 60) -> AuthenticatedClient:
    """A client for the functions of ``concordat_client.api``.

    >>> registry = connect("https://registry.example.com", key=os.environ["CONCORDAT_KEY"])
    >>> team = answered(create_team.sync(client=registry, body=TeamCreate(name="Shop")))
    """
    token = key.strip()
    if re.fullmatch(r"[\x21-\x7e]+", token) is None:
        raise ValueError("The key has characters that no key has. Check where it was read from.")
    return _Connected(
        base_url=base_url.rstrip("/"),
        token=token,
        timeout=httpx.Timeout(timeout),
        httpx_args={"transport": _Repeating(retries)},
        raise_on_unexpected_status=True,
    )


class _Connected(AuthenticatedClient):
    """Its text has no key, because logs and error traces show it."""

    def __repr__(self) -> str:
        return f"<Concordat at {self._base_url}>"


def answered(answer: T | Error | None) -> T:
    """The answer for a type checker: a refusal was raised before."""
    if answer is None or isinstance(answer, Error):
        raise TypeError("This is no answer of a registry that was connected to with connect().")
    return answer


class Page(Protocol[Item]):
    @property
    def results(self) -> list[Item]: ...  # type: ignore[misc]

    @property
    def next_cursor(self) -> str | None: ...


def each(
    list_page: Callable[..., Page[Item] | Error | None],
    *,
    client: AuthenticatedClient,
    **query: Any,
) -> Iterator[Item]:
    """Everything in a list, page after page.

    >>> for asset in each(list_assets.sync, client=registry, fqn="shop."): print(asset.fqn)
    """
    asked = {"page_size": 100, "include_total": False, **query, "page": UNSET}
    while True:
        page = answered(list_page(client=client, **asked))
        yield from page.results
        if page.next_cursor is None:
            return
        asked["cursor"] = page.next_cursor


class _Repeating(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Sends again what may be sent again: what is read, and what creates something, by its key.

    After any other change the answer may be lost although it was made, so that is left to the caller.
    """

    def __init__(self, retries: int) -> None:
        self._retries = retries
        self._sync: httpx.HTTPTransport | None = None
        self._async: httpx.AsyncHTTPTransport | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._sync = self._sync or httpx.HTTPTransport()
        is_safe = _prepared(request)
        tried = 0
        while True:
            try:
                response: httpx.Response | None = self._sync.handle_request(request)
            except httpx.TransportError:
                if tried >= self._retries or not is_safe:
                    raise
                response = None
            if response is not None:
                if response.status_code < 300:
                    return response
                response.read()
                self._raise_if_last(response, tried, is_safe)
            time.sleep(_wait(response, tried))
            tried += 1

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._async = self._async or httpx.AsyncHTTPTransport()
        is_safe = _prepared(request)
        tried = 0
        while True:
            try:
                response: httpx.Response | None = await self._async.handle_async_request(request)
            except httpx.TransportError:
                if tried >= self._retries or not is_safe:
                    raise
                response = None
            if response is not None:
                if response.status_code < 300:
                    return response
                await response.aread()
                self._raise_if_last(response, tried, is_safe)
            await asyncio.sleep(_wait(response, tried))
            tried += 1

    def close(self) -> None:
        if self._sync is not None:
            self._sync.close()

    async def aclose(self) -> None:
        if self._async is not None:
            await self._async.aclose()

    def _raise_if_last(self, response: httpx.Response, tried: int, is_safe: bool) -> None:
        status, detail = response.status_code, _detail(response)
        is_running = detail.get("code") == "IDEMPOTENCY_CONFLICT"
        is_worth_it = status == 429 or is_running or (is_safe and status in (502, 503, 504))
        if is_worth_it and tried < self._retries:
            return
        raise _ERRORS.get(status, Unavailable if status >= 500 else Refused)(status, detail)


def _prepared(request: httpx.Request) -> bool:
    """Whether it may be sent again. What creates something gets a key, so that it happens once."""
    takes_key = any(
        method == request.method and re.search(pattern, request.url.path) for method, pattern in ROUTES
    )
    if takes_key and "idempotency-key" not in request.headers:
        request.headers["Idempotency-Key"] = str(uuid.uuid4())
    return takes_key or request.method == "GET"


def _detail(response: httpx.Response) -> dict[str, Any]:
    try:
        detail = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        return {}
    return cast(dict[str, Any], detail) if isinstance(detail, dict) else {}


def _wait(response: httpx.Response | None, tried: int) -> float:
    """What the registry asks for, or twice as long each time; and not all callers at once."""
    asked = "" if response is None else response.headers.get("Retry-After", "")
    wait = float(asked) if asked.isdigit() else _FIRST_WAIT_S * 2**tried
    return min(_LONGEST_WAIT_S, wait) * (1 + random.random() / 4)
