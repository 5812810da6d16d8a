"""Runs a program under a filter that refuses pidfd_getfd, as that of Docker does."""

import ctypes
import os
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
PIDFD_GETFD = 438
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
REFUSE, ALLOW = 0x0005_0001, 0x7fff_0000
FILTER = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in [
        (LOAD, 0, 0, 0),
        (JUMP_IF_EQUAL, 0, 1, PIDFD_GETFD),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]
)
program = ctypes.create_string_buffer(FILTER)
header = struct.pack("HxxxxxxQ", 4, ctypes.addressof(program))
assert LIBC.prctl(38, 1, 0, 0, 0) == 0
assert LIBC.prctl(22, 2, header, 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv(sys.argv[1], sys.argv[1:])
