"""http_workers PORT PID_FILE [WORKERS]: a server of forked processes, as Python's web servers have them.

Each worker serves one connection at a time, and puts a list of records together as JSON for each request. SIGTERM ends the server with
its workers.
"""

import contextlib
import json
import os
import signal
import socket
import sys


def answer(number):
    records = [{"id": number + i, "name": f"record {i}", "tags": sorted({i % 7, i % 5, i % 3})} for i in range(40)]
    body = json.dumps(records).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def serve(listener):
    number = 0
    while True:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(ConnectionError):
            received = b""
            while block := connection.recv(65536):
                received += block
                while b"\r\n\r\n" in received:
                    _, received = received.split(b"\r\n\r\n", 1)
                    number += 1
                    connection.sendall(answer(number))


def main():
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=128)
    workers = []
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 8):
        worker = os.fork()
        if worker == 0:
            serve(listener)
        workers.append(worker)
    signal.signal(signal.SIGTERM, lambda *_: [os.kill(worker, signal.SIGTERM) for worker in workers])
    with open(sys.argv[2], "w", encoding="ascii") as file:
        file.write(f"{os.getpid()}\n")
    for worker in workers:
        os.waitpid(worker, 0)


main()
