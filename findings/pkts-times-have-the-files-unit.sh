#!/usr/bin/env bash
# io.pkts pkts-core 3.0.10 (Maven): the arrival time of a packet is in microseconds or in nanoseconds, as its file is, and its
# text is right for the second kind alone.
#
# Guess: `Packet.getArrivalTime()` is in microseconds, as its documentation says, which divides by 1000 to make a Date of it;
#   a capture in nanoseconds loses its last three digits.
# Seen: for such a file it is nanoseconds: the Date is in the year 55840, and differences, delays for instance, are a
#   thousand times too large. A packet has no method that tells which it is. Its text (toString) has the fraction with
#   nine digits for both: a quarter of a second in microseconds is shown as ".000250000". Captures of tcpdump are of the
#   first kind, those of many cards of the second.
# Source: io/pkts/packet/impl/PCapPacketImpl.java, getArrivalTime and toString.
# Output seen: "microseconds: 1700000000250000, year 2023, text 1700000000.000250000", "nanoseconds: 1700000000250000000, year
#   55840, text 1700000000.250000000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in io.pkts:pkts-{core,buffers,sip,sdp}:3.0.10 org.slf4j:slf4j-api:1.7.36; do
    mvn -q -B dependency:copy -Dartifact=$artifact -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
done
cat >Finding.java <<'JAVA'
import io.pkts.Pcap;
import io.pkts.protocol.Protocol;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;

public class Finding {
    public static void main(String[] arguments) throws Exception {
        show("microseconds", 0xa1b2c3d4, 250_000);
        show("nanoseconds", 0xa1b23c4d, 250_000_000);
    }

    static void show(String name, int magic, int fraction) throws Exception {
        ByteBuffer file = ByteBuffer.allocate(24 + 16 + 60).order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(magic).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(65535).putInt(1);
        file.putInt(1_700_000_000).putInt(fraction).putInt(60).putInt(60);
        Path path = Files.write(Path.of(name), file.array());
        Pcap.openStream(path.toFile()).loop(packet -> {
            long time = packet.getArrivalTime();
            int year = Instant.ofEpochMilli(time / 1000).atZone(ZoneOffset.UTC).getYear();
            String text = packet.getPacket(Protocol.PCAP).toString().replaceAll(".*Epoch Time: (\\S+) .*", "$1");
            System.out.println(name + ": " + time + ", year " + year + ", text " + text);
            return true;
        });
    }
}
JAVA
seen=$(java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "microseconds: 1700000000250000, year 2023, text 1700000000.000250000
nanoseconds: 1700000000250000000, year 55840, text 1700000000.250000000" ] || { echo "changed" >&2; exit 1; }
