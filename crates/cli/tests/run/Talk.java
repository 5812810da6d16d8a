import com.sun.nio.sctp.*;
import com.sun.nio.sctp.AssociationChangeNotification.AssocChangeEvent;
import java.io.IOException;
import java.net.*;
import java.nio.ByteBuffer;
import java.util.*;

/** Talks to itself, one-to-one and one-to-many; ends with an error where something is not as it was sent. */
class Talk {
    static final InetSocketAddress ONE = new InetSocketAddress("127.0.0.1", 5000);
    static final InetSocketAddress MANY = new InetSocketAddress("127.0.0.1", 5001);
    static int answered = 0;

    public static void main(String[] args) throws IOException {
        oneToOne();
        oneToMany();
        System.out.println("answered " + answered);
    }

    static void oneToOne() throws IOException {
        var listener = SctpServerChannel.open().bind(ONE).bindAddress(InetAddress.getByName("127.0.0.2"));
        var client = SctpChannel.open(ONE, 5, 4);
        var server = listener.accept();
        check(client.association().maxOutboundStreams() == 5, client.association());
        check(server.association().maxOutboundStreams() == 4, server.association());
        check(client.getRemoteAddresses().size() == 2, client.getRemoteAddresses());
        client.setOption(SctpStandardSocketOptions.SCTP_NODELAY, true);
        var events = new Events();
        for (int stream = 0; stream < 4; stream++) {
            var text = text(stream);
            client.send(text, MessageInfo.createOutgoing(null, stream).payloadProtocolID(46));
            text = expect(text, buffer -> server.receive(buffer, null, events), stream, 46);
            var back = MessageInfo.createOutgoing(null, stream).payloadProtocolID(47).unordered(true);
            server.send(text, back);
            expect(text, buffer -> client.receive(buffer, null, events), stream, 47);
            answered++;
        }
        server.shutdown();
        check(client.receive(ByteBuffer.allocate(1), null, events).bytes() == -1, "no end");
        check(events.shutdowns == 1, events);
        client.close();
        server.close();
        listener.close();
    }

    static void oneToMany() throws IOException {
        var server = SctpMultiChannel.open().bind(MANY);
        var clients = new ArrayList<SctpMultiChannel>();
        var events = new Events();
        for (int number = 0; number < 3; number++) {
            var client = SctpMultiChannel.open();
            clients.add(client);
            for (int stream = 0; stream < 4; stream++) {
                client.send(text(stream), MessageInfo.createOutgoing(MANY, stream).payloadProtocolID(46));
            }
        }
        for (int count = 0; count < 12; count++) {
            var buffer = ByteBuffer.allocate(70000);
            var info = server.receive(buffer, null, events);
            var back = MessageInfo.createOutgoing(info.association(), null, info.streamNumber());
            server.send(buffer.flip(), back.payloadProtocolID(info.payloadProtocolID() + 1));
        }
        check(events.up == 3 && server.associations().size() == 3, events);
        for (var client : clients) {
            for (int stream = 0; stream < 4; stream++) {
                expect(text(stream), buffer -> client.receive(buffer, null, new Events()), stream, 47);
                answered++;
            }
            // From here on the client has a socket for this association alone.
            var branch = client.branch(client.associations().iterator().next());
            check(client.associations().isEmpty(), client.associations());
            branch.send(text(1), MessageInfo.createOutgoing(null, 1).payloadProtocolID(48));
            expect(text(1), buffer -> server.receive(buffer, null, events), 1, 48);
            // On Linux, shutdown() does nothing to such a socket.
            branch.close();
            client.close();
        }
        while (events.ended < 3) {
            server.receive(ByteBuffer.allocate(1), null, events);
        }
        check(events.shutdowns == 3 && server.associations().isEmpty(), events);
        server.close();
    }

    /** A message of its own for each stream, of up to 60 kilobytes. */
    static ByteBuffer text(int stream) {
        var text = new byte[1 + 20000 * stream];
        new Random(stream).nextBytes(text);
        return ByteBuffer.wrap(text);
    }

    interface Receiver {
        MessageInfo receive(ByteBuffer buffer) throws IOException;
    }

    /** Receives a message, in parts if it comes so. */
    static ByteBuffer expect(ByteBuffer text, Receiver from, int stream, int ppid) throws IOException {
        var buffer = ByteBuffer.allocate(70000);
        MessageInfo info;
        do {
            info = from.receive(buffer);
            check(info.streamNumber() == stream && info.payloadProtocolID() == ppid, info);
        } while (!info.isComplete());
        check(buffer.flip().equals(text.rewind()), info);
        return buffer;
    }

    static void check(boolean isTrue, Object instead) {
        if (!isTrue) {
            throw new AssertionError(instead);
        }
    }

    /** Counts notifications. */
    static class Events extends AbstractNotificationHandler<Void> {
        int up, shutdowns, ended;

        public HandlerResult handleNotification(AssociationChangeNotification change, Void nothing) {
            up += change.event() == AssocChangeEvent.COMM_UP ? 1 : 0;
            ended += change.event() == AssocChangeEvent.SHUTDOWN ? 1 : 0;
            return ended == 3 ? HandlerResult.RETURN : HandlerResult.CONTINUE;
        }

        public HandlerResult handleNotification(ShutdownNotification shutdown, Void nothing) {
            shutdowns++;
            return HandlerResult.CONTINUE;
        }

        public String toString() {
            return up + " up, " + shutdowns + " shutdowns, " + ended + " ended";
        }
    }
}
