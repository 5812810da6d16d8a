#!/usr/bin/env bash
# OpenJDK 17.0.15, com.sun.nio.sctp: MessageInfo.timeToLive never reaches the socket.
#
# Guess: a message with timeToLive(100) goes out with a life time of 100 ms, as the documentation of MessageInfo says (the sender
#   may expire it): sinfo_timetolive of the sndrcvinfo of RFC 6458 §5.3.2, which Linux takes for PR-SCTP (RFC 3758 §4.1).
# Seen: stream, order and payload protocol are passed on, the life time is 0, which means reliable. After a loss or with a closed
#   window old measurements are sent again and hold up new ones, and no SendFailedNotification tells of an expired one.
#   Neither getter nor channel says that it is not supported.
# How seen: a library before libc gives Java a socket of UDP for one of SCTP and prints the ancillary data of sendmsg, so that
#   no SCTP of the kernel is needed. libsctp1 1.0.19 (Debian) is what Java loads for SCTP.
# Source: sun.nio.ch.sctp.SctpMultiChannelImpl.send0 and SctpChannelImpl.send0 have no argument for it; SctpChannelImpl.c,
#   setControlData.
# Output seen: "asked for 100 ms", "stream 3, unordered, ppid 3, life time 0 ms"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libsctp1=1.0.19+dfsg-2 2>/dev/null || exit 2
dpkg -x ./*.deb root
java --list-modules | grep -q '^jdk\.sctp@17\.' || { echo "needs OpenJDK 17" >&2; exit 2; }
cat >watch.c <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct sndrcvinfo {
    uint16_t stream, ssn, flags;
    uint32_t ppid, context, timetolive, tsn, cumtsn;
    int32_t assoc_id;
};

int socket(int domain, int type, int protocol) {
    int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
    return protocol == 132 ? next(domain, SOCK_DGRAM, 0) : next(domain, type, protocol);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length) {
    int (*next)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");
    return level == 132 ? 0 : next(fd, level, name, value, length);
}

int listen(int fd, int backlog) { return (void)fd, (void)backlog, 0; }

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    ssize_t (*next)(int, const struct msghdr *, int) = dlsym(RTLD_NEXT, "sendmsg");
    struct cmsghdr *control = CMSG_FIRSTHDR(message);
    if (!control || control->cmsg_level != 132) return next(fd, message, flags);
    struct sndrcvinfo info;
    memcpy(&info, CMSG_DATA(control), sizeof info);
    printf("stream %u, %s, ppid %u, life time %u ms\n", info.stream, info.flags & 1 ? "unordered" : "ordered", ntohl(info.ppid),
        info.timetolive);
    fflush(stdout);
    return message->msg_iov[0].iov_len;
}
C
gcc -shared -fPIC -o watch.so watch.c -ldl || exit 2
cat >Finding.java <<'JAVA'
import com.sun.nio.sctp.MessageInfo;
import com.sun.nio.sctp.SctpMultiChannel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

public class Finding {
    public static void main(String[] arguments) throws Exception {
        SctpMultiChannel channel = SctpMultiChannel.open();
        channel.bind(new InetSocketAddress("127.0.0.1", 0));
        MessageInfo info = MessageInfo.createOutgoing(new InetSocketAddress("127.0.0.1", 2905), 3);
        info.payloadProtocolID(3).unordered(true).timeToLive(100);
        System.out.println("asked for " + info.timeToLive() + " ms");
        channel.send(ByteBuffer.wrap(new byte[4]), info);
        System.exit(0);
    }
}
JAVA
seen=$(LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu LD_PRELOAD=$folder/watch.so \
    java -Djava.net.preferIPv4Stack=true Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "asked for 100 ms
stream 3, unordered, ppid 3, life time 0 ms" ] || { echo "changed" >&2; exit 1; }
