use super::axis::{Axis, Base};
use super::{Chart, Curve, Point, Scale};
use crate::palette::{COLOURS, Palette};

#[test]
fn ticks_are_round_and_within_the_axis() {
    let axis = Axis::new(Scale::Linear, Base::Zero, [0.0, 10.0].into_iter());
    assert_eq!(axis.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    let axis = Axis::new(Scale::Logarithmic, Base::Zero, [1.0, 1000.0].into_iter());
    assert_eq!(axis.ticks(), [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]);
}

#[test]
fn an_axis_without_values_can_be_drawn() {
    for scale in [Scale::Linear, Scale::Logarithmic] {
        let axis = Axis::new(scale, Base::Zero, core::iter::empty());
        assert!(axis.share(0.5).is_finite());
        assert!(axis.ticks().len() < 100);
    }
    let same = Axis::new(Scale::Linear, Base::Zero, [5.0].into_iter());
    assert!(same.share(5.0) > 0.9);
}

fn chart(points: &[(f64, f64, f64)]) -> Chart {
    let mut chart = Chart::new("loss & rate", "loss (%)", "rate (Mbit/s)");
    let points = points.iter();
    chart.push(Curve::new(
        "<tcp>",
        points.map(|&(x, y, half_width)| Point { x, y, half_width }),
    ));
    chart
}

#[test]
fn each_point_says_its_value() {
    let svg = chart(&[(1.0, 20.0, 0.5)]).svg(&Palette::default());
    assert!(svg.contains("<title>&lt;tcp&gt;\n1: 20.00 ± 0.500</title>"));
    assert!(svg.contains("aria-label=\"loss &amp; rate\""));
    assert!(svg.contains("<desc>rate (Mbit/s) over loss (%), curves: &lt;tcp&gt;</desc>"));
    assert!(!svg.contains("NaN"));
}

#[test]
fn the_axis_of_a_quantity_without_negative_values_begins_at_zero_however_wide_the_interval() {
    let svg = chart(&[(0.0, 10.0, 500.0), (1.0, 20.0, 0.5)]).svg(&Palette::default());
    assert!(!svg.contains(">-"), "{svg}");
    assert!(!svg.contains(">500<"), "{svg}");
    // Two whisker ends for the point with an interval, none for the other.
    assert_eq!(svg.matches("h8\"").count() + svg.matches("h8M").count(), 2);
}

#[test]
fn curves_can_be_told_apart_without_colours() {
    let mut many = chart(&[(1.0, 1.0, 0.0)]);
    for number in 0..COLOURS {
        let name = number.to_string();
        many.push(Curve::of_series(&name, &[(1.0, 2.0)]));
    }
    let legend = many.legend(&Palette::of(core::iter::once(&many)));
    assert!(legend.contains("<circle") && legend.contains("<rect") && legend.contains("l4.2 7.6"));
    assert!(legend.contains("\"c0 d2\""), "{legend}");
}

#[test]
fn the_points_of_a_chart_can_be_had_as_csv() {
    let csv = chart(&[(1.0, 20.0, 0.5)]).csv();
    let expected = "curve,\"loss (%)\",\"rate (Mbit/s)\",ci95_half\r\n\"<tcp>\",1,20,0.5\r\n";
    assert_eq!(csv, expected);
}

#[test]
fn a_figure_as_a_file_needs_nothing_else_and_names_its_curves() {
    let chart = chart(&[(1.0, 20.0, 0.5)]);
    let file = chart.standalone(&Palette::of(core::iter::once(&chart)));
    assert!(file.starts_with("<svg xmlns="), "{file}");
    assert!(file.contains("<title>loss &amp; rate</title>"));
    assert!(file.contains("y=\"10\">&lt;tcp&gt;</text>"), "{file}");
    assert!(!file.contains("data-points"));
}

#[test]
fn an_axis_far_from_zero_says_that_it_does_not_begin_there() {
    let near = chart(&[(0.0, 10.0, 0.0), (1.0, 500.0, 0.0)]).svg(&Palette::default());
    let far = chart(&[(0.0, 490.0, 0.0), (1.0, 500.0, 0.0)]).svg(&Palette::default());
    assert!(!near.contains("class=\"cut\"") && far.contains("class=\"cut\""));
}

#[test]
fn an_interval_that_leaves_the_figure_ends_in_an_arrow() {
    let whisker = |svg: &str| {
        let path = svg.split("class=\"whisker\" d=\"").nth(1);
        path.and_then(|path| path.split('"').next())
            .map(str::to_owned)
    };
    let wide = chart(&[(0.0, 10.0, 500.0), (1.0, 20.0, 0.0)]).svg(&Palette::default());
    let path = whisker(&wide).expect("a whisker");
    assert_eq!(path.matches('L').count(), 2, "{path}");
}

#[test]
fn categories_have_names_and_no_lines_between_them() {
    let mut chart = chart(&[(1.0, 2.0, 0.0), (2.0, 3.0, 0.0)]);
    chart = chart.with_categories(&["send", "receive"]);
    let svg = chart.svg(&Palette::default());
    assert!(
        svg.contains(">send</text>") && svg.contains("class=\"line\" d=\"\""),
        "{svg}"
    );
}
