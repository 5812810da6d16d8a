#!/usr/bin/env bash
# someip 0.3.0 and someipy 2.1.2 (PyPI): a response with an error that its service defines (return code 20 to 5e, hex) cannot be read.
#
# Guess: return codes 20 to 5e (to 3f in older editions) are for the errors of services and methods, 0b to 0f for those of E2E (AUTOSAR
#   PRS_SOMEIP_00191, which someipy names above its list); a client gets the code as a number where it has no name.
# Seen: both know 00 to 0a alone. someip refuses the header, so that the answer never comes, with a message that shows the text {rc_b:#x} instead of
#   the code; the enumeration of someipy, which its client makes of the code of each response, raises ValueError.
# Source: someip/header.py, SOMEIPReturnCode and SOMEIPHeader._parse_header; someipy/_internal/return_codes.py, used in client_service_instance.py.
# Output seen: "00: someip E_OK, someipy E_OK", "01: someip E_NOT_OK, someipy E_NOT_OK", "0a: someip E_WRONG_MESSAGE_TYPE, someipy E_WRONG_MESSAGE_TYPE", "0b: someip bad someip return code {rc_b:#x}, someipy 11 is not a valid ReturnCode", "20: someip bad someip return code {rc_b:#x}, someipy 32 is not a valid ReturnCode", "5e: someip bad someip return code {rc_b:#x}, someipy 94 is not a valid ReturnCode"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v someip==0.3.0 someipy==2.1.2 || exit 2
cat >run.py <<'PY'
import importlib.util, pathlib
from someip.header import ParseError, SOMEIPHeader

file = pathlib.Path(__import__("sys").path[1]) / "someipy/_internal/return_codes.py"  # alone, without the daemon around it
spec = importlib.util.spec_from_file_location("return_codes", file)
return_codes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(return_codes)

for code in (0x00, 0x01, 0x0A, 0x0B, 0x20, 0x5E):
    answer = bytes.fromhex("1234 0001 00000008 0001 0001 01 01 80") + bytes([code])
    try:
        first = SOMEIPHeader.parse(answer)[0].return_code.name
    except ParseError as error:
        first = str(error)
    try:
        second = return_codes.ReturnCode(code).name
    except ValueError as error:
        second = str(error)
    print(f"{code:02x}: someip {first}, someipy {second}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "00: someip E_OK, someipy E_OK
01: someip E_NOT_OK, someipy E_NOT_OK
0a: someip E_WRONG_MESSAGE_TYPE, someipy E_WRONG_MESSAGE_TYPE
0b: someip bad someip return code {rc_b:#x}, someipy 11 is not a valid ReturnCode
20: someip bad someip return code {rc_b:#x}, someipy 32 is not a valid ReturnCode
5e: someip bad someip return code {rc_b:#x}, someipy 94 is not a valid ReturnCode" ] || { echo "changed" >&2; exit 1; }
