use super::{bars, grid, paragraph};
use crate::{Curve, Machine, Manifest, Report};

#[test]
fn a_table_has_straight_columns() {
    let mut out = String::new();
    let rows = [["id", "what"], ["a", "x | y"], ["long", "–"]];
    let rows = rows.map(|row| row.map(str::to_owned).to_vec());
    grid(&mut out, &rows);
    let expected = "| id   | what   |\n| ---- | ------ |\n| a    | x \\| y |\n| long | –      |\n";
    assert_eq!(out, expected);
}

#[test]
fn a_paragraph_has_lines_of_equal_length_and_keeps_its_mark() {
    let mut out = String::new();
    paragraph(&mut out, "> ", &"word ".repeat(50));
    assert!(out.lines().all(|line| line.starts_with("> word")));
    assert!(out.lines().all(|line| line.len() <= 100));
    assert_eq!(out.lines().count(), 3);
}

#[test]
fn a_curve_is_drawn_in_a_line() {
    let points: Vec<(f64, f64)> = (0..120).map(|at| (f64::from(at), f64::from(at))).collect();
    let (line, top) = bars(&Curve::of_series("rising", &points), (0.0, 119.0));
    assert_eq!((line.chars().count(), top), (60, 119.0));
    assert!(line.starts_with('▁') && line.ends_with('█'), "{line}");
}

#[test]
fn every_claim_is_there_with_its_rule() {
    let manifest = Manifest::new(&[], Machine::this(), "sheave lab run");
    let report = Report::render(&[], &[], manifest);
    let page = report.markdown();
    for finding in report.findings() {
        assert!(page.contains(&format!("### {}: not run", finding.claim.id)));
    }
}
