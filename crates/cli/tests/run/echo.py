"""An SCTP echo over the sockets of the kernel, or what stands in for it.

server PORT          serves one connection
forking PORT COUNT   serves COUNT connections, a process each
many PORT COUNT      serves one one-to-many socket until COUNT messages came
client PORT COUNT    sends COUNT messages one after the other and compares
both PORT COUNT      server and client in two processes
storm PORT COUNT     the same, interrupted a thousand times a second
stopped PORT COUNT   sends COUNT messages to a server that is stopped, and reads its answers
parting PORT COUNT   reads COUNT messages of a program that has ended, in both styles
stations PORT        several addresses, each with a socket of that one port, speak with each other
standard PORT        serves one connection by a program that has it as its standard streams
stamped PORT         compares the times at which messages come with the clock
half PORT            shuts down a connection that is its standard input, and reads its end
"""

import os
import select
import signal
import socket
import struct
import sys
import time

SCTP = 132
HERE = "127.0.0.1"


def listener(port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((HERE, port))
    sock.listen(16)
    assert sock.getsockname() == (HERE, port), sock.getsockname()
    print("ready", flush=True)
    return sock


def serve(connection):
    count = 0
    while True:
        message = connection.recv(1 << 20)
        if not message:
            return count
        connection.sendall(message)
        count += 1


def server(port, disturb=False):
    sock = listener(port)
    if disturb:
        storm()
    connection, peer = sock.accept()
    assert peer[0] == HERE, peer
    print("served", serve(connection), flush=True)


def standard(port):
    sock = listener(port)
    connection, _ = sock.accept()
    if os.fork() == 0:
        os.dup2(connection.fileno(), 0)
        os.dup2(connection.fileno(), 1)
        os.closerange(3, 1024)
        os.execvp("cat", ["cat"])
    connection.close()
    _, status = os.wait()
    assert status == 0, status


def half(port):
    sock = listener(port)
    connection, _ = sock.accept()
    os.dup2(connection.fileno(), 0)
    connection.close()
    # Calls on this number are the kernel's own.
    end = socket.socket(fileno=0)
    end.shutdown(socket.SHUT_WR)
    assert end.recv(100) == b"", "the end"
    assert sock.getsockname() == (HERE, port), "the host answers"


def stamped(port):
    """SO_TIMESTAMP and SO_TIMESTAMPNS, whose fractions are of a million and of a thousand million."""
    sock = listener(port)
    client = connect(port)
    connection, _ = sock.accept()
    for option, whole in ((29, 10**6), (35, 10**9)):
        connection.setsockopt(socket.SOL_SOCKET, option, 1)
        sent = time.time()
        client.sendall(b"when?")
        select.select([connection], [], [])
        arrived = time.time()
        time.sleep(0.5)
        message, ancillary, _, _ = connection.recvmsg(100, 100)
        ((level, kind, body),) = ancillary
        assert (message, level, kind) == (b"when?", socket.SOL_SOCKET, option)
        seconds, fraction = struct.unpack("qq", body)
        stamp = seconds + fraction / whole
        assert sent - 0.01 <= stamp <= arrived + 0.01, (sent, stamp, arrived)
    print("stamped", flush=True)


def forking(port, count):
    sock = listener(port)
    for _ in range(count):
        connection, _ = sock.accept()
        if os.fork() == 0:
            sock.close()
            serve(connection)
            os._exit(0)
        connection.close()
    for _ in range(count):
        _, status = os.wait()
        assert status == 0, status
    print("served", count, flush=True)


def many(port, count):
    sock = socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET, SCTP)
    sock.bind((HERE, port))
    sock.listen(16)
    print("ready", flush=True)
    for _ in range(count):
        message, peer = sock.recvfrom(1 << 16)
        sock.sendto(message, peer)
    # The last answer leaves before the socket is closed.
    time.sleep(0.2)
    print("served", count, flush=True)


