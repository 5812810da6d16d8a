"""Asks the SIP server on port 5060 of 127.0.0.1 for its options, so many times, over one association."""

import socket
import sys

IPPROTO_SCTP = 132

count = int(sys.argv[1])
with socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SCTP) as connection:
    connection.settimeout(60)
    # A worker of Kamailio may answer to the address in Via, before another one knows the association.
    connection.bind(("127.0.0.1", 5061))
    connection.connect(("127.0.0.1", 5060))
    for number in range(count):
        lines = [
            "OPTIONS sip:server@127.0.0.1 SIP/2.0",
            f"Via: SIP/2.0/SCTP 127.0.0.1:5061;branch=z9hG4bK{number}",
            "From: <sip:client@127.0.0.1>;tag=1",
            "To: <sip:server@127.0.0.1>",
            f"Call-ID: call {number}",
            f"CSeq: {number + 1} OPTIONS",
            "Max-Forwards: 5",
            "Content-Length: 0",
        ]
        connection.send("".join(line + "\r\n" for line in [*lines, ""]).encode())
        answer = connection.recv(4000).decode().splitlines()
        assert answer[0] == "SIP/2.0 200 OK", answer
        assert f"Call-ID: call {number}" in answer, answer
print("answered", count)
