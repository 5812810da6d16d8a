use super::Summary;
use crate::{Measured, Record, Run, Settings};

fn record(transport: &str, seed: u64, rate: f64) -> Record {
    Record {
        run: Run::new(
            "streams",
            "delay",
            Settings::new()
                .with("transport", transport)
                .with("delay_ms", 5.0),
            seed,
        ),
        measured: Measured::new().with("rate", rate),
    }
}

#[test]
fn records_of_equal_settings_make_a_cell() {
    let records = [
        record("tcp", 2, 20.0),
        record("tcp", 1, 10.0),
        record("sctp", 2, 21.0),
        record("sctp", 1, 11.0),
    ];
    let summary = Summary::of(&records);
    let cell = |transport| {
        let some = Settings::new().with("transport", transport);
        summary.cell("streams", "delay", &some).expect("a cell")
    };
    assert_eq!(cell("tcp").values("rate"), [10.0, 20.0]);
    assert_eq!(cell("tcp").mean("rate"), Some(15.0));
    let paired = cell("sctp").against(cell("tcp"), "rate").expect("pairs");
    assert!(paired.is_above());
    let ratios = cell("sctp").ratios(cell("tcp"), "rate").expect("pairs");
    assert_eq!((ratios.min, ratios.max), (1.05, 1.1));
    assert_eq!(summary.numbers("streams", "delay", "delay_ms"), [5.0]);
    // Two cells match.
    let some = Settings::new().with("delay_ms", 5.0);
    assert_eq!(summary.cell("streams", "delay", &some), None);
}

#[test]
fn a_reason_why_it_could_not_be_measured_is_kept() {
    let mut skipped = record("tcp", 1, 1.0);
    skipped.measured = Measured::skipped("no privileges");
    let summary = Summary::of(&[skipped, record("sctp", 1, 1.0)]);
    assert_eq!(summary.skipped("streams", "delay"), Some("no privileges"));
    assert_eq!(summary.skipped("streams", "rate"), None);
}
