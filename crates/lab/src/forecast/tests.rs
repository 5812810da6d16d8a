use std::num::NonZero;
use std::time::Duration;

use super::Forecast;
use crate::{Effort, Extent, Run, Settings, find, prediction};

const ONE: NonZero<usize> = NonZero::new(1).expect("one");
const TWO: NonZero<usize> = NonZero::new(2).expect("two");

fn run(experiment: &str, loss: f64, seed: u64) -> Run {
    Run::new("s", experiment, Settings::new().with("loss", loss), seed)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A forecast for simulated runs without predicted packets.
fn forecast(runs: &[Run]) -> Forecast {
    let runs: Vec<&Run> = runs.iter().collect();
    Forecast::new(&runs, Duration::ZERO, TWO, |_| None)
}

#[test]
fn a_forecast_counts_runs_by_what_their_kind_took() {
    let kinds = ["dear", "cheap"];
    let runs = [1, 2, 3].map(|seed| kinds.map(|kind| run(kind, 0.0, seed)));
    let mut forecast = forecast(runs.as_flattened());
    assert_eq!(forecast.left(), None, "nothing is known");
    forecast.take(0, seconds(10));
    forecast.take(1, seconds(1));
    // Two runs of 10 s and two of 1 s, two at a time.
    assert_eq!(forecast.left(), Some(seconds(11)));
}

#[test]
fn settings_without_a_finished_run_cost_what_their_experiment_does() {
    let mut forecast = forecast(&[run("one", 0.0, 1), run("one", 5.0, 1), run("one", 6.0, 1)]);
    forecast.take(0, seconds(6));
    assert_eq!(forecast.left(), Some(seconds(6)));
}

#[test]
fn an_experiment_of_which_nothing_is_known_costs_what_all_runs_do() {
    let mut forecast = forecast(&[run("one", 0.0, 1), run("one", 0.0, 2), run("other", 0.0, 1)]);
    forecast.take(0, seconds(6));
    forecast.take(1, seconds(2));
    // The mean of all runs, two at a time.
    assert_eq!(forecast.left(), Some(seconds(2)));
}

#[test]
fn settings_without_a_finished_run_cost_what_is_predicted() {
    let runs = [run("one", 0.0, 1), run("one", 5.0, 1), run("other", 0.0, 1)];
    let runs: Vec<&Run> = runs.iter().collect();
    let predict = |run: &Run| Some(100.0 * (1.0 + run.settings.number("loss")));
    let mut forecast = Forecast::new(&runs, Duration::ZERO, ONE, predict);
    forecast.take(0, seconds(1));
    // Six times as many packets, and as many again in another experiment.
    assert_eq!(forecast.left(), Some(seconds(7)));
}

#[test]
fn nothing_is_said_while_only_cheap_runs_are_over() {
    let mut runs: Vec<Run> = (1..=50).map(|seed| run("cheap", 0.0, seed)).collect();
    runs.extend((1..=50).map(|seed| run("dear", 1.0, seed)));
    let runs: Vec<&Run> = runs.iter().collect();
    let predict = |run: &Run| Some(if run.experiment == "dear" { 1e6 } else { 1e2 });
    let mut forecast = Forecast::new(&runs, Duration::ZERO, ONE, predict);
    for place in 0..50 {
        forecast.take(place, Duration::from_millis(1));
        assert_eq!(forecast.left(), None);
    }
    forecast.take(50, seconds(10));
    assert_eq!(forecast.left(), Some(seconds(490)));
}

#[test]
fn live_runs_take_the_time_that_they_say_one_after_the_other() {
    let mut forecast = Forecast::new(&[], seconds(6), TWO, |_| None);
    assert_eq!(forecast.left(), Some(seconds(6)));
    forecast.take_live(seconds(3));
    assert_eq!(forecast.left(), Some(seconds(3)));
}

/// Simulates a run and counts a microsecond per packet, which is the same on every machine.
fn time_of(run: &Run) -> Duration {
    let study = find(&run.study).expect("a study");
    let scenario = study.scenario(run).expect("a run").expect("a scenario");
    let mut run = scenario.build(run.seed).expect("a world");
    run.world.run_to_completion(run.end);
    let links = run.links.iter().flat_map(|(there, back)| [there, back]);
    let packets: u64 = links.map(|link| run.world.link_stats(*link).offered).sum();
    Duration::from_micros(100 + packets)
}

/// Ratios of the forecast to the true remaining time, after each run except in the last tenth.
fn ratios(mut forecast: Forecast, times: &[Duration]) -> Vec<f64> {
    let all: Duration = times.iter().sum();
    let mut left = all;
    let ratios = times.iter().enumerate().filter_map(|(place, time)| {
        forecast.take(place, *time);
        left -= *time;
        let told = forecast.left().filter(|_| left > all / 10)?;
        Some(told.as_secs_f64() / left.as_secs_f64())
    });
    ratios.collect()
}

#[test]
fn the_time_left_of_a_mixed_plan_is_told_within_a_factor_of_two() {
    let study = find("versus").expect("a study");
    let plan = study.plan(Effort {
        extent: Extent::Full,
        ..Effort::default()
    });
    // Runs with distinct settings, on all kinds of networks, from 10 kB to seconds at 1 Gb/s.
    let simulated = plan.iter().filter(|run| study.live_time(run).is_none());
    let runs: Vec<&Run> = simulated.step_by(151).collect();
    let times: Vec<Duration> = runs.iter().map(|run| time_of(run)).collect();
    let (least, most) = (times.iter().min(), times.iter().max());
    assert!(
        least
            .zip(most)
            .is_some_and(|(least, most)| *most > 1000 * *least)
    );
    let predict = |run: &Run| {
        let scenario = study.scenario(run).expect("a run").expect("a scenario");
        Some(prediction::packets(&scenario))
    };
    let predicted = Forecast::new(&runs, Duration::ZERO, ONE, predict);
    let told = ratios(predicted, &times);
    assert!(
        told.len() > runs.len() / 2,
        "{} of {}",
        told.len(),
        runs.len()
    );
    let is_near = |ratio: &f64| (0.5..2.0).contains(ratio);
    assert!(told.iter().all(is_near), "{told:?}");
    // A forecast by the mean of the finished runs is inaccurate.
    let by_number = Forecast::new(&runs, Duration::ZERO, ONE, |_| None);
    let told = ratios(by_number, &times);
    assert!(!told.iter().all(is_near), "{told:?}");
}
