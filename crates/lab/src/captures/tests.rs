use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use parquet::file::reader::SerializedFileReader;
use parquet::record::Row;
use serde_json::Value;

use super::{Wanted, capture_first_runs, capture_run, slug};
use crate::{Effort, Extent, Run, UserScenario, studies};

const QUICK: Effort = Effort {
    extent: Extent::Quick,
    seeds: Some(1),
    after: 0,
};

/// Number of packets in a capture, and the problems that tshark reports, apart from chunks and
/// parameters unknown to it; `None` if tshark is not installed.
fn dissected(file: &std::path::Path) -> Option<(usize, Vec<String>)> {
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(file);
    for preference in [
        "sctp.checksum:CRC 32c",
        "ip.check_checksum:TRUE",
        "tcp.check_checksum:TRUE",
        "udp.check_checksum:TRUE",
    ] {
        tshark.args(["-o", preference]);
    }
    tshark.args(["-T", "fields"]);
    let fields = "_ws.malformed ip.checksum.status sctp.checksum.status tcp.checksum.status \
                  udp.checksum.status frame.number";
    for field in fields.split(' ') {
        tshark.args(["-e", field]);
    }
    let output = tshark.output().ok()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let text = String::from_utf8(output.stdout).expect("text");
    let is_bad = |line: &&str| {
        let cells: Vec<&str> = line.split('\t').collect();
        // 0 is bad, 1 is good, 2 and 3 are unverified.
        !cells[0].is_empty() || cells[1..5].contains(&"0")
    };
    let bad = text.lines().filter(is_bad).map(str::to_owned).collect();
    Some((text.lines().count(), bad))
}

#[test]
fn tshark_reads_the_capture_of_every_study_that_is_simulated() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut simulated = 0;
    for study in studies() {
        let runs = study.plan(QUICK);
        capture_first_runs(&runs, &[], folder.path()).expect("captured");
        let file = folder.path().join(super::first_run_file(study.name()));
        let scenario = |run: &Run| study.scenario(run).is_ok_and(|scenario| scenario.is_some());
        if !runs.iter().any(scenario) {
            assert!(!file.exists());
            continue;
        }
        simulated += 1;
        let len = fs::metadata(&file).expect("a capture").len();
        // 20,000 packets of 1500 bytes, each in a block of its own.
        assert!(len < 20_000 * 1600, "{}: {len} bytes", study.name());
        let Some((packets, bad)) = dissected(&file) else {
            return eprintln!("no tshark here");
        };
        assert!(packets > 10, "{}: {packets} packets", study.name());
        let (bad, first) = (bad.len(), bad.first());
        assert_eq!(bad, 0, "{}: {bad} of {packets}, {first:?}", study.name());
    }
    assert!(simulated >= 3);
}

const LINK: &str = include_str!("../user_scenario/tests/link.toml");
/// A flow beside the one of the link.
const OTHER: &str = r#"
    [flow.other]
    from = "A"
    to = "B"
    transport = "tcp"
    workload = { kind = "bulk", message = 1000 }
"#;

const KINDS: [Wanted; 3] = [Wanted::Packets, Wanted::Logs, Wanted::Series];

/// Captures the run of a scenario with this seed; returns the folder, and the one in it with what was captured.
fn captured(text: &str, seed: u32, wanted: &[Wanted]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = UserScenario::read("link", text).expect("a scenario");
    let run = scenario.plan(Some(seed)).pop().expect("a run");
    assert_eq!(run.seed, u64::from(seed));
    let place = capture_run(&run, &[scenario], wanted, folder.path());
    let place = folder
        .path()
        .join(place.expect("captured").expect("a folder"));
    (folder, place)
}

fn lossy() -> String {
    let lossy = LINK.replace("delay", "loss = \"5 %\"\ndelay");
    lossy.replace("\"1 s\"", "\"2 s\"")
}

