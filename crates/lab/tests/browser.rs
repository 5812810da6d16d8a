//! The report in a real browser: nothing is wrong with it, and the script does what it is for.
//! Skipped, with a line on standard error, where there is no Chromium.

use std::fs;
use std::path::Path;
use std::process::Command;

use sheave_lab::{Machine, Manifest, Record, Report, UserScenario};

const SCENARIO: &str = r#"
    name = "a link <of sorts>"
    duration = "1 s"
    hosts = ["A", "B"]
    [link.wire]
    ends = ["A", "B"]
    rate = "2 Mbit/s"
    delay = "5 ms"
    [flow.main]
    from = "A"
    to = "B"
    workload = { kind = "bulk", message = 1000 }
    [sweep]
    "link.wire.delay" = ["0 ms", "10 ms", "20 ms"]
"#;

/// A report with figures and, as a study has a record, with all claims.
fn page() -> String {
    let scenario = UserScenario::read("link", SCENARIO).expect("a scenario");
    let records = scenario.plan(Some(2)).into_iter().map(|run| Record {
        measured: scenario.execute(&run).expect("a run"),
        run,
    });
    let mut records: Vec<Record> = records.collect();
    let mut of_study = records[0].clone();
    "establishment".clone_into(&mut of_study.run.study);
    records.push(of_study);
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run link.toml");
    Report::render(&records, &[scenario], manifest).html()
}

/// The document as it is once its scripts have run, and what the console said; `None` where there
/// is no Chromium.
fn open(folder: &Path, page: &str) -> Option<(String, Vec<String>)> {
    let file = folder.join("page.html");
    fs::write(&file, page).expect("written");
    let mut browser = Command::new("chromium");
    browser.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--enable-logging=stderr",
        "--v=0",
        "--virtual-time-budget=2000",
        "--dump-dom",
    ]);
    let profile = folder.join("profile");
    browser.arg(format!("--user-data-dir={}", profile.display()));
    browser.arg(format!("file://{}", file.display()));
    let output = browser.output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    let console = console.map(str::to_owned).collect();
    let document = String::from_utf8(output.stdout).expect("text");
    Some((document, console))
}

/// Moves the pointer into the first figure, as a user does, and keeps what is then shown.
const POINTER: &str = "<script>{const chart = document.querySelector('#link svg.chart');\
    const box = chart.getBoundingClientRect();\
    chart.dispatchEvent(new PointerEvent('pointermove', {bubbles: true,\
    clientX: box.left + box.width / 2, clientY: box.top + box.height / 2}));\
    const tip = document.getElementById('tip');\
    document.body.dataset.shown = tip.hidden ? 'nothing' : tip.textContent;}</script>";

#[test]
fn a_browser_finds_nothing_wrong_and_shows_values_under_the_pointer() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = page();
    assert!(
        !page.contains("src=") && !page.contains("href=\"http") && !page.contains("url("),
        "it needs something from elsewhere"
    );
    let with_pointer = page.replace("</body>", &format!("{POINTER}</body>"));
    let Some((document, console)) = open(folder.path(), &with_pointer) else {
        return eprintln!("no chromium here");
    };
    assert_eq!(console, Vec::<String>::new());
    let shown = document.split("data-shown=\"").nth(1).expect("a tip");
    let shown = shown.split('"').next().unwrap_or_default();
    // The middle of the axis, and the flow with its goodput there.
    assert!(shown.starts_with("10main: 1."), "{shown}");
    // And what is wrong would have been seen.
    let broken = page.replace("</body>", "<script>nobody.knows()</script></body>");
    let (_, console) = open(folder.path(), &broken).expect("it was there before");
    assert!(
        console.iter().any(|line| line.contains("nobody")),
        "{console:?}"
    );
}
