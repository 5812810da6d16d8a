#!/usr/bin/env bash
# commons-math3 3.6.1 (Maven): the Kolmogorov-Smirnov test of two samples with equal values depends on their order.
#
# Guess: kolmogorovSmirnovTest(x, y) of two equal samples, whose statistic is 0, is 1, and is the same for (x, y) and (y, x); round
#   trips in whole milliseconds, where most values are equal, are as good as finer ones.
# Seen: samples of less than 10000 pairs in which a value occurs twice get random noise, smaller than the distance of two
#   values, and the noise is what is compared: fifteen times 20 ms against the same is 0.075. With four of 19 ms in one of them
#   (D = 0.267, as kolmogorovSmirnovStatistic says rightly) it is 0.002 one way, "different", and 0.386 the other way. The noise
#   has a fixed seed, so that each run agrees with the last. From 100 values each on there is no noise: 1.
# Source: KolmogorovSmirnovTest.java, fixTies and jitter. The doc comment of kolmogorovSmirnovTest tells of the noise.
# Output seen: "equal, 15 values: D 0.000 p 0.075", "four of 19 ms: D 0.267 p 0.002, turned round 0.386"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=org.apache.commons:commons-math3:3.6.1 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
cat >Finding.java <<'JAVA'
import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.math3.stat.inference.KolmogorovSmirnovTest;

public class Finding {
    static final KolmogorovSmirnovTest TEST = new KolmogorovSmirnovTest();

    static void show(String name, double[] x, double[] y) {
        System.out.println(String.format(Locale.ROOT, "%s: D %.3f p %.3f, turned round %.3f", name,
            TEST.kolmogorovSmirnovStatistic(x, y), TEST.kolmogorovSmirnovTest(x, y), TEST.kolmogorovSmirnovTest(y, x)));
    }

    public static void main(String[] arguments) {
        double[] few = new double[15];
        double[] many = new double[100];
        Arrays.fill(few, 20);
        Arrays.fill(many, 20);
        double[] faster = few.clone();
        Arrays.fill(faster, 0, 4, 19);
        show("equal, 15 values", few, few.clone());
        show("four of 19 ms", few, faster);
        show("equal, 100 values", many, many.clone());
    }
}
JAVA
seen=$(java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "equal, 15 values: D 0.000 p 0.075, turned round 0.075
four of 19 ms: D 0.267 p 0.002, turned round 0.386
equal, 100 values: D 0.000 p 1.000, turned round 1.000" ] || { echo "changed" >&2; exit 1; }
