"""Header fields of a request."""

Fields = dict[bytes, bytes]


def by_name(headers: list[tuple[bytes, bytes]]) -> Fields:
    """Fields by name; one that is given on several lines is the list of them all."""
    found = dict(headers)
    if len(found) < len(headers):
        lines: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            lines.setdefault(name, []).append(value)
        found = {name: b", ".join(values) for name, values in lines.items()}
    return found
