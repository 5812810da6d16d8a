#!/usr/bin/env bash
# toml4j 0.7.2 (Maven): 07:32:00.5 is five milliseconds past 07:32, half a second is written 07:32:00.500.
#
# Guess: 2026-01-02T07:32:00.5Z is 500 milliseconds past 07:32 (RFC 3339 §5.6, which TOML names: time-secfrac is a point and one digit or more),
#   .25 is 250, and .123456, as most programs of this field write times of packets, is 123, since its manual limits the precision to milliseconds.
# Seen: 5 and 25 milliseconds: the digits behind the point count as a number of milliseconds, however many they are. Three digits are right. Six digits are
#   "Invalid value", so that a time with microseconds cannot be read at all. Two times 0.4 s apart, .5 and .9, are 4 ms apart.
# Source: com.moandjiezana.toml.DateValueReaderWriter: a SimpleDateFormat with ".SSS", the field of milliseconds of Java.
# Output seen: ".5 5", ".25 25", ".250 250", ".123456 IllegalStateException"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in com.moandjiezana.toml:toml4j:0.7.2 com.google.code.gson:gson:2.8.1; do
    mvn -q -B dependency:copy -Dartifact=$artifact -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
done
cat >Run.java <<'JAVA'
import com.moandjiezana.toml.Toml;

public class Run {
    public static void main(String[] arguments) {
        long minute = new Toml().read("time = 2026-01-02T07:32:00Z").getDate("time").getTime();
        for (String fraction : new String[] {".5", ".25", ".250", ".123456"}) {
            try {
                long time = new Toml().read("time = 2026-01-02T07:32:00" + fraction + "Z").getDate("time").getTime();
                System.out.println(fraction + " " + (time - minute));
            } catch (RuntimeException e) {
                System.out.println(fraction + " " + e.getClass().getSimpleName());
            }
        }
    }
}
JAVA
seen=$(java -cp 'lib/*' Run.java)
echo "$seen"
[ "$seen" = ".5 5
.25 25
.250 250
.123456 IllegalStateException" ] || { echo "changed" >&2; exit 1; }
