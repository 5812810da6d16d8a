use super::ALONE;
use crate::studies::extensions::NAME;
use crate::{Measured, Run, Settings};

fn measured(settings: Settings) -> Measured {
    let run = Run::new(NAME, ALONE.experiment, settings, 1);
    (ALONE.execute)(&run).expect("a run")
}

#[test]
fn the_rate_is_halved_under_way() {
    let settings = Settings::new()
        .with("network", "rate halved")
        .with("control", "bbr");
    // At most 12 Mb/s of user data.
    let rate = measured(settings).metrics["mbit_per_s"];
    assert!((10.5..12.0).contains(&rate), "{rate}");
}
