"""Peers of a host whose addresses change.

tells PORT                   answers each message of one connection with the addresses of its peer
moves TO PORT OLD NEW PORT   connects from PORT, and moves the interface that has the address OLD to NEW
"""

import socket
import struct
import subprocess
import sys
import time

SCTP = 132
AUTO_ASCONF = 30
GET_PEER_ADDRS = 108
ASCONF_SUPPORTED = 128
AUTH_SUPPORTED = 129


def endpoint():
    """A socket that tells of changes, and hears of them (RFC 5061)."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
    for option in AUTH_SUPPORTED, ASCONF_SUPPORTED:
        sock.setsockopt(SCTP, option, struct.pack("=iI", 0, 1))
    return sock


def peers(sock):
    answer = sock.getsockopt(SCTP, GET_PEER_ADDRS, 1024)
    _, count = struct.unpack_from("=iI", answer)
    found = [answer[8 + 16 * at :][4:8] for at in range(count)]
    return " ".join(sorted(socket.inet_ntoa(ip) for ip in found))


def tells(port):
    sock = endpoint()
    sock.bind(("", port))
    sock.listen(1)
    print("ready", flush=True)
    connection, _ = sock.accept()
    while connection.recv(100):
        connection.sendall(peers(connection).encode())


def moves(to, port, old, new, own):
    sock = endpoint()
    sock.bind(("", own))
    sock.setsockopt(SCTP, AUTO_ASCONF, 1)
    sock.settimeout(60)
    sock.connect((to, port))

    def wait_for(wanted):
        seen = None
        for _ in range(600):
            sock.sendall(b"?")
            seen = sock.recv(1024).decode()
            if seen == wanted:
                print("known by", seen, flush=True)
                return
            time.sleep(0.1)
        raise SystemExit(f"known by {seen}, not {wanted}")

    def change(verb, address):
        subprocess.run(["ip", "addr", verb, f"{address}/24", "dev", "near0"], check=True)

    wait_for(old)
    change("add", new)
    wait_for(" ".join(sorted([old, new])))
    change("del", old)
    wait_for(new)


if __name__ == "__main__":
    role, *rest = sys.argv[1:]
    if role == "tells":
        tells(int(rest[0]))
    else:
        to, port, old, new, own = rest
        moves(to, int(port), old, new, int(own))
