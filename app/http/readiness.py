"""Whether a process takes requests."""


class Readiness:
    """Once it is told to stop, a process answers what still comes, each connection with its last answer."""

    stopping = False


STOPS = "this process is stopping; it still answers what comes, and then ends"
ENDS = "this process ends now; there was no time to finish this request"
