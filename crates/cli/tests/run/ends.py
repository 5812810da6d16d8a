"""Attempts to connect that nobody answers, and signals of connections that are gone.

refused ADDRESS PORT        connects in three ways to an address where ICMP says that there is no SCTP
absent ADDRESS PORT         the same, over UDP, where ICMP says that nobody is at its port
late ADDRESS PORT COMMAND   connects, and runs COMMAND once the first attempt was refused
broken PORT                 sends to a peer that is gone, and ignores SIGPIPE, or blocks it, for that alone
"""

import errno
import select
import signal
import socket
import struct
import subprocess
import sys
import time

SCTP = 132
INITMSG = 2
EVENTS = 11
ASSOC_CHANGE, CANNOT_START = 0x8001, 4


def client(style=socket.SOCK_STREAM):
    sock = socket.socket(socket.AF_INET, style, SCTP)
    sock.setsockopt(SCTP, INITMSG, struct.pack("=HHHH", 10, 10, 2, 200))
    return sock


def name(code):
    return errno.errorcode.get(code, code)


def attempts(peer):
    """The outcomes of a blocking attempt, of one that poll() waits for, and of a one-to-many socket's."""
    try:
        client().connect(peer)
        yield "connected"
    except OSError as error:
        yield name(error.errno)
    sock = client()
    sock.setblocking(False)
    begun = sock.connect_ex(peer)
    assert begun == errno.EINPROGRESS, name(begun)
    poll = select.poll()
    poll.register(sock, select.POLLOUT)
    assert poll.poll(60_000), "poll() says nothing"
    yield name(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
    many = client(socket.SOCK_SEQPACKET)
    many.settimeout(60)
    many.setsockopt(SCTP, EVENTS, bytes([0, 1, 0, 0, 0, 0, 0, 0]))
    many.sendto(b"hello", peer)
    kind, _, _, state = struct.unpack_from("=HHIH", many.recv(1000))
    yield "CANT_STR_ASSOC" if (kind, state) == (ASSOC_CHANGE, CANNOT_START) else (kind, state)


def late(peer, command):
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
    sock.setsockopt(SCTP, INITMSG, struct.pack("=HHHH", 10, 10, 0, 1000))
    sock.setblocking(False)
    assert sock.connect_ex(peer) == errno.EINPROGRESS
    told = 0
    while told == 0:
        told = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        time.sleep(0.01)
    assert told == errno.ECONNREFUSED, name(told)
    server = subprocess.Popen(command)
    assert select.select([], [sock], [], 60)[1], "the server was not found"
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
    sock.setblocking(True)
    sock.sendall(b"hello")
    assert sock.recv(100) == b"hello"
    sock.close()
    assert server.wait() == 0


def broken(port):
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
    listener.bind(("127.0.0.1", port))
    listener.listen(5)
    pending = 0
    for turn in range(40):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
        sock.connect(("127.0.0.1", port))
        accepted, _ = listener.accept()
        accepted.close()
        assert sock.recv(10) == b""
        blocks = turn % 2 == 1
        signal.signal(signal.SIGPIPE, signal.SIG_DFL if blocks else signal.SIG_IGN)
        if blocks:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
        try:
            sock.send(b"x")
            raise AssertionError("sent")
        except BrokenPipeError:
            pass
        if blocks:
            pending += signal.SIGPIPE in signal.sigpending()
            signal.sigtimedwait({signal.SIGPIPE}, 1)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPIPE})
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        sock.close()
    print("survived, pending", pending)


if __name__ == "__main__":
    part, *rest = sys.argv[1:]
    if part == "broken":
        broken(int(rest[0]))
    else:
        peer = rest[0], int(rest[1])
        if part == "late":
            late(peer, rest[2:])
            print("found")
        else:
            print(*attempts(peer))
