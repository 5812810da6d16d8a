//! `sheave lab` as a user starts it: with a scenario of a few milliseconds, and with a small part
//! of a study.
#![cfg(feature = "lab")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_lab::Store;
use support::{Background, PATIENCE, Words, lines, run, text};

const LINK: &str = r#"
    name = "a short link"
    duration = "500 ms"
    seeds = 2
    hosts = ["A", "B"]
    [link.wire]
    ends = ["A", "B"]
    rate = "2 Mbit/s"
    delay = "5 ms"
    loss = "1 %"
    [flow.main]
    from = "A"
    to = "B"
    workload = { kind = "bulk", message = 1000 }
    [sweep]
    "flow.main.transport" = ["sctp", "tcp"]
    "link.wire.delay" = ["1 ms", "10 ms"]
"#;

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("link.toml"), LINK).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `sheave lab ARGS --json`; `@` at the beginning of a word is the folder.
    fn lab(&self, args: &(impl Words + ?Sized)) -> (Option<i32>, Vec<Value>, String) {
        let mut words = "lab --json".words();
        words.extend(
            args.words()
                .iter()
                .map(|word| match word.strip_prefix('@') {
                    Some(name) => self.path(name).display().to_string(),
                    None => word.clone(),
                }),
        );
        let output = run(&words);
        let events = lines(&text(&output.stdout));
        (output.status.code(), events, text(&output.stderr))
    }
}

fn last<'a>(events: &'a [Value], event: &str) -> &'a Value {
    let mut events = events.iter().rev();
    events.find(|one| one["event"] == event).unwrap()
}

fn rows(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let mut rows: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    rows.sort();
    rows
}

#[test]
fn a_scenario_of_ones_own_is_run_and_reported_and_finished_runs_are_used_again() {
    let bench = Bench::new();
    let (code, events, errors) = bench.lab("run @link.toml --out @out");
    assert_eq!(code, Some(0), "{errors}");
    let progress = last(&events, "progress");
    assert_eq!(
        (&progress["done"], &progress["total"]),
        (&8.into(), &8.into())
    );
    assert_eq!(last(&events, "report")["runs"], 8);
    assert_eq!(rows(&bench.path("out/link.csv")).len(), 8);
    for file in ["link.parquet", "manifest.json", "captures/link.pcapng"] {
        assert!(
            bench.path("out").join(file).metadata().unwrap().len() > 100,
            "{file}"
        );
    }
    let page = fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("a short link") && page.contains("<svg class=\"chart\""));
    assert!(page.contains("captures/link.pcapng"));
    let figure = fs::read_to_string(bench.path("out/report/figures/link-1.svg")).unwrap();
    assert!(figure.contains("<title>Goodput over wire.delay (ms)</title>"));
    let plain = fs::read_to_string(bench.path("out/report.md")).unwrap();
    assert!(
        plain.contains("### Goodput over wire.delay (ms)"),
        "{plain}"
    );

    let (code, events, _) = bench.lab("run @link.toml --out @out --seeds 3");
    assert_eq!(code, Some(0));
    let progress = last(&events, "progress");
    assert_eq!(
        (&progress["reused"], &progress["done"]),
        (&8.into(), &12.into())
    );
}

#[test]
fn the_report_names_a_command_for_a_single_run_and_that_captures_it() {
    let bench = Bench::new();
    bench.lab("run @link.toml --out @out --seeds 1");
    let plain = fs::read_to_string(bench.path("out/report.md")).unwrap();
    let command = plain
        .lines()
        .find_map(|line| line.strip_prefix("One of them: `"));
    let only = command.unwrap().split('\'').nth(1).unwrap();
    let mut words = "run @link.toml --seeds 1 --out @one --capture --qlog --series --only".words();
    words.push(only.to_owned());
    let (code, events, errors) = bench.lab(&words);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(last(&events, "report")["runs"], 1);
    let folder = last(&events, "capture")["folder"].as_str().unwrap();
    for file in "wire.pcapng wire-back.pcapng main-client.sqlog series.parquet".split(' ') {
        assert!(Path::new(folder).join(file).is_file(), "{file} in {folder}");
    }
}