#[test]
fn a_run_is_captured_link_by_link_and_logged_end_by_end() {
    let text = LINK.replace("1 Mbit", "10 Mbit") + OTHER;
    let (_folder, place) = captured(&text, 1, &KINDS);
    let files = fs::read_dir(&place).expect("a folder").flatten();
    let names: BTreeSet<_> = files.map(|file| file.file_name()).collect();
    // TCP has no log.
    let expected = [
        "main-client.sqlog",
        "main-server.sqlog",
        "series.parquet",
        "wire-back.pcapng",
        "wire.pcapng",
    ];
    assert!(names.iter().eq(&expected), "{names:?}");
    let log = fs::read_to_string(place.join("main-client.sqlog")).expect("a log");
    assert!(log.contains("sctp:association_established"));
    if let Some((packets, bad)) = dissected(&place.join("wire.pcapng")) {
        assert!(packets > 100, "{packets}");
        assert_eq!(bad, Vec::<String>::new());
    }
}

/// The chunks of packets in a log's events with this name.
fn chunks(log: &str, event: &str) -> Vec<Value> {
    let texts = log.split('\u{1e}').skip(1);
    let records = texts.map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
    let packets = records.filter(|record| record["name"] == event);
    let chunks = packets.flat_map(|packet| packet["data"]["chunks"].as_array().cloned());
    chunks.flatten().collect()
}

fn tsns(chunks: &[Value]) -> Vec<u64> {
    let tsns = chunks.iter().filter_map(|chunk| chunk["tsn"].as_u64());
    tsns.collect()
}

#[test]
fn the_log_of_an_end_has_the_packets_that_tshark_sees() {
    let (_folder, place) = captured(&lossy(), 1, &KINDS);
    let log = |end: &str| fs::read_to_string(place.join(format!("main-{end}.sqlog")));
    let (client, server) = (log("client").expect("a log"), log("server").expect("a log"));
    let sent = tsns(&chunks(&client, "sctp:packet_sent"));
    let received = tsns(&chunks(&server, "sctp:packet_received"));
    let different: BTreeSet<u64> = sent.iter().copied().collect();
    assert!(different.len() < sent.len(), "losses are sent again");
    assert!(received.len() < sent.len(), "some are lost");
    let sacks = chunks(&client, "sctp:packet_received");
    assert!(sacks.iter().any(|sack| sack["gaps"][0][1].is_u64()));
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(place.join("wire.pcapng"));
    tshark.args(["-o", "sctp.relative_tsns:FALSE", "-T", "fields"]);
    tshark.args(["-e", "sctp.data_tsn_raw"]);
    let Ok(output) = tshark.output() else {
        return eprintln!("no tshark here");
    };
    let text = String::from_utf8(output.stdout).expect("text");
    let seen = text.split([',', '\n']).filter(|cell| !cell.is_empty());
    let seen: Vec<u64> = seen.map(|cell| cell.parse().expect("a TSN")).collect();
    assert_eq!(received, seen);
}

#[test]
fn the_series_of_any_seed_are_a_table() {
    let (_folder, place) = captured(&lossy(), 2, &[Wanted::Series]);
    let names: Vec<_> = fs::read_dir(&place).expect("a folder").collect();
    assert_eq!(names.len(), 1, "nothing else was asked for");
    let file = File::open(place.join("series.parquet")).expect("a file");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let rows: Vec<Row> = reader.into_iter().map(|row| row.expect("a row")).collect();
    let text = |row: &Row, name: &str| {
        let mut cells = row.get_column_iter();
        let cell = cells.find(|(column, _)| *column == name);
        cell.map(|(_, value)| value.to_string()).expect("a column")
    };
    assert!(rows.iter().all(|row| text(row, "seed").starts_with('2')));
    for series in ["\"main.mbit_per_s\"", "\"main.cwnd_kib\""] {
        let points = rows.iter().filter(|row| text(row, "series") == series);
        assert!(points.count() > 50, "{series}");
    }
}

#[test]
fn a_description_becomes_the_name_of_a_file() {
    assert_eq!(
        slug("streams delay (delay_ms = 2.5, transport = sctp), seed 1"),
        "streams-delay-delay_ms=2.5-transport=sctp-seed-1"
    );
    assert_eq!(slug("../x"), "x");
}
