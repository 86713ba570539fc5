"""What a user can do about a status that stops a run, in half a line."""

from __future__ import annotations

from jevbias.drivers.failures import one_line
from jevbias.drivers.providers import Provider


def advice_on(
    status: int, provider: Provider, model: str, base_url: str, *, sends_key: bool, location: str | None
) -> str:
    """What to do after a 401, 402, 403, 404 or a redirect (to `location`) from this provider's server."""
    key, address = provider.key_setting, provider.address_setting
    if provider.address is None:
        return "that is not how the embedded model's server answers"
    if status in (401, 403) and not sends_key:
        return f"no key was sent and the server wants one: set {key}"
    versioned = provider.writes_numbers and not base_url.endswith("/v1")
    ending = " (it usually ends in /v1)" if versioned else ""
    target = f" to {one_line(location, 200)}" if location else ""
    known = {
        401: f"the key in {key} is not accepted",
        402: "the account has no credit; add some and resume the run",
        403: f"the key in {key} may not use model {model}",
        404: f"check {address}{ending}, and that there is a model {model}",
    }
    return known.get(status, f"it redirects{target}: set {address} to where the server is")