#[test]
fn parts_of_the_runs_are_put_together() {
    let bench = Bench::new();
    bench.lab("run @link.toml --out @whole");
    for part in ["1/3", "2/3", "3/3"] {
        let out = format!("@part{}", &part[..1]);
        let (code, ..) = bench.lab(&format!("run @link.toml --shard {part} --out {out}"));
        assert_eq!(code, Some(0));
    }
    let (code, events, errors) = bench.lab("report @part1 @part2 @part3");
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(last(&events, "report")["runs"], 8);
    assert!(bench.path("part1/report/figures/link-1.svg").is_file());
    let (whole, parts) = (bench.path("whole/link.csv"), bench.path("part1/link.csv"));
    assert_eq!(rows(&parts), rows(&whole));
    // Once more, from the folder alone.
    let (_, events, _) = bench.lab("report @whole");
    assert_eq!(last(&events, "report")["runs"], 8);
}

#[test]
fn results_that_do_not_agree_fail_a_comparison_that_asks_for_it() {
    let bench = Bench::new();
    let (code, _, errors) = bench.lab("run features --out @one");
    assert_eq!(code, Some(0), "{errors}");
    let records = Store::existing(&bench.path("one")).and_then(|store| store.records());
    let records = records.expect("records");
    // In the other result TCP delivers without the peer's consent: one claim of ten turns.
    let others = records.into_iter().map(|mut record| {
        let one_way = record.measured.metrics.get_mut("delivered_one_way");
        if record.run.settings.text("transport") == "tcp"
            && let Some(one_way) = one_way
        {
            *one_way = 10.0;
        }
        Ok(record)
    });
    let other = Store::open(&bench.path("other")).expect("a store");
    other.keep(others).expect("kept");

    let (code, events, errors) = bench.lab("compare @one @one --at-least 100");
    assert_eq!(code, Some(0), "{errors}");
    let agreement = last(&events, "agreement");
    assert_eq!(agreement["agreement"], 1.0);
    assert!(agreement["decided"].as_u64() > Some(5), "{agreement}");
    let (code, events, _) = bench.lab("compare @one @other --at-least 95");
    assert_eq!(code, Some(1), "{events:?}");
    assert_eq!(last(&events, "differs")["id"], "FE-1");
    let (code, events, _) = bench.lab("compare @one @other --at-least 80");
    assert_eq!(code, Some(0), "{events:?}");
    let (code, _, errors) = bench.lab("compare @one @other --at-least 101");
    assert_eq!(code, Some(2));
    assert!(errors.contains("--at-least"), "{errors}");
}

#[test]
fn ctrl_c_leaves_a_report_of_what_is_finished() {
    let bench = Bench::new();
    let long = LINK
        .replace("500 ms", "200 s")
        .replace("2 Mbit/s", "20 Mbit/s");
    fs::write(bench.path("link.toml"), long).unwrap();
    let (file, out) = (bench.path("link.toml"), bench.path("out"));
    let run = format!("lab run {} --out {}", file.display(), out.display());
    let mut lab = Background::start(&format!("{run} --jobs 1 --seeds 5000 --json"));
    lab.await_event("progress");
    // A first run, and then the signal.
    let store = Store::open(&bench.path("out")).expect("a store");
    while store.records().expect("records").is_empty() {
        thread::sleep(Duration::from_millis(20));
    }
    lab.signal("-INT");
    let report = lab.await_event("report");
    assert_eq!(lab.wait(), Some(130));
    let runs = report["runs"].as_u64().unwrap();
    // Of 20,000 that were asked for.
    assert!((1..10_000).contains(&runs), "{runs}");
    assert!(bench.path("out/report.html").is_file());
    assert_eq!(rows(&bench.path("out/link.csv")).len() as u64, runs);
}

