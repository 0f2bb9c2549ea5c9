"""What Tests/Contract/schemathesis leaves out of the requests that it makes up."""

import schemathesis

# Here a form may say nothing, or anything.
LENIENT = ("/v1/events/{id}", "/my_tasks/", "/v1/users")


@schemathesis.hook
def filter_case(context, case):
    """A body is read by what it is: bytes that are called JSON and do not begin like an object or an
    array are a form, which these operations take as they take any other. That is so by the
    contract, because real clients call forms JSON; no schema of a media type can say it."""
    if not isinstance(case.body, bytes) or case.media_type != "application/json":
        return True
    begins_like_json = case.body.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")[:1] in (b"{", b"[")
    return begins_like_json or not any(part in case.operation.path for part in LENIENT)
