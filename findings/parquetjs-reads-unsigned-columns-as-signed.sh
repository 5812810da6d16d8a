#!/usr/bin/env bash
# @dsnp/parquetjs 1.8.8 (npm): unsigned columns of 32 and 64 bits are read as signed, so that half of all TSNs are negative.
#
# Guess: UINT_32 and UINT_64 are read as what was written, up to 2^32-1 and 2^64-1 (parquet-format, LogicalTypes: unsigned integers are
#   stored as INT32 and INT64 and have to be read as unsigned); the package knows both types and writes them.
# Seen: TSN 4026531840 is -268435456 and 2^64-1 is -1n, as are verification tags, SSRCs, initial sequence numbers and hashes of flows
#   in their upper half: sorted by TSN a trace begins in its middle, a join with the capture finds nothing. Columns of 8
#   and 16 bits are right, and so are small counts of a test. hyparquet 1.33.0 reads all of them right.
# Source: dist/lib/types.js: UINT_32 and UINT_64 have a toPrimitive alone, so that the value of INT32 and INT64 is passed on.
# Output seen: "parquetjs: u16 65535 u32 -268435456 u64 -1", "hyparquet: u16 65535 u32 4026531840 u64 18446744073709551615"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install pyarrow==26.0.1 || exit 2
npm install --silent --no-audit --no-fund @dsnp/parquetjs@1.8.8 hyparquet@1.33.0 >/dev/null || exit 2
cat >write.py <<'PY'
import pyarrow
import pyarrow.parquet

columns = {"u16": (2**16 - 1, pyarrow.uint16()), "u32": (0xF0000000, pyarrow.uint32()), "u64": (2**64 - 1, pyarrow.uint64())}
table = pyarrow.table({name: pyarrow.array([value], kind) for name, (value, kind) in columns.items()})
pyarrow.parquet.write_table(table, "trace.parquet", compression="NONE")
PY
v/bin/python write.py
cat >read.mjs <<'JS'
import parquet from "@dsnp/parquetjs";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";

const show = (name, row) => console.log(`${name}: u16 ${row.u16} u32 ${row.u32} u64 ${row.u64}`);
const reader = await parquet.ParquetReader.openFile("trace.parquet");
show("parquetjs", await reader.getCursor().next());
await reader.close();
show("hyparquet", (await parquetReadObjects({ file: await asyncBufferFromFile("trace.parquet") }))[0]);
JS
seen=$(node read.mjs)
echo "$seen"
[ "$seen" = "parquetjs: u16 65535 u32 -268435456 u64 -1
hyparquet: u16 65535 u32 4026531840 u64 18446744073709551615" ] || { echo "changed" >&2; exit 1; }