#[test]
fn a_fault_in_a_scenario_is_named() {
    let bench = Bench::new();
    fs::write(bench.path("bad.toml"), LINK.replacen("rate", "rat", 1)).unwrap();
    let (code, _, errors) = bench.lab("run @bad.toml --out @out");
    assert_eq!(code, Some(2));
    let expected = "bad.toml: link.wire.rat: there is no such key; did you mean `rate`?";
    assert!(errors.contains(expected), "{errors}");
    assert!(!bench.path("out").exists());
    let (code, _, errors) = bench.lab("run steams --out @out");
    assert_eq!(code, Some(2));
    assert!(errors.contains("there is no study steams") && errors.contains("streams"));
    let (code, _, errors) = bench.lab(&["run", "@link.toml", "--only", "seed 9", "--out", "@out"]);
    assert_eq!(code, Some(2), "{errors}");
    let (code, _, errors) = bench.lab("report @nowhere");
    assert_eq!(code, Some(1));
    assert!(errors.contains("holds no results"), "{errors}");
}

#[test]
fn a_part_of_a_study_is_run() {
    let bench = Bench::new();
    let mut words = "run establishment --out @out --seeds 1 --only".words();
    words.push("wrong_bits = 2".to_owned());
    let (code, events, errors) = bench.lab(&words);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(last(&events, "report")["runs"], 1);
    let claims = events.iter().filter(|event| event["event"] == "claim");
    let ids: Vec<_> = claims.map(|claim| claim["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["ES-1", "ES-2", "ES-3", "ES-4"]);
    let page = fs::read_to_string(bench.path("out/report/establishment.html")).unwrap();
    assert!(page.contains("href=\"../report.html\"") && page.contains("id=\"figure-1\""));
    assert!(bench.path("out/report/papers-figures.html").is_file());

    // Pages of an earlier report that are no longer in it go away.
    let stale = bench.path("out/report/gone.html");
    fs::write(&stale, "").unwrap();
    bench.lab("report @out");
    assert!(!stale.is_file());
}

/// The scenarios that `--help` names are there and run.
#[test]
fn the_scenarios_of_the_repository_run() {
    let help = text(&run("lab --help").stdout);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = 0;
    for entry in fs::read_dir(root.join("scenarios")).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(
            help.contains(&format!("scenarios/{name}")),
            "{name} in {help}"
        );
        found += 1;
        let bench = Bench::new();
        let short = fs::read_to_string(&file).unwrap();
        let short = short.replace("duration = \"20 s\"", "duration = \"2 s\"");
        fs::write(
            bench.path("short.toml"),
            short.replace("count = 2000", "count = 200"),
        )
        .unwrap();
        let (code, _, errors) = bench.lab("run @short.toml --seeds 1 --out @out");
        assert_eq!(code, Some(0), "{errors}");
        let plain = fs::read_to_string(bench.path("out/report.md")).unwrap();
        assert!(plain.contains("### Goodput over"), "{plain}");
    }
    assert!(found >= 2);
}

/// Four packets of 1504 bytes in 12 ms are 4 Mbit/s.
#[test]
fn the_trace_of_the_page_about_experiments_sets_the_rate_of_a_link() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/howto/experiments.md")).unwrap();
    let mut blocks = page.split("```toml\n").skip(1);
    let block = blocks.find(|block| block.contains("trace =")).unwrap();
    let link = block.split("```").next().unwrap();
    let bench = Bench::new();
    let scenario = format!(
        r#"
name = "a trace"
duration = "10 s"
hosts = ["base", "phone"]
{link}
delay = "10 ms"
[flow.down]
from = "base"
to = "phone"
transport = "tcp"
workload = {{ kind = "bulk", message = "1452 B" }}
"#
    );
    fs::write(bench.path("trace.toml"), scenario).unwrap();
    let (code, _, errors) = bench.lab("run @trace.toml --seeds 1 --out @out");
    assert_eq!(code, Some(0), "{errors}");
    let table = fs::read_to_string(bench.path("out/trace.csv")).unwrap();
    let mut lines = table.lines().map(|line| line.split(','));
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    let (_, goodput) = names
        .zip(values)
        .find(|(name, _)| *name == "down.mbit_per_s")
        .unwrap();
    let goodput: f64 = goodput.parse().unwrap();
    assert!((3.3..4.0).contains(&goodput), "{table}");
}

fn sheave() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sheave"))
}

