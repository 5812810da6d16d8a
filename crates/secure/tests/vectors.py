#!/usr/bin/env python3
"""Vectors for the DTLS chunk of SCTP (draft-ietf-tsvwg-sctp-dtls-chunk-04), made and checked without our own code.

    vectors.py make             prints vectors as JSON
    vectors.py check FILE...    opens every packet in files of that form, and compares; exit code 1 if one is wrong

Needs the package `cryptography`.
"""

import json
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

CHUNK = 0x41
PARAMETER = 0x8006
SUITES = {"1301": (16, AESGCM), "1302": (32, AESGCM), "1303": (32, ChaCha20Poly1305)}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def mask(suite, sn_key, sample):
    """RFC 9147 section 4.2.3."""
    if suite == "1303":
        return Cipher(algorithms.ChaCha20(sn_key, sample), None).encryptor().update(bytes(2))
    return Cipher(algorithms.AES(sn_key), modes.ECB()).encryptor().update(sample)[:2]


def nonce(iv, sequence):
    """RFC 8446 section 5.3."""
    return bytes(a ^ b for a, b in zip(iv, sequence.to_bytes(12, "big")))


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def seal(vector):
    """The packet of a vector."""
    key, iv, sn_key, header, chunks = (
        bytes.fromhex(vector[name]) for name in ("key", "iv", "sn_key", "header", "chunks")
    )
    suite, sequence, epoch = vector["suite"], vector["sequence"], vector["epoch"]
    flags = bytes([0b00101000 | epoch & 3])
    number = struct.pack(">H", sequence & 0xFFFF)
    aead = SUITES[suite][1](key)
    ciphertext = aead.encrypt(nonce(iv, sequence), chunks + b"\x17", flags + number)
    record = flags + xor(number, mask(suite, sn_key, ciphertext[:16])) + ciphertext
    length = 4 + 1 + len(record)
    chunk = struct.pack(">BBHB", CHUNK, vector["restart"], length, 0) + record
    chunk += bytes(-len(chunk) % 4)
    packet = bytearray(header + chunk)
    packet[8:12] = struct.pack("<I", crc32c(packet))
    return bytes(packet)


def fault(vector):
    """What is wrong with the packet of a vector; None if nothing is."""
    packet = bytes.fromhex(vector["packet"])
    bare = packet[:8] + bytes(4) + packet[12:]
    if struct.unpack("<I", packet[8:12])[0] != crc32c(bare):
        return "checksum"
    if bare[:12] != bytes.fromhex(vector["header"]):
        return "common header"
    kind, flags, length, padding = struct.unpack(">BBHB", packet[12:17])
    if (kind, flags, padding) != (CHUNK, vector["restart"], 0):
        return "chunk header"
    record, rest = packet[17 : 12 + length], packet[12 + length :]
    if len(rest) > 3 or any(rest) or len(packet) % 4:
        return "padding"
    if record[0] != 0b00101000 | vector["epoch"] & 3:
        return "record header"
    ciphertext = record[3:]
    number = xor(record[1:3], mask(vector["suite"], bytes.fromhex(vector["sn_key"]), ciphertext[:16]))
    if number != struct.pack(">H", vector["sequence"] & 0xFFFF):
        return "sequence number"
    aead = SUITES[vector["suite"]][1](bytes.fromhex(vector["key"]))
    try:
        plain = aead.decrypt(
            nonce(bytes.fromhex(vector["iv"]), vector["sequence"]), ciphertext, record[:1] + number
        )
    except InvalidTag:
        return "tag"
    if plain[-1:] != b"\x17":
        return "content type"
    if vector.get("chunks") is None:
        return None if len(plain) % 4 == 1 else "length of chunks"
    return None if plain[:-1].hex() == vector["chunks"] else "chunks"


def parameter(tie_breaker, flags, methods):
    return struct.pack(">HHIB", PARAMETER, 9 + len(methods), tie_breaker, flags) + bytes(methods)


def exporter_inputs():
    """The contexts of the twelve exports of draft-porfiri-tsvwg-sctp-dtls-handshake-01 section 5.2."""
    client = parameter(0x01020304, 0b101, [192, 0])
    server = parameter(0xA1A2A3A4, 0b110, [192])
    return [
        {
            "label": "EXPORTER_TLS_FOR_DTLS_IN_SCTP",
            "direction": direction,
            "key_role": role,
            "key_type": kind,
            "client_parameter": client.hex(),
            "server_parameter": server.hex(),
            "context": (bytes([direction, role, kind]) + client + server).hex(),
        }
        for direction in (0, 1)
        for role in (0, 1)
        for kind in (0, 1, 2)
    ]


def make():
    data = "000300150001e240000100020000003c68656c6c6f000000"
    sack = "03000010f814c1060002000000000000"
    cookie = "0a00000c0102030405060708"
    vectors = []
    for place, suite in enumerate(SUITES):
        length = SUITES[suite][0]
        key = bytes((place * 50 + 3 * n) % 256 for n in range(length))
        sn_key = bytes((place * 70 + 5 * n + 1) % 256 for n in range(length))
        iv = bytes(range(0x40 + place, 0x4C + place))
        for epoch, sequence, restart, chunks in [
            (3, 0, 0, data),
            (3, 1, 0, sack + data),
            (4, 0xFFFF, 0, data * 50),
            (5, 0x10000, 0, sack),
            (6, 0x123456789A, 0, data),
            (7, 0, 1, cookie),
        ]:
            vector = {
                "suite": suite,
                "key": key.hex(),
                "iv": iv.hex(),
                "sn_key": sn_key.hex(),
                "epoch": epoch,
                "restart": restart,
                "sequence": sequence,
                "header": "13881f900badcafe00000000",
                "chunks": chunks,
            }
            vector["packet"] = seal(vector).hex()
            vectors.append(vector)
    return {
        "draft": "draft-ietf-tsvwg-sctp-dtls-chunk-04",
        "key_management": "draft-porfiri-tsvwg-sctp-dtls-handshake-01",
        "made_by": "vectors.py with the Python package cryptography",
        "packets": vectors,
        "exporter": exporter_inputs(),
    }


def main(arguments):
    if arguments == ["make"]:
        json.dump(make(), sys.stdout, indent=1)
        print()
        return 0
    if not arguments or arguments[0] != "check":
        print(__doc__, file=sys.stderr)
        return 2
    wrong = 0
    for path in arguments[1:]:
        with open(path, encoding="utf-8") as file:
            packets = json.load(file)["packets"]
        for place, vector in enumerate(packets):
            found = fault(vector)
            if found is not None:
                wrong += 1
                print(f"{path}: packet {place}: {found}")
        print(f"{path}: {len(packets)} packets opened")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
