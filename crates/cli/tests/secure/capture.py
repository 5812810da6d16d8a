"""Writes the packets of an interface to a capture file: capture.py INTERFACE FILE"""

import socket
import struct
import sys
import time

ETHERNET = 1
ALL = socket.htons(3)

name, path = sys.argv[1:]
packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, ALL)
packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
packets.bind((name, 0))
with open(path, "wb", buffering=1 << 16) as file:
    file.write(struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, ETHERNET))
    print("listening", flush=True)
    packets.settimeout(0.1)
    while True:
        try:
            packet = packets.recv(1 << 16)
        except TimeoutError:
            file.flush()
            continue
        micros = time.time_ns() // 1000
        file.write(struct.pack("=IIII", *divmod(micros, 10**6), len(packet), len(packet)))
        file.write(packet)
