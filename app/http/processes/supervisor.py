"""Several processes that serve on one socket, and the one that sees to it that they are there.

SIGTERM or SIGINT stops them, a second one at once. SIGHUP puts a new process in the place of each, one after another:
the new one serves before the old one stops, so that nobody is turned away.
"""

import logging
import os
import signal
import socket
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from threading import Thread
from time import monotonic, sleep

from app.http.processes.server import FAILED, GRACE, Make, Server, url_of
from app.settings import Settings

BEAT = 1.0
"""Seconds between two signs of life."""

HANGS = 60.0
"""Seconds without one, after which a process is ended: a body that is parsed may hold up all threads for several."""

PAUSE = 1.0
"""Seconds after which another one is tried, when a process could not begin to serve."""

SPAWN = get_context("spawn")

log = logging.getLogger("keepdims")


def work(listening: socket.socket, pulse: Connection, make: Make) -> None:
    """What a worker process does; SIGINT, which a terminal sends to all, is its supervisor's to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = Server(Settings(), make, supervised=True)
    Thread(target=_beat, args=(server, pulse), daemon=True).start()
    raise SystemExit(server.serve_on(listening))


def _beat(server: Server, pulse: Connection) -> None:
    """Tell the supervisor that this process lives, once it serves; stop when nobody hears it."""
    try:
        while True:
            if server.started:
                pulse.send_bytes(b".")
            sleep(BEAT if server.started else BEAT / 20)
    except OSError:
        server.should_exit = True


class Worker:
    """One process."""

    def __init__(self, listening: socket.socket, make: Make) -> None:
        self.pulse, theirs = SPAWN.Pipe(duplex=False)
        self.process = SPAWN.Process(target=work, args=(listening, theirs, make))
        self.process.start()
        theirs.close()
        self.serves = False
        self.retired = False
        self._ended = False
        self._heard = monotonic()

    def listen(self) -> None:
        """Take in its signs of life."""
        try:
            while not self.pulse.closed and self.pulse.poll():
                self.pulse.recv_bytes()
                self._heard = monotonic()
                self.serves = True
        except (EOFError, OSError):
            self.pulse.close()

    def retire(self) -> None:
        """Let it finish what it does, and end."""
        self.retired = True
        self.process.terminate()

    def end(self) -> None:
        """End it at once."""
        if not self._ended:
            log.error("the worker %d does not answer, and is ended", self.process.pid)
            self._ended = True
            self.process.kill()

    def hangs(self) -> bool:
        """Whether it has given no sign of life for too long."""
        return not self.retired and monotonic() - self._heard > HANGS


class Supervisor:
    """As many workers as are wanted."""

    def __init__(self, count: int, listening: socket.socket, make: Make) -> None:
        self._count = count
        self._socket = listening
        self._make = make
        self._workers: list[Worker] = []
        self._old: list[Worker] = []  # those that others are to take the place of
        self._signals: list[int] = []
        self._served = False
        self._announced = False
        self._begin_after = 0.0
        self._deadline = 0.0  # when those that have not stopped are ended, once they are to
        self._status = 0

    def run(self) -> int:
        """Serve until told to stop. What the process is to end with."""
        log.info("Started supervisor process [%d]", os.getpid())
        waker, wakened = socket.socketpair()
        with waker, wakened:
            for end in (waker, wakened):
                end.setblocking(False)
            signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
            for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(each, lambda sig, _: self._signals.append(sig))
            self._workers = [Worker(self._socket, self._make) for _ in range(self._count)]
            while self._workers:
                self._wait(wakened)
                self._step()
            signal.set_wakeup_fd(-1)
        return self._status

    def _wait(self, wakened: socket.socket) -> None:
        """Wait for a signal, or for a worker to say something or to end."""
        said = [worker.pulse for worker in self._workers if not worker.pulse.closed]
        if wakened in wait([wakened, *said, *(worker.process.sentinel for worker in self._workers)], BEAT):
            wakened.recv(1 << 10)

    def _step(self) -> None:
        while self._signals:
            self._obey(self._signals.pop(0))
        for worker in self._workers.copy():
            worker.listen()
            self._served |= worker.serves
            if worker.process.exitcode is not None:
                self._ended(worker)
            elif worker.hangs() or (self._deadline and monotonic() >= self._deadline):
                worker.end()
        if not self._deadline:
            self._announce()
            self._renew()

    def _announce(self) -> None:
        """Say where the service is, once all are there that are wanted. uvicorn would say it before the first is."""
        if not self._announced and sum(worker.serves for worker in self._workers) >= self._count:
            self._announced = True
            log.info("%d workers running on %s (Press CTRL+C to quit)", self._count, url_of(self._socket))

    def _obey(self, sig: int) -> None:
        if sig == signal.SIGHUP:
            self._old = [worker for worker in self._workers if not worker.retired]
        elif self._deadline:
            self._deadline = monotonic()
        else:
            self._stop()

    def _stop(self) -> None:
        self._deadline = monotonic() + GRACE + GRACE / 2
        self._socket.close()  # nobody is to wait at it
        for worker in self._workers:
            worker.retire()

    def _ended(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.pulse.close()
        worker.process.join()
        if worker.retired:
            return
        log.error("the worker %d has ended with %s", worker.process.pid, worker.process.exitcode)
        if worker.serves:
            return
        self._old = []  # a new one would do no better
        self._begin_after = monotonic() + PAUSE
        if not self._served:
            self._status = FAILED
            self._stop()

    def _renew(self) -> None:
        """One step towards as many workers as are wanted, none of them old."""
        there = [worker for worker in self._workers if not worker.retired]
        self._old = [worker for worker in self._old if worker in there]
        if len(there) < self._count:
            if monotonic() > self._begin_after:
                self._begin()
        elif len(there) > self._count:
            if all(worker.serves for worker in there):
                (self._old or there).pop(0).retire()
        elif self._old and len(there) == len(self._workers) and all(worker.serves for worker in there):
            self._begin()

    def _begin(self) -> None:
        """One worker more, if there may be one now."""
        try:
            self._workers.append(Worker(self._socket, self._make))
        except OSError as error:  # no memory, process or descriptor is to be had
            log.error("a worker cannot be started: %s", error)
            self._old = []
            self._begin_after = monotonic() + PAUSE
