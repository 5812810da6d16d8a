#!/usr/bin/env bash
# Agrona 2.3.2 (Maven), DeadlineTimerWheel: `poll` of a late moment expires none of the timers that are due by then.
#
# Guess: poll(now, handler, limit) expires the timers whose deadline is at or before now, up to the limit, and returns their number;
#   0 means that none is due. Who polls in a loop until 0, or as often as there are packets, keeps up after a pause.
# Seen: each call moves the wheel by one tick at most, whatever now is. With ticks of 16 ms, timers at 20, 100 and 1500 ms and a first
#   poll at 2000 ms, the calls 2, 7 and 30 expire one each, with 0 in between: a loop that ends at 0 expires none. A program
#   whose polls are rarer than its ticks (once a packet, or once an event of a simulation) falls behind for good, and each
#   retransmission is later than the last. Polling as long as currentTickTime() is not above now keeps up.
# Source: DeadlineTimerWheel.java, poll (currentTick is incremented once behind the loop over one tick's timers).
# Output seen: "loop until 0: 0 of 3", "polls that expire one: 2 7 30"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=org.agrona:agrona:2.3.2 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
cat >Finding.java <<'JAVA'
import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;

public class Finding {
    static DeadlineTimerWheel wheel() {
        DeadlineTimerWheel wheel = new DeadlineTimerWheel(TimeUnit.MILLISECONDS, 0, 16, 64);
        for (long deadline : new long[] {20, 100, 1500}) {
            wheel.scheduleTimer(deadline);
        }
        return wheel;
    }

    public static void main(String[] arguments) {
        DeadlineTimerWheel wheel = wheel();
        int expired = 0;
        int last;
        do {
            last = wheel.poll(2000, (unit, now, timer) -> true, 100);
            expired += last;
        } while (last > 0);
        System.out.println("loop until 0: " + expired + " of 3");
        wheel = wheel();
        StringBuilder polls = new StringBuilder();
        for (int poll = 1; wheel.timerCount() > 0; poll++) {
            if (wheel.poll(2000, (unit, now, timer) -> true, 100) > 0) {
                polls.append(' ').append(poll);
            }
        }
        System.out.println("polls that expire one:" + polls);
    }
}
JAVA
seen=$(java --add-opens java.base/jdk.internal.misc=ALL-UNNAMED -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "loop until 0: 0 of 3
polls that expire one: 2 7 30" ] || { echo "changed" >&2; exit 1; }
