"""Whether a process takes requests."""


class Readiness:
    """A process that is told to stop still answers what comes, and says in the last answer of each connection that it
    is the last."""

    stopping = False


STOPS = "this process is stopping; it still answers what comes, and then ends"
ENDS = "this process ends now; there was no time to finish this request"
