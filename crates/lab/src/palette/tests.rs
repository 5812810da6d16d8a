use std::collections::BTreeSet;

use super::{COLOURS, LIKE, Palette, VARIANTS};
use crate::{Chart, Curve};

fn chart(names: &[&str]) -> Chart {
    let mut chart = Chart::new("title", "x", "y");
    for name in names {
        chart.push(Curve::of_series(name, &[(1.0, 1.0)]));
    }
    chart
}

fn colours(palette: &Palette, chart: &Chart) -> Vec<usize> {
    let looks = palette.looks(chart);
    looks.iter().map(|look| look.colour).collect()
}

#[test]
fn a_variant_has_the_same_colour_in_every_figure() {
    let one = chart(&["tcp, Linux 2.6, 10 ms", "sctp, today"]);
    let other = chart(&["sctp, today, 25 ms", "sctp", "tcp, Linux 2.6"]);
    let palette = Palette::of([&one, &other].into_iter());
    let (one, other) = (colours(&palette, &one), colours(&palette, &other));
    assert_eq!((one[0], one[1]), (other[2], other[0]));
    assert_ne!(other[0], other[1]);
}

#[test]
fn names_of_a_scenario_keep_their_colours_from_figure_to_figure() {
    let one = chart(&["main", "beside"]);
    let other = chart(&["beside"]);
    let palette = Palette::of([&one, &other].into_iter());
    assert_eq!(colours(&palette, &one)[1], colours(&palette, &other)[0]);
}

#[test]
fn curves_of_one_variant_differ_in_their_dashes() {
    let one = chart(&["sctp, 10 ms", "sctp, 25 ms", "sctp, 50 ms"]);
    let looks = Palette::of(core::iter::once(&one)).looks(&one);
    let dashes: BTreeSet<usize> = looks.iter().map(|look| look.dash).collect();
    assert_eq!(dashes.len(), 3);
}

#[test]
fn no_two_of_eight_curves_are_told_apart_by_like_colours_alone() {
    let names: Vec<String> = (0..12).map(|number| format!("series {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let charts = [chart(&names[..6]), chart(&names[4..])];
    let palette = Palette::of(charts.iter());
    for chart in &charts {
        let looks = palette.looks(chart);
        let distinct: BTreeSet<_> = looks
            .iter()
            .map(|look| (LIKE[look.colour], look.dash))
            .collect();
        assert_eq!(distinct.len(), looks.len(), "{looks:?}");
    }
}

#[test]
fn a_variant_stands_once_in_the_table_and_its_colour_is_there() {
    let names: BTreeSet<&str> = VARIANTS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), VARIANTS.len());
    assert!(VARIANTS.iter().all(|(_, colour)| *colour < COLOURS));
}
