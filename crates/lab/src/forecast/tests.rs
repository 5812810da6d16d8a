use std::num::NonZero;
use std::time::Duration;

use super::Forecast;
use crate::{Run, Settings};

const TWO: NonZero<usize> = NonZero::new(2).expect("two");

fn run(experiment: &str, loss: f64, seed: u64) -> Run {
    Run {
        study: "s".to_owned(),
        experiment: experiment.to_owned(),
        settings: Settings::new().with("loss", loss),
        seed,
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn a_forecast_counts_runs_by_what_their_kind_took() {
    let mut forecast = Forecast::new(TWO);
    for seed in 1..=3 {
        forecast.expect(&run("dear", 0.0, seed), None);
        forecast.expect(&run("cheap", 0.0, seed), None);
    }
    assert_eq!(forecast.left(), None, "nothing is known");
    forecast.take(&run("dear", 0.0, 1), None, seconds(10));
    forecast.take(&run("cheap", 0.0, 1), None, seconds(1));
    // Two runs of 10 s and two of 1 s, two at the same time.
    assert_eq!(forecast.left(), Some(seconds(11)));
}

#[test]
fn settings_without_a_finished_run_cost_what_their_experiment_does() {
    let mut forecast = Forecast::new(TWO);
    forecast.expect(&run("one", 0.0, 1), None);
    forecast.expect(&run("one", 5.0, 1), None);
    forecast.expect(&run("other", 0.0, 1), None);
    forecast.take(&run("one", 0.0, 1), None, seconds(6));
    assert_eq!(forecast.left(), Some(seconds(6)));
    forecast.take(&run("other", 0.0, 1), None, seconds(2));
    assert_eq!(forecast.left(), Some(seconds(3)));
}

#[test]
fn live_runs_take_the_time_that_they_say_one_after_the_other() {
    let mut forecast = Forecast::new(TWO);
    let live = Some(seconds(3));
    forecast.expect(&run("live", 0.0, 1), live);
    forecast.expect(&run("live", 0.0, 2), live);
    assert_eq!(forecast.left(), Some(seconds(6)));
    forecast.take(&run("live", 0.0, 1), live, seconds(4));
    assert_eq!(forecast.left(), Some(seconds(3)));
}
