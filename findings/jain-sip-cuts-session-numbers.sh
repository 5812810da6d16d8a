#!/usr/bin/env bash
# jain-sip-ri 1.3.0-91 (Maven): session numbers above 2^63 in the o= line lose their first digits.
#
# Guess: a description that is parsed and written has the same o= line, by which the other end knows the session and its
#   versions (RFC 8866 §5.2: numeric strings of any length, best an NTP timestamp); a number that a long cannot hold is an
#   error, or is kept as text, which the field for it (setSessionId(String)) seems to be for.
# Seen: the last eighteen digits are kept, without an error, of the number and of the version. NTP timestamps of 64 bits are
#   above 2^63 from 1968 to 2036, so that of a gateway's sessions all are changed: the two ends of a call log two numbers, an
#   answer that is matched by the offer's o= line finds none, and sessions that differ in front become one.
# Source: gov/nist/javax/sdp/parser/OriginFieldParser.java, originField ("guard against very long session IDs").
# Output seen: "9223372036854775807 -> 9223372036854775807", "17015887872000000007 -> 015887872000000007",
#   "16015887872000000007 -> 015887872000000007"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=javax.sip:jain-sip-ri:1.3.0-91 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
cat >Finding.java <<'JAVA'
import javax.sdp.SdpFactory;

public class Finding {
    public static void main(String[] arguments) throws Exception {
        for (String number : new String[] {"9223372036854775807", "17015887872000000007", "16015887872000000007"}) {
            String text = "v=0\r\no=- " + number + " 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
                + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=sctp-port:5000\r\n";
            String written = SdpFactory.getInstance().createSessionDescription(text).toString();
            System.out.println(number + " -> " + written.split("o=- ")[1].split(" ")[0]);
        }
    }
}
JAVA
seen=$(java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "9223372036854775807 -> 9223372036854775807
17015887872000000007 -> 015887872000000007
16015887872000000007 -> 015887872000000007" ] || { echo "changed" >&2; exit 1; }
