use sheave_sim::scenario::{self, CustomAlgorithms, Run, Scenario};
use sheave_sim::{Fingerprint, LinkStats};

use super::{BBR, TRANSPORTS, is_repeatable};

/// A link with those settings, and a workload over a kind of QUIC.
fn scenario(link: &str, transport: &str, workload: &str) -> Scenario {
    let text = format!(
        r#"
        duration = "60 s"
        hosts = ["A", "B"]
        link.wire = {{ ends = ["A", "B"], rate = "10 Mbit/s", delay = "10 ms", {link} }}
        flow.main = {{ from = "A", to = "B", transport = "{transport}", workload = {{ {workload} }} }}
        "#
    );
    let own = CustomAlgorithms::default().with_transports(&TRANSPORTS);
    let mut cases = scenario::read_with(&text, own).expect("a scenario");
    cases.remove(0).scenario
}

fn run(scenario: &Scenario, seed: u64) -> Run {
    let mut run = scenario.build(seed).expect("a world");
    run.world.run_to_completion(run.end);
    run
}

fn there(run: &Run) -> LinkStats {
    run.world.link_stats(run.links[0].0)
}

const MESSAGES: &str = r#"kind = "messages", message = 3000, count = 2000, streams = 7"#;
const LOSSY: &str = r#"loss = "2 %""#;
const QUEUE: &str = r#"queue = { kind = "drop-tail", packets = 50 }"#;
const NOISY: &str = "corruption = { rate = 1e-6 }";

#[test]
fn equal_seeds_give_equal_runs_byte_for_byte() {
    for kind in TRANSPORTS.into_iter().filter(|kind| *kind != BBR) {
        let lossy = scenario(LOSSY, kind.name, MESSAGES);
        assert!(is_repeatable(&lossy));
        let fingerprint = |seed| -> Fingerprint { run(&lossy, seed).world.fingerprint() };
        assert_eq!(fingerprint(1), fingerprint(1), "{}", kind.name);
        assert_ne!(fingerprint(1), fingerprint(2), "{}", kind.name);
    }
}

#[test]
fn messages_arrive_whole_and_in_order_over_links_that_lose_or_damage_packets() {
    for (kind, link) in TRANSPORTS
        .iter()
        .flat_map(|kind| [(kind, LOSSY), (kind, NOISY)])
    {
        let run = run(&scenario(link, kind.name, MESSAGES), 3);
        let stats = there(&run);
        assert!(
            stats.lost + stats.corrupted > 20,
            "{}: {stats:?}",
            kind.name
        );
        let receipts = run.sink("main").expect("a sink").receipts();
        for stream in 0..7 {
            let of = receipts.iter().filter(|receipt| receipt.stream == stream);
            let numbers: Vec<u64> = of.map(|receipt| receipt.number).collect();
            let expected: Vec<u64> = (u64::from(stream)..2000).step_by(7).collect();
            assert_eq!(numbers, expected, "{} on stream {stream}", kind.name);
        }
        assert!(receipts.iter().all(|receipt| receipt.len == 3000));
    }
}

#[test]
fn the_end_of_a_connection_reaches_the_peer() {
    let work = r#"kind = "bulk", message = 10000, count = 100"#;
    let run = run(&scenario(LOSSY, "quic", work), 1);
    let sink = run.sink("main").expect("a sink");
    assert_eq!(sink.bytes(), 1_000_000);
    let mut run = run;
    run.world.run_until(run.end);
    assert!(run.sink("main").is_some_and(|sink| sink.ended().is_some()));
}

#[test]
fn a_queue_that_marks_slows_the_sender_without_losses() {
    let link = r#"queue = { kind = "codel", packets = 1000, signal = "mark" }"#;
    let run = run(
        &scenario(link, "quic", r#"kind = "bulk", message = 10000"#),
        1,
    );
    let stats = there(&run);
    assert!(stats.marked > 20, "{stats:?}");
    assert_eq!(stats.dropped + stats.lost, 0, "{stats:?}");
    let rate = run.sink("main").expect("a sink").bytes() as f64 * 8e-6 / 60.0;
    assert!((8.5..9.7).contains(&rate), "{rate}");
}

#[test]
fn a_clean_link_is_filled_by_packets_of_quinns_largest_size() {
    let run = run(
        &scenario(QUEUE, "quic", r#"kind = "bulk", message = 10000"#),
        1,
    );
    let rate = run.sink("main").expect("a sink").bytes() as f64 * 8e-6 / 60.0;
    assert!((9.3..9.7).contains(&rate), "{rate}");
    let stats = there(&run);
    let mean = stats.bytes_sent as f64 / stats.sent as f64;
    assert!((1470.0..=1480.0).contains(&mean), "{mean}");
}
