use sheave_lab::{Settings, Store, Summary};

use super::run;

/// The mean of a metric with a congestion control, a scheduler and a queue.
fn mean(summary: &Summary, metric: &str, [congestion, scheduler, queue]: [&str; 3]) -> f64 {
    let settings = Settings::new()
        .with("flow.main.sctp.congestion", congestion)
        .with("flow.main.sctp.scheduler", scheduler)
        .with("link.wire.queue.kind", queue);
    let cell = summary.cell("own", "scenario", &settings);
    cell.and_then(|cell| cell.mean(metric)).expect("it was run")
}

#[test]
fn all_algorithms_do_what_they_are_for() {
    let folder = std::env::temp_dir().join(format!("own-algorithms-{}", std::process::id()));
    let report = run(&folder).expect("it runs");
    assert!(report.markdown().contains("lowest-first"));
    let store = Store::existing(&folder).expect("results");
    let summary = Summary::of(&store.records().expect("records"));
    std::fs::remove_dir_all(&folder).expect("it can be removed");

    let goodput = |congestion| {
        let algorithms = [congestion, "first-come", "drop-tail"];
        mean(&summary, "main.mbit_per_s", algorithms)
    };
    assert!(goodput("gentle") > 1.2 * goodput("new-reno"));
    let delay = |scheduler| {
        let algorithms = ["gentle", scheduler, "drop-tail"];
        mean(&summary, "main.delay_mean_ms", algorithms)
    };
    assert!(delay("lowest-first") < 0.7 * delay("first-come"));
    let calls = |queue| {
        let algorithms = ["gentle", "first-come", queue];
        mean(&summary, "calls.delay_mean_ms", algorithms)
    };
    // The path alone takes 20 ms.
    assert!(calls("fair") - 20.0 < 0.3 * (calls("drop-tail") - 20.0));
}
