//! The engine and the simulated TCP over one bottleneck.

use std::ops::Range;

use sheave_sim::scenario::read;

use crate::town::secs;

/// Jain's index (1 where all get the same, 1/n where one gets all).
fn jain(goodput: &[f64]) -> f64 {
    let sum: f64 = goodput.iter().sum();
    let squares: f64 = goodput.iter().map(|g| g * g).sum();
    sum * sum / (goodput.len() as f64 * squares)
}

/// Mbit/s of user data of two associations and two connections in 180 s, after 20 s.
fn goodput(queue: &str, [sctp, tcp]: [&str; 2], seed: u64) -> [f64; 4] {
    let mut text = format!(
        r#"
        name = "fairness"
        duration = "200 s"
        hosts = ["s1", "s2", "t1", "t2", "S1", "S2", "T1", "T2"]
        routers = ["left", "right"]

        [link.bottleneck]
        ends = ["left", "right"]
        rate = "10 Mbit/s"
        delay = "20 ms"
        queue = {{ {queue} }}
        loss = "0.01 %"
        back = {{ loss = 0 }}
        "#
    );
    let flows = [
        ("s1", "S1", "sctp", sctp),
        ("s2", "S2", "sctp", sctp),
        ("t1", "T1", "tcp", tcp),
        ("t2", "T2", "tcp", tcp),
    ];
    for (n, (from, to, transport, options)) in flows.iter().enumerate() {
        let start = 137 * (n + 1);
        text += &format!(
            r#"
            [link.near-{from}]
            ends = ["{from}", "left"]
            rate = "1 Gbit/s"
            delay = "10 us"

            [link.far-{to}]
            ends = ["right", "{to}"]
            rate = "1 Gbit/s"
            delay = "10 us"

            [flow.{from}]
            from = "{from}"
            to = "{to}"
            start = "{start} ms"
            workload = {{ kind = "bulk", message = 1452 }}
            transport = "{transport}"
            {transport} = {{ {options} }}
            "#
        );
    }
    let cases = read(&text).expect("a scenario");
    let mut run = cases[0].scenario.build(seed).expect("a world");
    let names = ["s1", "s2", "t1", "t2"];
    run.world.run_until(secs(20));
    let before = names.map(|name| run.sink(name).expect("a sink").bytes());
    run.world.run_until(secs(200));
    let after = names.map(|name| run.sink(name).expect("a sink").bytes());
    core::array::from_fn(|n| (after[n] - before[n]) as f64 * 8.0 / 180e6)
}

/// Whether Jain's index is at least `least`, the associations are ahead of the connections by what is expected,
/// and the bottleneck is full.
fn assert_fair(flows: [&str; 2], least: f64, ahead_by: Range<f64>) {
    for queue in [
        "kind = \"drop-tail\", packets = 50",
        "kind = \"red\", packets = 60, weight = 0.01",
    ] {
        for seed in [1, 2] {
            let goodput = goodput(queue, flows, seed);
            let index = jain(&goodput);
            let [s1, s2, t1, t2] = goodput;
            let ahead = (s1 + s2) / (t1 + t2);
            println!("{queue}, seed {seed}: {index:.3}, {ahead:.2}, {goodput:?}");
            assert!(index >= least, "{index:.3} {goodput:?}");
            assert!(ahead_by.contains(&ahead), "{ahead:.2} {goodput:?}");
            let total: f64 = goodput.iter().sum();
            assert!(total > 9.0, "{total:.2} of 10 Mbit/s");
        }
    }
}

/// Both are Reno at heart, and yet not the same: in twelve runs of this set-up (three queues, four
/// seeds) the associations were 11 to 31 % ahead of the connections. RFC 9260 §7.2.1 has slow start
/// up to and including the threshold, so that each repair ends with one step of it: without that
/// the four runs below are 3 to 16 % ahead instead of 15 to 19 %. The rest was not taken apart.
#[test]
fn associations_and_connections_share_a_bottleneck() {
    assert_fair(["profile = \"rfc9260\"", ""], 0.97, 0.9..1.4);
}

/// Both with CUBIC (RFC 9438).
#[test]
fn cubic_and_the_cubic_of_tcp_share_a_bottleneck() {
    let cubic = [
        "profile = \"rfc9260\", congestion = \"cubic\", loss_detection = \"rack\"",
        "congestion = \"cubic\"",
    ];
    assert_fair(cubic, 0.95, 0.75..1.4);
}
