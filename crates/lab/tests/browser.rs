//! The report in a real browser: nothing is wrong with it, the scripts do what they are for, and it
//! fits a phone. Skipped, with a line on standard error, where there is no Chromium.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sheave_lab::{
    Effort, Machine, Manifest, Measured, Page, Record, Report, Run, UserScenario, studies,
};

const SCENARIO: &str = concat!(
    "name = \"a link <of sorts>\"\n",
    include_str!("../src/user_scenario/tests/link.toml"),
    "[sweep]\n\"link.wire.delay\" = [\"0 ms\", \"10 ms\", \"20 ms\"]"
);

/// Metrics of the studies that have most figures.
const METRICS: &str = "all_s connections cwnd_mean delay_mean_s delay_p50_s delay_p95_s delay_p99_s delay_s_mean \
    failovers first_s given_up_s kbyte_per_s left_s mbit_per_s messages packets primary_changes \
    receive_cpu_ns_per_byte receive_cpu_percent receive_mbit_per_s retransmissions rto_s_mean \
    rwnd_max send_cpu_ns_per_byte send_cpu_percent send_mbit_per_s sender_bit_per_s \
    sender_life_s timeouts tcp_missed";

/// The report of the scenario, which is run.
fn of_a_scenario() -> Report {
    let scenario =
        UserScenario::read("link", &SCENARIO.replace("1 Mbit", "2 Mbit")).expect("a scenario");
    let records = scenario.plan(Some(2)).into_iter().map(|run| Record {
        measured: scenario.execute(&run).expect("a run"),
        run,
    });
    let records: Vec<Record> = records.collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run link.toml");
    Report::render(&records, &[scenario], manifest)
}

/// The report of all studies, with numbers that mean nothing and fill all figures.
fn of_made_up_runs() -> Report {
    let effort = Effort {
        seeds: Some(2),
        ..Effort::default()
    };
    let runs = studies().iter().flat_map(|study| study.plan(effort));
    let records: Vec<Record> = runs.map(made_up).collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run");
    Report::render(&records, &[], manifest)
}

fn made_up(run: Run) -> Record {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in run.to_string().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let metrics = METRICS.split(' ').enumerate();
    let measured = metrics.fold(Measured::new(), |measured, (number, metric)| {
        let value = (hash >> number & 0xffff) as f64 / 100.0 + 1.0;
        measured.with(metric, value)
    });
    Record { run, measured }
}

fn write(folder: &Path, pages: &[Page]) {
    for Page { path, text } in pages {
        let place = folder.join(path);
        fs::create_dir_all(place.parent().expect("a folder")).expect("made");
        fs::write(place, text).expect("written");
    }
}

/// The document of a file as it is once its scripts have run, and what the console said; `None`
/// where there is no Chromium.
fn open(folder: &Path, file: &str) -> Option<(String, Vec<String>)> {
    let mut browser = Command::new("chromium");
    let flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --allow-file-access-from-files --enable-logging=stderr --v=0 --virtual-time-budget=20000 \
        --timeout=60000 --dump-dom";
    browser.args(flags.split(' '));
    let profile = folder.join("profile");
    browser.arg(format!("--user-data-dir={}", profile.display()));
    browser.arg(format!("file://{}", folder.join(file).display()));
    let output = browser.output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    let console = console.map(str::to_owned).collect();
    let document = String::from_utf8(output.stdout).expect("text");
    Some((document, console))
}

/// The value of what a test's script keeps as `data-NAME`.
fn kept(document: &str, name: &str) -> Option<String> {
    let value = document.split(&format!("data-{name}=\"")).nth(1)?;
    let value = value.split('"').next()?;
    Some(value.replace("&quot;", "\"").replace("&amp;", "&"))
}

/// Moves the pointer into the first figure, as a user does, and keeps what is then shown.
const POINTER: &str = "<script>{const chart = document.querySelector('svg.chart');\
    const box = chart.getBoundingClientRect();\
    chart.dispatchEvent(new PointerEvent('pointermove', {bubbles: true,\
    clientX: box.left + box.width / 2, clientY: box.top + box.height / 2}));\
    const tip = document.getElementById('tip');\
    document.body.dataset.shown = tip.hidden ? 'nothing' : tip.textContent;}</script>";

