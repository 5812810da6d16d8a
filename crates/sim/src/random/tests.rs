use super::{Probability, Random};

#[test]
fn forks_follow_from_seed_and_label_alone() {
    let mut parent = Random::new(7);
    let mut early = parent.fork("loss");
    parent.u64();
    let mut late = parent.fork("loss");
    assert_eq!(early.u64(), late.u64());
    assert_ne!(parent.fork("loss").u64(), parent.fork("delay").u64());
    assert_ne!(Random::new(7).u64(), Random::new(8).u64());
}

#[test]
fn the_draws_are_those_of_the_reference_generator() {
    // The first outputs of xoshiro256++ from the state 1, 2, 3, 4.
    let mut random = Random {
        seed: 0,
        state: [1, 2, 3, 4],
    };
    let drawn = [random.u64(), random.u64(), random.u64(), random.u64()];
    assert_eq!(
        drawn,
        [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386
        ]
    );
}

#[test]
fn distributions_have_their_moments() {
    let mut random = Random::new(1);
    let n = 200_000;
    let mut mean = |draw: &mut dyn FnMut(&mut Random) -> f64| {
        (0..n).map(|_| draw(&mut random)).sum::<f64>() / f64::from(n)
    };
    assert!((mean(&mut Random::unit) - 0.5).abs() < 0.005);
    assert!((mean(&mut Random::exponential) - 1.0).abs() < 0.01);
    assert!(mean(&mut Random::normal).abs() < 0.01);
    assert!((mean(&mut |random| random.normal().powi(2)) - 1.0).abs() < 0.02);
    // Mean of a Pareto distribution: shape / (shape - 1).
    assert!((mean(&mut |random| random.pareto(3.0)) - 1.5).abs() < 0.02);
    assert!((mean(&mut |random| random.below(10) as f64) - 4.5).abs() < 0.05);
}

#[test]
fn probabilities_stay_within_their_bounds() {
    assert_eq!(Probability::new(-1.0), Probability::NEVER);
    assert_eq!(Probability::new(f64::NAN), Probability::NEVER);
    assert_eq!(Probability::new(2.0), Probability::ALWAYS);
    let mut random = Random::new(1);
    assert!((0..1000).all(|_| random.happens(Probability::ALWAYS)));
    assert!(!(0..1000).any(|_| random.happens(Probability::NEVER)));
}
