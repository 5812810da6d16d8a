#!/usr/bin/env bash
# marineapi 0.12.0 (Maven): the universal time of a ZDA sentence is given the zone of the ship in text, and that of the host as a Date.
#
# Guess: the first field of ZDA is universal time, and the last two tell the zone of the place beside it (NMEA 0183 and IEC 61162-1, ZDA): 12:00 with the zone -02 is
#   12:00Z, whatever the zone and wherever it is read; as ISO 8601 "12:00:00+00:00" or the local time with its offset. The zone may be empty.
# Seen: getTime() puts both together: "12:00:00-02:00", which is 14:00Z. toDate() sets the hours in a calendar of the host's zone: 11:00Z in Berlin, with each zone in the
#   sentence. Without a zone there is no time either: DataNotAvailableException from getTime() and toDate(), though the time is there.
# Source: net/sf/marineapi/nmea/parser/ZDAParser.java, getTime (setOffsetHours), toDate; util/Time.java, toISO8601, toDate (new GregorianCalendar()).
# Output seen: "UTC: zone -02: 12:00:00-02:00, date 2026-01-02T12:00:00Z", "Europe/Berlin: zone -02: 12:00:00-02:00, date 2026-01-02T11:00:00Z", "no zone: DataNotAvailableException"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=net.sf.marineapi:marineapi:0.12.0 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
cat >Run.java <<'JAVA'
import net.sf.marineapi.nmea.parser.SentenceFactory;
import net.sf.marineapi.nmea.sentence.ZDASentence;

public class Run {
    public static void main(String[] arguments) {
        for (String zone : new String[] {"00,00", "-02,00", ","}) {
            String body = "GPZDA,120000.00,02,01,2026," + zone;
            String sentence = String.format("$%s*%02X", body, body.chars().reduce(0, (sum, letter) -> sum ^ letter));
            ZDASentence read = (ZDASentence) SentenceFactory.getInstance().createParser(sentence);
            String seen;
            try {
                seen = read.getTime().toISO8601() + ", date " + read.toDate().toInstant();
            } catch (RuntimeException e) {
                seen = e.getClass().getSimpleName();
            }
            System.out.println(arguments[0] + ": zone " + zone + ": " + seen);
        }
    }
}
JAVA
seen=$(for zone in UTC Europe/Berlin; do java -Duser.timezone=$zone -cp "lib/*" Run.java $zone; done)
echo "$seen"
[ "$seen" = "UTC: zone 00,00: 12:00:00+00:00, date 2026-01-02T12:00:00Z
UTC: zone -02,00: 12:00:00-02:00, date 2026-01-02T12:00:00Z
UTC: zone ,: DataNotAvailableException
Europe/Berlin: zone 00,00: 12:00:00+00:00, date 2026-01-02T11:00:00Z
Europe/Berlin: zone -02,00: 12:00:00-02:00, date 2026-01-02T11:00:00Z
Europe/Berlin: zone ,: DataNotAvailableException" ] || { echo "changed" >&2; exit 1; }
