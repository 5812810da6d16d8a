#!/usr/bin/env bash
# netty 4.1.115 (Maven, netty-transport-sctp): its reassembly joins an ordered message with an unordered one of the stream.
#
# Guess: SctpMessageCompletionHandler, which joins the pieces that partial delivery gives (RFC 6458 §8.1.20), tells messages
#   apart by stream and order: on each stream there are two rows of messages (RFC 8260 §2.1, the U bit), so that a whole
#   unordered message may come between two pieces of an ordered one.
# Seen: the stream alone counts. "hel" of an ordered message, then the unordered "!", then "lo": "hel!" comes out, with the
#   protocol identifier of the unordered one, and "lo" as a message of its own. Both counts and lengths look plausible. On
#   another stream the unordered message comes out whole.
# Source: io.netty.handler.codec.sctp.SctpMessageCompletionHandler, decode: its map has the stream identifier as the key.
# Output seen: "same stream: hel! (47), lo (46)", "other stream: ! (47), hello (46)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for name in transport-sctp transport buffer common codec resolver; do
    mvn -q -B dependency:copy -Dartifact=io.netty:netty-$name:4.1.115.Final -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
done
cat >Finding.java <<'JAVA'
import com.sun.nio.sctp.MessageInfo;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.sctp.SctpMessage;
import io.netty.handler.codec.sctp.SctpMessageCompletionHandler;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

public class Finding {
    static SctpMessage piece(String text, int stream, int protocol, boolean unordered, boolean complete) {
        MessageInfo info = MessageInfo.createOutgoing((SocketAddress) null, stream);
        info.payloadProtocolID(protocol).unordered(unordered).complete(complete);
        return new SctpMessage(info, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    static void join(String name, int stream) {
        EmbeddedChannel channel = new EmbeddedChannel(new SctpMessageCompletionHandler());
        channel.writeInbound(piece("hel", 1, 46, false, false));
        channel.writeInbound(piece("!", stream, 47, true, true));
        channel.writeInbound(piece("lo", 1, 46, false, true));
        List<String> out = new ArrayList<>();
        for (SctpMessage one; (one = channel.readInbound()) != null; ) {
            out.add(one.content().toString(StandardCharsets.UTF_8) + " (" + one.protocolIdentifier() + ")");
        }
        System.out.println(name + ": " + String.join(", ", out));
    }

    public static void main(String[] arguments) {
        join("same stream", 1);
        join("other stream", 2);
    }
}
JAVA
javac -cp "lib/*" Finding.java || exit 2
seen=$(java -cp "lib/*:." Finding 2>/dev/null)
echo "$seen"
[ "$seen" = "same stream: hel! (47), lo (46)
other stream: ! (47), hello (46)" ] || { echo "changed" >&2; exit 1; }