def stations(port):
    """Each of two stations speaks with each of two cores; all have the same port."""
    sockets = {}
    for last in (1, 2, 3, 4):
        sock = socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET, SCTP)
        sock.bind((f"127.0.0.{last}", port))
        sock.listen(16)
        sock.settimeout(60)
        sockets[last] = sock
    cores, stations = (1, 2), (3, 4)
    for station in stations:
        for core in cores:
            text = f"{station} to {core}".encode()
            sockets[station].sendto(text, (f"127.0.0.{core}", port))
    for core in cores:
        for _ in stations:
            text, peer = sockets[core].recvfrom(100)
            station = int(peer[0].rpartition(".")[2])
            assert text == f"{station} to {core}".encode(), (core, peer, text)
            sockets[core].sendto(text, peer)
    for station in stations:
        for _ in cores:
            text, peer = sockets[station].recvfrom(100)
            core = int(peer[0].rpartition(".")[2])
            assert text == f"{station} to {core}".encode(), (station, peer, text)
    print("all answered", flush=True)


def connect(port):
    # The server may not listen yet.
    for _ in range(2400):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
        try:
            sock.connect((HERE, port))
            return sock
        except ConnectionRefusedError:
            sock.close()
            time.sleep(0.05)
    raise SystemExit("nobody listens")


def client(port, count, disturb=False):
    sock = connect(port)
    if disturb:
        storm()
    for number in range(count):
        message = b"%d " % number + b"x" * (number % 700)
        sock.sendall(message)
        readable, _, _ = select.select([sock], [], [], 20)
        assert readable, "no answer"
        answer = sock.recv(1 << 16)
        assert answer == message, (answer[:20], message[:20])
    signal.setitimer(signal.ITIMER_REAL, 0)
    print("echoed", count, flush=True)


def storm():
    """Interrupts this process a thousand times a second."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


def both(port, count, disturb=False):
    child = os.fork()
    if child == 0:
        server(port, disturb)
        os._exit(0)
    client(port, count, disturb)
    _, status = os.waitpid(child, 0)
    assert status == 0, status


def stopped(port, count):
    child = os.fork()
    if child == 0:
        server(port)
        os._exit(0)
    sock = connect(port)
    sock.sendall(b"first")
    assert sock.recv(100) == b"first"
    os.kill(child, signal.SIGSTOP)
    messages = [b"%d" % number for number in range(count)]
    for message in messages:
        sock.sendall(message)
    readable, _, _ = select.select([sock], [], [], 0.5)
    assert not readable, "the server is stopped"
    os.kill(child, signal.SIGCONT)
    sock.settimeout(120)
    for message in messages:
        assert sock.recv(100) == message, message
    sock.close()
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    print("answered", count, flush=True)


def parting(port, count):
    messages = [b"%d " % number + b"x" * 700 for number in range(count)]
    for style in socket.SOCK_STREAM, socket.SOCK_SEQPACKET:
        sock = socket.socket(socket.AF_INET, style, SCTP)
        sock.bind((HERE, port))
        sock.listen(16)
        child = os.fork()
        if child == 0:
            sock.close()
            part(style, port, messages)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        # Time in which the association ends, too.
        time.sleep(0.3)
        source = sock.accept()[0] if style == socket.SOCK_STREAM else sock
        source.settimeout(120)
        for message in messages:
            assert source.recv(1 << 16) == message, message[:20]
        if source is not sock:
            assert source.recv(1 << 16) == b"", "the end"
            source.close()
        sock.close()
    print("read", count, flush=True)


def part(style, port, messages):
    """Sends messages and ends this process before any was read."""
    sock = socket.socket(socket.AF_INET, style, SCTP)
    if style == socket.SOCK_STREAM:
        sock.connect((HERE, port))
    for message in messages:
        sock.sendto(message, (HERE, port))
    os._exit(0)


if __name__ == "__main__":
    role, port, *rest = sys.argv[1:]
    count = int(rest[0]) if rest else 1
    {
        "server": lambda: server(int(port)),
        "forking": lambda: forking(int(port), count),
        "standard": lambda: standard(int(port)),
        "stamped": lambda: stamped(int(port)),
        "half": lambda: half(int(port)),
        "many": lambda: many(int(port), count),
        "stations": lambda: stations(int(port)),
        "client": lambda: client(int(port), count),
        "stopped": lambda: stopped(int(port), count),
        "parting": lambda: parting(int(port), count),
        "both": lambda: both(int(port), count),
        "storm": lambda: both(int(port), count, disturb=True),
    }[role]()
