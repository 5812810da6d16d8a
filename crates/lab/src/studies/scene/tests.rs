use core::time::Duration;

use super::scenario;
use crate::{Run, Settings};

const TEXT: &str = r#"
    [scene]
    name = "one"
    duration = "{seconds} s"
    hosts = ["A", "B"]
    [scene.link.wire]
    ends = ["A", "B"]
    delay = "{rtt_ms / 2} ms"
    queue = { kind = "drop-tail", packets = "{max(10, 2.5 * rtt_ms):up}" }
    [scene.flow]

    [[when]]
    is = { side = ["tcp", "udp"] }
    not = { rtt_ms = 7 }
    set.link.wire.mtu = 1000
"#;

fn run(side: &str, rtt_ms: f64) -> Run {
    let settings = Settings::new().with("side", side).with("rtt_ms", rtt_ms);
    Run::new("study", "one", settings.with("seconds", 3.0), 1)
}

#[test]
fn formulas_have_the_values_of_the_run() {
    let scenario = scenario(TEXT, &run("sctp", 5.0)).expect("a scenario");
    assert_eq!(scenario.duration, Duration::from_secs(3));
    let link = &scenario.links[0].there;
    assert_eq!(link.delay.base, Duration::from_micros(2500));
    assert_eq!(link.queue, crate::studies::network::packets(13));
}

#[test]
fn changes_are_for_runs_with_their_settings() {
    let mtu = |side, rtt| {
        let scenario = scenario(TEXT, &run(side, rtt)).expect("a scenario");
        scenario.links[0].there.mtu == 1000
    };
    assert!(mtu("tcp", 5.0) && mtu("udp", 5.0));
    assert!(!mtu("sctp", 5.0) && !mtu("tcp", 7.0));
}

#[test]
fn a_scenario_that_cannot_be_read_is_an_error() {
    let wrong = TEXT.replace("ends", "end");
    let error = scenario(&wrong, &run("tcp", 5.0)).expect_err("a wrong key");
    assert!(error.contains("link.wire.end"), "{error}");
}
