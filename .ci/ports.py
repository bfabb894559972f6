"""Ports on this machine that nobody else is given: each is held by a socket until just before a server takes it."""
import socket


class Port:
    """A free port, held until `release`; `hold` takes it again when its server is gone."""

    def __init__(self):
        self.number, self.holder = 0, None
        self.hold()

    def hold(self):
        self.holder = socket.socket()
        # Connections of the server that is gone may still be ending.
        self.holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # It is bound and does not listen, so whoever connects is refused as where nobody is.
        self.holder.bind(("127.0.0.1", self.number))
        self.number = self.holder.getsockname()[1]

    def release(self):
        """For the server that starts now."""
        if self.holder:
            self.holder.close()
            self.holder = None
        return self.number