#[test]
fn a_part_that_a_study_does_not_have_is_an_error_for_the_parent() {
    let mut part = sheave()
        .args(["lab", "part", "establishment", "{}"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    // A part ends when its standard input does, whatever it still had to say.
    let _input = part.stdin.take();
    let output = part.wait_with_output().expect("it ends");
    assert!(!output.status.success());
    let said: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    let error = said["error"].as_str().unwrap_or_default();
    assert!(error.contains("no live runs"), "{said}");
}

#[test]
fn parts_are_none_of_the_users_business() {
    let output = sheave().args(["lab", "--help"]).output().expect("it runs");
    let help = String::from_utf8_lossy(&output.stdout);
    assert!(help.contains("report") && !help.contains("part "), "{help}");
}

/// A process of a live run, and what it says.
struct Part {
    child: Child,
    input: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
}

impl Part {
    fn start(part: &Value) -> Self {
        let mut child = sheave()
            .args(["lab", "part", "datacenter", &part.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("its output"));
        Self {
            child,
            input,
            lines,
        }
    }

    fn tell(&mut self, word: &str) {
        let input = self.input.as_mut().expect("it listens");
        writeln!(input, "\"{word}\"").expect("it is there");
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Lets it work for a tenth of a second of its processor's time.
    fn work(&self) {
        if cfg!(not(target_os = "linux")) {
            return thread::sleep(Duration::from_secs(2));
        }
        let until = self.processor_time() + Duration::from_millis(100);
        let deadline = Instant::now() + PATIENCE;
        while self.processor_time() < until {
            assert!(Instant::now() < deadline, "it does not work");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The time that it has had a processor for.
    fn processor_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("a child");
        // Behind the name: from the third field on, the times are the 14th and the 15th, in 10 ms.
        let (_, fields) = stat.rsplit_once(')').expect("a name");
        let times = fields.split_whitespace().skip(11).take(2);
        let ticks = times
            .map(|time| time.parse::<u64>().expect("a number"))
            .sum::<u64>();
        Duration::from_millis(10 * ticks)
    }

    /// Closes its input, as the death of its parent does, and gives it time to end.
    fn ends_without_its_parent(mut self) -> bool {
        self.input = None;
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if self.child.try_wait().expect("a child").is_some() {
                return true;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it has ended");
        false
    }
}

/// Both parts of a live run on this machine's loopback.
fn measure(variant: &str) {
    let load = json!({
        "variant": variant, "message": 2000, "connections": 2, "streams": 1, "buffer": 65_536,
        "count": null, "processors": "all",
    });
    let part = |role| json!({ "carry": { "role": role, "load": load, "stage": null } });
    let mut receiver = Part::start(&part(json!("receive")));
    let to = receiver.hear()["listening"].clone();
    assert_eq!(to.as_array().map(Vec::len), Some(2), "{variant}");
    let mut sender = Part::start(&part(json!({ "send": to })));
    assert_eq!(sender.hear(), json!({ "sending": true }));
    for word in ["begin", "stop"] {
        sender.tell(word);
        receiver.tell(word);
        if word == "begin" {
            sender.work();
            receiver.work();
        }
    }
    for part in [&mut sender, &mut receiver] {
        let outcome = part.hear();
        assert!(outcome["bytes"].as_u64() > Some(0), "{variant}: {outcome}");
        let cost = &outcome["cost"];
        assert!(cost["cpu_seconds"].as_f64() > Some(0.0), "{outcome}");
    }
    assert!(sender.ends_without_its_parent(), "{variant}");
    assert!(receiver.ends_without_its_parent(), "{variant}");
}

#[test]
fn parts_carry_tcp_and_leave_no_orphans() {
    measure("tcp");
}

#[test]
fn parts_carry_sctp_in_every_variant() {
    for variant in [
        "sctp-classic",
        "sctp",
        "sctp, CRC32c",
        "classic + go-back-N",
    ] {
        measure(variant);
    }
}

#[test]
fn a_part_ends_when_its_parent_dies_before_anything_is_said() {
    let load = json!({
        "variant": "tcp", "message": 1, "connections": 1, "streams": 1, "buffer": 65_536,
        "count": null, "processors": "one",
    });
    let part = json!({ "carry": { "role": "receive", "load": load, "stage": null } });
    let mut part = Part::start(&part);
    part.hear();
    assert!(part.ends_without_its_parent());
}
