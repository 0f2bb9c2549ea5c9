"""Shared by the scripts in this folder: good requests, and the memory of a server."""
import itertools
import os
import socket
import threading
import time


CONNECTIONS = 8
# An event, and short lists.
TARGETS = [b"/v1/events/1", b"/v1/events?limit=1&sort=id", b"/v1/events/nearests?lat=0&lon=0&limit=1"]


def good(port, rate, seconds, results):
    """Sends requests at an even rate over eight connections; puts sorted milliseconds and failures.

    Raises its own priority if that is permitted, so that it measures the server and not its own
    wait for a core.
    """
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -19)
    except PermissionError:
        pass
    durations, failures = [], []
    begin = time.perf_counter()
    threads = [
        threading.Thread(
            target=send,
            args=(port, begin + number / rate, CONNECTIONS / rate, begin + seconds, durations,
                  failures))
        for number in range(CONNECTIONS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((sorted(durations), failures))


def send(port, due, interval, end, durations, failures):
    """Sends a request at `due` and after each interval, in seconds."""
    connection = socket.create_connection(("127.0.0.1", port))
    targets = itertools.cycle(TARGETS)
    while due < end:
        request = b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % next(targets)
        while (now := time.perf_counter()) < due:
            time.sleep(due - now)
        try:
            connection.sendall(request)
            response = connection.recv(65536)
            if not response.startswith(b"HTTP/1.1 200 "):
                failures.append(response[:80])
        except OSError as error:
            failures.append(str(error))
        # Measured from the due time, because a stalled server also delays the requests that follow.
        durations.append((time.perf_counter() - due) * 1000)
        due += interval


def percentile(durations, share):
    """Returns the duration that `share` of the sorted durations do not exceed."""
    return durations[min(int(len(durations) * share), len(durations) - 1)]


def resident_megabytes(process):
    with open(f"/proc/{process.pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
