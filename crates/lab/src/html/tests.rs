use super::{escaped, percent_encoded};
use crate::{Machine, Manifest, Report};

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
