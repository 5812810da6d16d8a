#!/usr/bin/env bash
# gtfs-utils 5.1.0 (npm): of a trip that repeats at exact times only the last run of each period is left, and there is a connection back that no data have.
#
# Guess: a row of frequencies.txt with exact_times=1 is "a compressed representation of schedule-based service" (GTFS reference, frequencies.txt): from 06:00 until
#   before 07:00 each ten minutes are six runs, and the times of stop_times.txt are but the distances between the stops.
# Seen: each run overwrites the one before, and the last, 06:50, is kept. The trip of stop_times.txt itself, 06:00, is there as well. Both are strung
#   together: there is a connection from the last stop of one to the first of the other, which takes 45 minutes against the direction of the line. With
#   exact_times=0 all runs are there, the first twice.
# Source: lib/read-stop-times.js (newArrs, newDeps in the loop; insertAt behind it; stops.flat()), compute-connections.js. readme.md: "supports frequencies.txt".
# Output seen: "exact_times=1: A->B 06:00-06:05, B->A 06:05-06:50, A->B 06:50-06:55", "exact_times=0: A->B 06:00-06:05, A->B 06:00-06:05, A->B 06:10-06:15, (...)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund gtfs-utils@5.1.0 >/dev/null || exit 2
cat >run.js <<'JS'
const computeConnections = require("gtfs-utils/compute-connections");
const clock = (seconds) => new Date(seconds * 1000).toISOString().slice(11, 16);
const stop = (stop_id, stop_sequence, time) => ({ trip_id: "t", stop_id, stop_sequence, arrival_time: time, departure_time: time });
(async () => {
  for (const exact_times of ["1", "0"]) {
    const tables = {
      trips: [{ trip_id: "t", route_id: "r", service_id: "s" }],
      stop_times: [stop("A", "1", "06:00:00"), stop("B", "2", "06:05:00")],
      frequencies: [{ trip_id: "t", start_time: "06:00:00", end_time: "07:00:00", headway_secs: "600", exact_times }],
    };
    for await (const list of computeConnections(async (name) => (async function* () { yield* tables[name]; })())) {
      const text = list.map(({ fromStop, toStop, departure, arrival }) => `${fromStop}->${toStop} ${clock(departure)}-${clock(arrival)}`);
      console.log(`exact_times=${exact_times}: ${text.join(", ")}`);
    }
  }
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "exact_times=1: A->B 06:00-06:05, B->A 06:05-06:50, A->B 06:50-06:55
exact_times=0: A->B 06:00-06:05, A->B 06:00-06:05, A->B 06:10-06:15, A->B 06:20-06:25, A->B 06:30-06:35, A->B 06:40-06:45, A->B 06:50-06:55" ] || { echo "changed" >&2; exit 1; }
