"""Runs the program in QEMU and joins the board's serial line with a UDP port of this host.

usage: board.py PROGRAM [UDP_PORT]

A frame on the line is a SLIP frame (RFC 1055): the peer's IPv4 address and UDP port, then the payload
of the UDP datagram, an SCTP packet.
"""

import select
import signal
import socket
import subprocess
import sys

END, ESC = b"\xc0", b"\xdb"
ESC_END, ESC_ESC = b"\xdb\xdc", b"\xdb\xdd"


def start(program, line):
    """QEMU, whose first UART is the socket `line`."""
    return subprocess.Popen(
        ["qemu-system-arm", "-machine", "mps2-an386", "-display", "none", "-monitor", "none"]
        + ["-semihosting-config", "enable=on,target=native", "-kernel", program]
        + ["-chardev", f"socket,id=line,fd={line.fileno()}", "-serial", "chardev:line"],
        pass_fds=[line.fileno()],
        stdin=subprocess.DEVNULL,
    )


def to_line(line, datagram, peer):
    """Sends a datagram down the line. Dropped, in part or whole, while the line is full."""
    header = socket.inet_aton(peer[0]) + peer[1].to_bytes(2, "big")
    frame = (header + datagram).replace(ESC, ESC_ESC).replace(END, ESC_END)
    try:
        line.send(END + frame + END)
    except BlockingIOError:
        pass


def to_peer(udp, frame):
    """Sends the datagram in a frame to its peer. Dropped if the peer cannot be reached from here."""
    frame = frame.replace(ESC_END, END).replace(ESC_ESC, ESC)
    if len(frame) > 6:
        try:
            udp.sendto(frame[6:], (socket.inet_ntoa(frame[:4]), int.from_bytes(frame[4:6], "big")))
        except OSError:
            pass


def carry(udp, line):
    """Carries packets both ways until QEMU closes the line."""
    arrived = b""
    while True:
        readable, _, _ = select.select([udp, line], [], [])
        if udp in readable:
            to_line(line, *udp.recvfrom(65536))
        if line in readable:
            received = line.recv(65536)
            if not received:
                return
            *frames, arrived = (arrived + received).split(END)
            for frame in frames:
                to_peer(udp, frame)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 9899))
    line, far_end = socket.socketpair()
    line.setblocking(False)
    board = start(sys.argv[1], far_end)
    far_end.close()
    try:
        carry(udp, line)
        sys.exit(board.wait())
    except KeyboardInterrupt:
        pass
    finally:
        board.kill()
        board.wait()


main()
