use super::axis::Axis;
use super::{Chart, Curve, Point, Scale};

#[test]
fn ticks_are_round_and_within_the_axis() {
    let axis = Axis::new(Scale::Linear, [0.0, 10.0].into_iter());
    assert_eq!(axis.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    let axis = Axis::new(Scale::Logarithmic, [1.0, 1000.0].into_iter());
    assert_eq!(axis.ticks(), [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]);
}

#[test]
fn an_axis_without_values_can_be_drawn() {
    for scale in [Scale::Linear, Scale::Logarithmic] {
        let axis = Axis::new(scale, core::iter::empty());
        assert!(axis.share(0.5).is_finite());
        assert!(axis.ticks().len() < 100);
    }
    let same = Axis::new(Scale::Linear, [5.0].into_iter());
    assert!(same.share(5.0) > 0.9);
}

#[test]
fn each_point_says_its_value() {
    let mut chart = Chart::new("loss & rate", "loss (%)", "rate (Mbit/s)");
    chart.push(Curve {
        name: "<tcp>".to_owned(),
        points: vec![Point {
            x: 1.0,
            y: 20.0,
            half_width: 0.5,
        }],
    });
    let svg = chart.svg();
    assert!(svg.contains("<title>&lt;tcp&gt;\n1.000: 20.00 ± 0.500</title>"));
    assert!(svg.contains("loss &amp; rate"));
    assert!(!svg.contains("NaN"));
}
