use sheave_sim::scenario::{self, CustomAlgorithms, Run};

use sheave_sim::VantagePoint;

use super::TLS;

/// A run over two paths of 10 ms, of which the first is cut after 4 s, with these settings of the flow.
fn run(settings: &str, seed: u64) -> Run {
    let text = format!(
        r#"
        duration = "8 s"
        hosts = ["A", "B"]
        link.one = {{ ends = ["A", "B"], rate = "10 Mbit/s", delay = "10 ms", loss = "1 %", outages = [{{ from = "4 s", until = "8 s" }}] }}
        link.two = {{ ends = ["A", "B"], rate = "10 Mbit/s", delay = "10 ms", loss = "1 %" }}
        [flow.main]
        from = "A"
        to = "B"
        workload = {{ kind = "messages", message = 3000, count = 300, streams = 7, arrivals = {{ kind = "constant", interval = "20 ms" }} }}
        {settings}
        "#
    );
    let own = CustomAlgorithms::default().with_keys(TLS);
    let cases = scenario::read_with(&text, own).expect("a scenario");
    let mut run = cases[0].scenario.build(seed).expect("a world");
    run.world.run_to_completion(run.end);
    run
}

const PROTECTED: &str = "sctp.protection = \"strict\"\nrekey = \"500 ms\"";

#[test]
fn messages_arrive_whole_under_changing_keys_and_over_a_path_that_dies() {
    let run = run(PROTECTED, 1);
    assert_eq!(run.sink("main").expect("a sink").receipts().len(), 300);
    let stats = run.sctp_stats("main", VantagePoint::Client);
    let protection = stats.expect("an association").assoc.protection;
    assert!(
        protection.sent > 600 && protection.unprotected == 0,
        "{protection:?}"
    );
}

#[test]
fn equal_seeds_give_equal_protected_runs_byte_for_byte() {
    let [one, same, other] = [1, 1, 2].map(|seed| run(PROTECTED, seed).world.fingerprint());
    assert_eq!(one, same);
    assert_ne!(one, other);
}

#[test]
fn a_scenario_without_keys_cannot_be_protected() {
    let text = r#"
        duration = "1 s"
        hosts = ["A", "B"]
        link.one = { ends = ["A", "B"], rate = "10 Mbit/s" }
        flow.main = { from = "A", to = "B", workload = { kind = "bulk", message = 1000 }, sctp.protection = "strict" }
    "#;
    let error = scenario::read(text).expect_err("no keys").to_string();
    assert!(error.starts_with("flow.main.sctp.protection"), "{error}");
    for rekey in ["1 s", "0 s"] {
        let needless = text.replace(
            "sctp.protection = \"strict\"",
            &format!("rekey = \"{rekey}\""),
        );
        let error = scenario::read(&needless).expect_err(rekey).to_string();
        assert!(error.starts_with("flow.main.rekey"), "{error}");
    }
}
