use std::collections::BTreeMap;

use super::percent_encoded;
use crate::escape::escaped;
use crate::palette::COLOURS;
use crate::{Machine, Manifest, Record, Report, UserScenario};

const LINK: &str = concat!(
    include_str!("../user_scenario/tests/link.toml"),
    "[sweep]\n\"link.wire.delay\" = [\"1 ms\", \"10 ms\"]"
);

#[test]
fn a_fragment_keeps_its_style_and_runs_no_script() {
    let scenario = UserScenario::read("link", LINK).unwrap();
    let records = scenario.plan(None).into_iter().map(|run| Record {
        measured: scenario.execute(&run).unwrap(),
        run,
    });
    let records: Vec<Record> = records.collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run link.toml");
    let fragment = Report::render(&records, &[scenario], manifest).fragment();
    assert!(fragment.starts_with("<div class=\"sheave\"><style>.sheave{&{"));
    assert!(fragment.contains("<svg class=\"chart\"") && fragment.ends_with("</div>"));
    let (style, content) = fragment.split_once("</style>").unwrap();
    for foreign in ["<script", "<html", "<style", "id=\"tip\""] {
        assert!(!content.contains(foreign), "{foreign}");
    }
    // Selectors for the whole page would have no effect within the fragment.
    assert!(!style.contains(":root{"));
    assert!(!style.contains("\nbody{"));
    let depth = style.chars().fold(0, |depth, char| match char {
        '{' => depth + 1,
        '}' => depth - 1,
        _ => depth,
    });
    assert_eq!(depth, 0, "all rules stand within one");
}

#[test]
fn text_cannot_become_markup() {
    assert_eq!(escaped("<a> & \"b\""), "&lt;a&gt; &amp; &quot;b&quot;");
    assert_eq!(percent_encoded("a,b\r\n\"c\""), "a,b%0D%0A%22c%22");
}

#[test]
fn a_page_without_runs_has_all_claims_and_nothing_from_elsewhere() {
    let manifest = Manifest::new(&[], Machine::this(), "sheave lab run");
    let report = Report::render(&[], &[], manifest);
    let pages = report.pages();
    assert_eq!(pages[0].path, "report.html");
    for finding in report.findings() {
        assert!(pages[0].text.contains(&escaped(&finding.claim.statement)));
        assert_eq!(finding.verdict(), "not run");
    }
    for page in &pages {
        // A namespace is not a network address.
        let text = page.text.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !text.contains("http:") && !text.contains("https:"),
            "{}",
            page.path
        );
    }
}

/// The colours of the style sheet's light and dark themes.
fn themes() -> [BTreeMap<&'static str, [f64; 3]>; 2] {
    let blocks: Vec<&str> = super::STYLE.split(":root{").skip(1).take(2).collect();
    let [light, dark] = blocks[..] else {
        panic!("two themes");
    };
    [light, dark].map(|block| {
        let block = block.split('}').next().unwrap_or_default();
        let pairs = block.split(';').filter_map(|pair| {
            let (name, colour) = pair.trim().strip_prefix("--")?.split_once(":#")?;
            Some((name, channels(colour)))
        });
        pairs.collect()
    })
}

/// Red, green and blue, 0 to 1.
fn channels(hex: &str) -> [f64; 3] {
    let digits = match hex.len() {
        3 => hex.chars().flat_map(|digit| [digit, digit]).collect(),
        _ => hex.to_owned(),
    };
    [0, 2, 4].map(|at| {
        let value = u8::from_str_radix(&digits[at..at + 2], 16).expect("a colour");
        f64::from(value) / 255.0
    })
}

/// The contrast of two colours as WCAG 2 defines it, 1 to 21.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let linear = colour.map(|channel| match channel <= 0.04045 {
            true => channel / 12.92,
            false => ((channel + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_and_curves_can_be_read_on_either_ground() {
    for theme in themes() {
        let paper = theme["paper"];
        for text in ["ink", "soft", "good", "mid", "bad", "c0"] {
            for ground in [paper, theme["shade"]] {
                let found = contrast(theme[text], ground);
                assert!(found >= 4.5, "{text}: {found:.2}");
            }
        }
        for colour in 0..COLOURS {
            let found = contrast(theme[format!("c{colour}").as_str()], paper);
            assert!(found >= 3.0, "c{colour}: {found:.2}");
        }
        let found = contrast(theme["c0"], theme["band"]);
        assert!(found >= 3.0, "our dots on the papers' band: {found:.2}");
    }
}
