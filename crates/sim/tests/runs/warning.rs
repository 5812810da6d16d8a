//! MAC error warnings, from the link that hits a packet back to its sender.

use core::time::Duration;

use sheave_sim::scenario::{Run, read};
use sheave_sim::{Time, VantagePoint};

use crate::town::{ms, secs};

/// A wired link, a router, and a wireless link with those errors on the way there.
fn wireless(errors: &str, warning: &str) -> Run {
    let text = format!(
        r#"
        name = "wireless"
        duration = "60 s"
        hosts = ["A", "B"]
        routers = ["R"]

        [link.wired]
        ends = ["A", "R"]
        rate = "100 Mbit/s"
        delay = "20 ms"

        [link.wireless]
        ends = ["R", "B"]
        rate = "11 Mbit/s"
        delay = "1 ms"
        queue = {{ kind = "drop-tail", packets = 50 }}
        error_warning = "{warning}"
        {errors}

        [flow.file]
        from = "A"
        to = "B"
        workload = {{ kind = "bulk", message = 1452 }}
        "#
    );
    let cases = read(&text).expect("a scenario");
    cases[0].scenario.build_watched(1).expect("a world")
}

const CORRUPTION: &str = r#"corruption = { errors = "2 %", flips = 3 }
    back = { corruption = { errors = 0, flips = 3 } }"#;

fn bytes(run: &Run) -> u64 {
    run.sink("file").expect("a sink").bytes()
}

fn stats(run: &Run) -> sheave_sim::Stats {
    let client = run.sctp("file", VantagePoint::Client).expect("a client");
    client.stats().expect("an association")
}

#[test]
fn warned_of_damage_the_sender_keeps_its_window() {
    let mut warned = wireless(CORRUPTION, "on");
    let mut alone = wireless(CORRUPTION, "off");
    for run in [&mut warned, &mut alone] {
        run.world.run_until(secs(60));
    }
    assert!(
        bytes(&warned) > 2 * bytes(&alone),
        "{} and {}",
        bytes(&warned),
        bytes(&alone)
    );
    let link = warned.world.link_stats(warned.links[1].0);
    assert_eq!(link.warned, link.corrupted + link.bad_header);
    // A few find their chunk waiting or repaired already.
    let again = stats(&warned).assoc.damage_retransmissions;
    assert!(
        again <= link.warned && again * 100 > link.warned * 95,
        "{again} of {link:?}"
    );
    let quiet = alone.world.link_stats(alone.links[1].0);
    assert_eq!(quiet.warned, 0);
    assert_eq!(stats(&alone).assoc.damage_retransmissions, 0);
}

#[test]
fn a_warning_takes_the_way_back_in_its_own_time() {
    // The hundredth packet is lost where the wireless link begins.
    let mut run = wireless(
        "loss = { kind = \"packets\", numbers = [99] }\nback = { loss = 0 }",
        "on",
    );
    let mut lost: Option<Time> = None;
    let mut sent_again: Option<Time> = None;
    while sent_again.is_none() && run.world.now() < secs(20) {
        run.world.run_for(Duration::from_micros(100));
        let now = run.world.now();
        if run.world.link_stats(run.links[1].0).lost == 1 {
            lost.get_or_insert(now);
        }
        if stats(&run).assoc.damage_retransmissions == 1 {
            sent_again = Some(now);
        }
    }
    let took = sent_again.expect("warned").since(lost.expect("lost"));
    // 20 ms, and 576 bytes at 100 Mbit/s behind SACKs.
    assert!((ms(20)..ms(21)).contains(&took), "{took:?}");
}

#[test]
fn a_burst_that_hits_everything_is_ridden_out() {
    let burst = r#"loss = { kind = "gilbert-periodic", good = { period = "2 s", stay = 0.5 }, bad = { period = "200 ms", stay = 0.5, hit = 1 } }"#;
    let mut run = wireless(burst, "on");
    run.world.run_until(secs(60));
    assert!(bytes(&run) > 1_000_000, "{}", bytes(&run));
}
