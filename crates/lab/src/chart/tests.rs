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

fn chart(points: &[(f64, f64, f64)]) -> Chart {
    let mut chart = Chart::new("loss & rate", "loss (%)", "rate (Mbit/s)");
    let points = points.iter();
    chart.push(Curve {
        name: "<tcp>".to_owned(),
        points: points
            .map(|&(x, y, half_width)| Point { x, y, half_width })
            .collect(),
    });
    chart
}

#[test]
fn each_point_says_its_value() {
    let svg = chart(&[(1.0, 20.0, 0.5)]).svg();
    assert!(svg.contains("<title>&lt;tcp&gt;\n1: 20.00 ± 0.500</title>"));
    assert!(svg.contains("aria-label=\"loss &amp; rate\""));
    assert!(svg.contains("<desc>rate (Mbit/s) over loss (%), curves: &lt;tcp&gt;</desc>"));
    assert!(!svg.contains("NaN"));
}

#[test]
fn the_axis_of_a_quantity_without_negative_values_begins_at_zero_however_wide_the_interval() {
    let svg = chart(&[(0.0, 10.0, 500.0), (1.0, 20.0, 0.5)]).svg();
    assert!(!svg.contains(">-"), "{svg}");
    assert!(!svg.contains(">500<"), "{svg}");
    // Two ends of the sure point's whisker, none of the other's.
    assert_eq!(svg.matches("h8\"").count() + svg.matches("h8M").count(), 2);
}

#[test]
fn curves_can_be_told_apart_without_colours() {
    let mut many = chart(&[(1.0, 1.0, 0.0)]);
    for number in 0..9 {
        let name = number.to_string();
        many.push(Curve::of_series(&name, &[(1.0, 2.0)]));
    }
    let legend = many.legend();
    assert!(legend.contains("<circle") && legend.contains("<rect") && legend.contains("l4.2 7.6"));
    assert!(legend.contains("c0 dashed"), "{legend}");
}

#[test]
fn the_points_of_a_chart_can_be_had_as_csv() {
    let csv = chart(&[(1.0, 20.0, 0.5)]).csv();
    let expected = "curve,\"loss (%)\",\"rate (Mbit/s)\",ci95_half\r\n\"<tcp>\",1,20,0.5\r\n";
    assert_eq!(csv, expected);
}
