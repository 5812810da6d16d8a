"""Calls with wild descriptors, addresses and lengths: each gets an answer, and nothing breaks."""

import ctypes
import os
import platform
import random
import signal
import socket
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
# Numbers of calls on x86_64 and on aarch64.
NUMBERS = {
    "accept": (43, 202), "accept4": (288, 242), "bind": (49, 200), "connect": (42, 203), "dup": (32, 23),
    "fcntl": (72, 25), "getpeername": (52, 205), "getsockname": (51, 204), "getsockopt": (55, 209),
    "ioctl": (16, 29), "listen": (50, 201), "preadv2": (327, 286), "pwritev2": (328, 287), "read": (0, 63),
    "readv": (19, 65), "recvfrom": (45, 207), "recvmmsg": (299, 243), "recvmsg": (47, 212),
    "sendfile": (40, 71), "sendmmsg": (307, 269), "sendmsg": (46, 211), "sendto": (44, 206),
    "setsockopt": (54, 208), "shutdown": (48, 210), "socket": (41, 198), "splice": (275, 76),
    "write": (1, 64), "writev": (20, 66),
}
CALLS = {name: of[platform.machine() == "aarch64"] for name, of in NUMBERS.items()}
GIVERS = ("socket", "accept", "accept4", "dup", "fcntl")
draw = random.Random(int(sys.argv[1]))
room = ctypes.create_string_buffer(4096)
HERE = ctypes.addressof(room)
WILD = [0, 1, 8, HERE, HERE, HERE, HERE + 4090, 0xdead_0000, (1 << 47) - 8, (1 << 63), (1 << 64) - 1]
LONG = [0, 1, 4, 8, 16, 28, 255, 1024, 4096, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
        (1 << 64) - 1]


def address(port):
    return b"\x02\x00" + port.to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)


def sockets():
    made = [socket.socket(socket.AF_INET, kind, 132) for kind in (1, 1, 5)]
    made[0].bind(("127.0.0.1", 7000 + draw.randrange(500)))
    made[0].listen(4)
    for sock in made:
        sock.setblocking(False)
    return made


def close(descriptor):
    # A call of fcntl returns other numbers, too.
    try:
        os.close(descriptor)
    except OSError:
        pass


def argument(descriptors):
    kind = draw.randrange(4)
    if kind == 0:
        return draw.choice(WILD)
    if kind == 1:
        return draw.choice(LONG)
    if kind == 2:
        return draw.choice(descriptors)
    return draw.getrandbits(draw.choice([1, 3, 8, 16, 33, 64]))


def main():
    # A call may have made a socket wait.
    signal.signal(signal.SIGALRM, lambda *_: None)
    made = sockets()
    for number in range(3000):
        # What lies in memory is wild, too: headers, vectors, lengths, options.
        words = b"".join(
            (draw.choice(WILD + LONG) & (1 << 64) - 1).to_bytes(8, "little") for _ in range(64)
        )
        room[0:512] = words
        room[1024:1040] = address(7000)
        descriptors = [sock.fileno() for sock in made] + [-1, 600, 1 << 31]
        call = draw.choice(list(CALLS))
        if call == "socket":
            arguments = [draw.choice([2, 10]), draw.choice([1, 5, 2049, 9]), 132]
        else:
            first = draw.choice(descriptors)
            arguments = [first] + [argument(descriptors) for _ in range(5)]
        arguments = [ctypes.c_ulong(value & (1 << 64) - 1) for value in arguments]
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        returned = LIBC.syscall(ctypes.c_long(CALLS[call]), *arguments)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if call in GIVERS and returned >= 512:
            close(returned)
        if number % 500 == 499:
            for sock in made:
                sock.detach()
            os.closerange(512, 1024)
            made = sockets()
    os.write(1, b"survived\n")
    os._exit(0)


main()
