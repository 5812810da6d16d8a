use super::{LOSS, NAME, STUDY};
use crate::{Run, Settings};

fn rate(variant: &str, loss: f64) -> f64 {
    let settings = Settings::new()
        .with("loss_percent", loss)
        .with("rto_min_ms", 20.0)
        .with("duration_s", 0.1)
        .with("variant", variant);
    let run = Run::new(NAME, LOSS, settings, 1);
    let measured = STUDY.execute(&run).expect("a run");
    measured.metrics["mbit_per_s"]
}

#[test]
fn without_losses_both_fill_the_link() {
    assert!(rate("tcp, Linux 2.6", 0.0) > 900.0);
    assert!(rate("sctp", 0.0) > 900.0);
}

#[test]
fn losses_slow_both_down() {
    for variant in ["tcp, Linux 2.6", "sctp", "sctp, SACK per 7"] {
        assert!(rate(variant, 5.0) < rate(variant, 0.0) / 2.0, "{variant}");
    }
}
