use core::time::Duration;

use sheave_engine::Time;

use super::{Delay, Order, Propagation, Variation};
use crate::Random;

const BASE: Duration = Duration::from_millis(50);

fn delays(variation: Variation, order: Order) -> Vec<f64> {
    let delay = Delay {
        base: BASE,
        variation,
        order,
    };
    let mut line = Propagation::new(delay, Random::new(3));
    (0..100_000)
        .map(|n| {
            let sent = Time::from_millis(n);
            line.arrival(sent).since(sent).as_secs_f64() * 1e3
        })
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (squares.sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn a_constant_delay_is_the_same_for_all() {
    let all = delays(Variation::None, Order::Kept);
    assert!(all.iter().all(|delay| (delay - 50.0).abs() < 1e-9));
}

#[test]
fn variations_have_the_mean_and_spread_that_they_promise() {
    let ms = Duration::from_millis;
    let uniform = delays(Variation::Uniform { spread: ms(10) }, Order::Free);
    assert!((mean(&uniform) - 50.0).abs() < 0.1);
    assert!(uniform.iter().all(|delay| (40.0..=60.0).contains(delay)));
    let normal = delays(Variation::Normal { deviation: ms(5) }, Order::Free);
    assert!((mean(&normal) - 50.0).abs() < 0.1);
    assert!((deviation(&normal) - 5.0).abs() < 0.1);
    let pareto = Variation::Pareto {
        mean: ms(10),
        shape: 3.0,
    };
    let pareto = delays(pareto, Order::Free);
    assert!((mean(&pareto) - 60.0).abs() < 0.3);
    assert!(pareto.iter().all(|delay| *delay >= 50.0));
}

#[test]
fn order_is_kept_only_where_asked_for() {
    let spread = Duration::from_millis(10);
    let overtakes = |order| {
        let all = delays(Variation::Uniform { spread }, order);
        let arrivals: Vec<f64> = (0_u32..).zip(&all).map(|(n, d)| f64::from(n) + d).collect();
        arrivals
            .windows(2)
            .filter(|two| two[1] < two[0] - 1e-9)
            .count()
    };
    assert_eq!(overtakes(Order::Kept), 0);
    assert!(overtakes(Order::Free) > 10_000);
}
