#!/usr/bin/env bash
# udsoncan 1.26.1 (PyPI): MemoryLocation(address=0, memorysize=16) is a ValueError about a dictionary.
#
# Guess: the smallest size of an address is chosen for it, as documented, where none is given: one octet for 0, as for 1, since an address has at
#   least one (ISO 14229-1, addressAndLengthFormatIdentifier).
# Seen: the size is taken from the bits of the number, and 0 has none, so that an address of 0 octets is asked for. Reading or flashing from the
#   beginning of the memory fails, unless the size is given; 1 passes.
# Source: udsoncan/common/MemoryLocation.py, autosize_address (val.bit_length()).
# Output seen: "address 4096, format None: 1000", "address 1, format None: 01", "address 0, format None: address_format must be an integer selected from", "address 0, format 8: 00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v udsoncan==1.26.1 || exit 2
cat >run.py <<'PY'
from udsoncan import MemoryLocation

for address, size in ((0x1000, None), (1, None), (0, None), (0, 8)):
    try:
        location = MemoryLocation(address=address, memorysize=16, address_format=size)
        print(f"address {address}, format {size}: {location.get_address_bytes().hex()}")
    except ValueError as error:
        print(f"address {address}, format {size}: {str(error)[:47]}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "address 4096, format None: 1000
address 1, format None: 01
address 0, format None: address_format must be an integer selected from
address 0, format 8: 00" ] || { echo "changed" >&2; exit 1; }
