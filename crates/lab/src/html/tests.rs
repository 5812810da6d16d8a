use super::{escaped, percent_encoded};
use crate::{Machine, Manifest, Record, Report, UserScenario};

const LINK: &str = r#"
    duration = "200 ms"
    hosts = ["A", "B"]
    [link.wire]
    ends = ["A", "B"]
    rate = "2 Mbit/s"
    [flow.main]
    from = "A"
    to = "B"
    workload = { kind = "bulk", message = 1000 }
    [sweep]
    "link.wire.delay" = ["1 ms", "10 ms"]
"#;

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
    // What speaks of the whole page would not be heard inside of it.
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
    let page = report.html();
    for finding in report.findings() {
        assert!(page.contains(&escaped(finding.claim.statement)));
        assert_eq!(finding.verdict(), "not run");
    }
    // The name of a namespace is no address.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!page.contains("http:") && !page.contains("https:"));
}
