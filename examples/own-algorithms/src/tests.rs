use sheave_lab::{Settings, Store, Summary};

use super::run;

/// The mean of a metric with these algorithms.
fn mean(summary: &Summary, metric: &str, congestion: &str, scheduler: &str) -> f64 {
    let settings = Settings::new()
        .with("flow.main.sctp.congestion", congestion)
        .with("flow.main.sctp.scheduler", scheduler);
    let cell = summary.cell("own", "scenario", &settings);
    cell.and_then(|cell| cell.mean(metric)).expect("it was run")
}

#[test]
fn both_algorithms_do_what_they_are_for() {
    let folder = std::env::temp_dir().join(format!("own-algorithms-{}", std::process::id()));
    let report = run(&folder).expect("it runs");
    assert!(report.markdown().contains("lowest-first"));
    let store = Store::existing(&folder).expect("results");
    let summary = Summary::of(&store.records().expect("records"));
    std::fs::remove_dir_all(&folder).expect("it can be removed");

    let goodput = |congestion| mean(&summary, "main.mbit_per_s", congestion, "first-come");
    assert!(goodput("gentle") > 1.2 * goodput("new-reno"));
    let delay = |scheduler| mean(&summary, "main.delay_mean_ms", "gentle", scheduler);
    assert!(delay("lowest-first") < 0.7 * delay("first-come"));
}
