use super::Spread;

#[test]
fn the_median_of_an_odd_number_is_the_middle_one() {
    let spread = Spread::of([3.0, 1.0, 9.0]);
    assert_eq!((spread.min, spread.median, spread.max), (1.0, 3.0, 9.0));
}

#[test]
fn the_median_of_an_even_number_lies_between_the_middle_two() {
    assert!((Spread::of([4.0, 1.0, 2.0, 8.0]).median - 3.0).abs() < 1e-9);
}

#[test]
fn an_empty_measurement_prints_no_number() {
    assert!(Spread::of([0.0; 0]).median.is_nan());
}
