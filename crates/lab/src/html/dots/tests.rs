use super::picture;
use crate::{Contrast, Estimate, Printed};

fn contrast(paper: Printed, mean: f64, half_width: f64) -> Contrast {
    Contrast {
        claim: "C-1".to_owned(),
        quantity: "rate, <one> / other".to_owned(),
        at: String::new(),
        paper,
        source: "table 1".to_owned(),
        ours: Some(Estimate {
            n: 5,
            mean,
            deviation: half_width,
            half_width,
        }),
    }
}

#[test]
fn a_number_of_the_paper_is_a_diamond_and_a_range_a_band() {
    let one = contrast(Printed::Of([3.0, 2.0]), 1.4, 0.1);
    let svg = picture(&[&one]);
    assert!(svg.contains("class=\"papers\"") && !svg.contains("class=\"band\""));
    assert!(svg.contains("rate, &lt;one&gt; / other: paper 1.500 (3 / 2), ours 1.400 ± 0.100"));
    let svg = picture(&[&contrast(Printed::Above(1.0), 1.4, 0.1)]);
    assert!(svg.contains("class=\"band\"") && svg.contains("paper above 1.000"));
}

#[test]
fn an_interval_that_leaves_the_picture_has_an_arrow() {
    let within = picture(&[&contrast(Printed::Near(1.0), 1.0, 0.1)]);
    let beyond = picture(&[&contrast(Printed::Near(1.0), 9.0, 5.0)]);
    let strokes = |svg: &str| {
        let interval = svg.split("class=\"interval\" d=\"").nth(1);
        let interval = interval.and_then(|rest| rest.split('"').next());
        interval.map(|path| path.matches('M').count())
    };
    assert_eq!((strokes(&within), strokes(&beyond)), (Some(1), Some(2)));
}

#[test]
fn a_single_seed_has_no_interval_and_still_a_dot() {
    let svg = picture(&[&contrast(Printed::Near(1.0), 1.0, f64::INFINITY)]);
    assert!(svg.contains("<circle") && !svg.contains("NaN") && !svg.contains("inf"));
}
