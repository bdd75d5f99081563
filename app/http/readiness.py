"""Whether a process takes requests."""


class Readiness:
    """Once it is told to stop, a process answers what still comes, each connection with its last answer."""

    stopping = False


STOPS = "what still comes is answered, and then this process ends"
ENDS = "this process ends now, and there was no time to finish this request"
