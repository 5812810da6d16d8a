use super::{BLOCKING, COUNT, NAME, Streams};
use crate::{Measured, Run, Settings, Study};

fn run(experiment: &str, settings: Settings) -> Measured {
    let run = Run {
        study: NAME.to_owned(),
        experiment: experiment.to_owned(),
        settings,
        seed: 1,
    };
    Streams.execute(&run).expect("a run")
}

#[test]
fn a_file_arrives_whole_over_either() {
    for transport in ["tcp", "sctp"] {
        let settings = Settings::new()
            .with("transport", transport)
            .with("loss_percent", 5.0)
            .with("delay_ms", 5.0)
            .with("streams", 3.0)
            .with("bytes", 100_000.0);
        let measured = run(COUNT, settings);
        assert!(measured.metrics["bytes"] >= 100_000.0);
    }
}

#[test]
fn streams_shorten_the_wait_for_others() {
    let delay = |streams: f64| {
        let settings = Settings::new()
            .with("transport", "sctp")
            .with("loss_percent", 5.0)
            .with("streams", streams);
        run(BLOCKING, settings).metrics["delay_mean_s"]
    };
    assert!(delay(10.0) < delay(1.0));
}