#[test]
fn a_browser_finds_nothing_wrong_and_shows_values_under_the_pointer() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = of_a_scenario().pages();
    write(folder.path(), &pages);
    let page = &pages[0].text;
    assert!(
        !page.contains("src=") && !page.contains("href=\"http") && !page.contains("url("),
        "it needs something from elsewhere"
    );
    let with_pointer = page.replace("</body>", &format!("{POINTER}</body>"));
    fs::write(folder.path().join("pointer.html"), with_pointer).expect("written");
    let Some((document, console)) = open(folder.path(), "pointer.html") else {
        return eprintln!("no chromium here");
    };
    assert_eq!(console, Vec::<String>::new());
    let shown = kept(&document, "shown").expect("a tip");
    // The middle of the axis, and the flow with its goodput there.
    assert!(shown.starts_with("10main: 1."), "{shown}");
    // And what is wrong would have been seen.
    let broken = page.replace("</body>", "<script>nobody.knows()</script></body>");
    fs::write(folder.path().join("broken.html"), broken).expect("written");
    let (_, console) = open(folder.path(), "broken.html").expect("it was there before");
    assert!(
        console.iter().any(|line| line.contains("nobody")),
        "{console:?}"
    );
}

/// Opens all pages in frames as wide as a phone, uses the first, and keeps what was found.
const PHONE: &str = include_str!("browser/phone.html");

#[test]
fn all_pages_fit_a_phone_and_filters_and_folds_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = of_made_up_runs();
    let pages = report.pages();
    write(folder.path(), &pages);
    let paths = pages.iter().map(|page| page.path.as_str());
    let paths: Vec<&str> = paths.filter(|path| path.ends_with(".html")).collect();
    assert!(paths.len() > studies().len());
    let paths = serde_json::to_string(&paths).expect("text");
    let phone = PHONE.replacen("<script>", &format!("<script>const PATHS = {paths};"), 1);
    fs::write(folder.path().join("phone.html"), phone).expect("written");
    let Some((document, console)) = open(folder.path(), "phone.html") else {
        return eprintln!("no chromium here");
    };
    assert_eq!(console, Vec::<String>::new());
    let found = kept(&document, "found").expect("the script came to its end");
    let found: Value = serde_json::from_str(&found).expect("what it found");
    assert_eq!(found["wide"], Value::Array(Vec::new()), "wider than 390 px");
    assert_eq!(
        found["unnamed"],
        Value::Array(Vec::new()),
        "links to nothing"
    );
    let claims = report.findings().count();
    let silent = report.findings().filter(|one| one.judgement.is_none());
    let silent = silent.count();
    assert!((1..claims).contains(&silent), "{silent}");
    let expected = serde_json::json!({
        "all": claims, "silent": silent, "again": claims, "unfolded": claims, "folded": 0, "one": 1,
    });
    assert_eq!(found["index"], expected);
    assert_eq!(found["revealed"], true);
}

/// The links between pages lead to pages, and those to files to files that the report has.
#[test]
fn links_between_pages_lead_somewhere() {
    let pages = of_made_up_runs().pages();
    for page in pages.iter().filter(|page| page.path.ends_with(".html")) {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in page.text.split(" href=\"").skip(1) {
            let link = link.split('"').next().unwrap_or_default();
            if link.starts_with(['#']) || link.starts_with("data:") {
                continue;
            }
            let file = link.split('#').next().unwrap_or_default();
            let place = match file.strip_prefix("../") {
                Some(above) => above.to_owned(),
                None if folder.is_empty() => file.to_owned(),
                None => format!("{folder}/{file}"),
            };
            // Tables of data are written beside the pages by whoever has the records.
            let is_data = place.ends_with(".csv") || place.ends_with(".parquet");
            let target = pages.iter().find(|page| page.path == place);
            assert!(is_data || target.is_some(), "{}: {link}", page.path);
            if let (Some(target), Some((_, anchor))) = (target, link.split_once('#')) {
                let is_named = target.text.contains(&format!("id=\"{anchor}\""));
                assert!(is_named, "{}: {link}", page.path);
            }
        }
    }
}
