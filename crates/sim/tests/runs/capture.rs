use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use sheave_engine::Options;
use sheave_sim::{
    Bitrate, Bulk, Errors, LinkSpec, Probability, Tap, VantagePoint, write_event_log,
};

use crate::town::{Client, ms, secs, town};

/// What tshark says of those fields of each packet of a capture; `None` where there is no tshark.
fn dissect(file: &PathBuf, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut tshark = Command::new("tshark");
    tshark.args(["-r"]).arg(file);
    tshark.args([
        "-o",
        "sctp.checksum:CRC 32c",
        "-o",
        "ip.check_checksum:TRUE",
        "-T",
        "fields",
    ]);
    for field in fields {
        tshark.args(["-e", field]);
    }
    let output = tshark.output().ok()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("text");
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    Some(text.lines().map(row).collect())
}

#[test]
fn tshark_reads_what_passed_a_link() {
    let file = std::env::temp_dir().join(format!("sheave-sim-{}.pcapng", std::process::id()));
    let mut town = town(1, &[LinkSpec::new(Bitrate::mbit(10), ms(20))]);
    let out = Box::new(fs::File::create(&file).expect("a file"));
    town.world.capture(town.links[0].0, Tap::Arrival, out);
    town.greedy(&Options::default());
    town.world.run_until(secs(1));
    town.world.finish_captures().expect("written");
    let fields = [
        "frame.time_epoch",
        "ip.src",
        "ip.len",
        "ip.checksum.status",
        "sctp.checksum.status",
        "sctp.chunk_type",
        "_ws.malformed",
    ];
    let rows = dissect(&file, &fields);
    fs::remove_file(&file).expect("removed");
    let Some(rows) = rows else {
        return eprintln!("no tshark here");
    };
    let delivered = town.world.link_stats(town.links[0].0).delivered;
    assert_eq!(rows.len() as u64, delivered);
    for row in &rows {
        assert_eq!(row[1], "10.0.0.1");
        assert_eq!((row[3].as_str(), row[4].as_str()), ("1", "1"), "{row:?}");
        assert_eq!(row[6], "");
    }
    // The INIT was sent at 0 and took its bits and 20 ms.
    let len: u64 = rows[0][2].parse().expect("a length");
    let nanos = 20_000_000 + len * 800;
    assert_eq!(rows[0][0], format!("0.{nanos:09}"));
    assert_eq!(rows[0][5], "1");
}

#[test]
fn the_event_log_is_a_sequence_of_json_texts_in_order_of_time() {
    let lossy = LinkSpec {
        loss: Errors::Uniform(Probability::new(0.02)),
        ..LinkSpec::new(Bitrate::mbit(10), ms(20))
    };
    let mut town = town(1, &[lossy]);
    let (client, _) = town.greedy(&Options::default());
    town.world.run_until(secs(20));
    let client: &Client<Bulk> = town.world.agent(client).expect("a client");
    let mut log = Vec::new();
    let title = "a \"lossy\" link";
    write_event_log(&mut log, title, VantagePoint::Client, client.transport()).expect("written");
    let log = String::from_utf8(log).expect("text");
    let mut texts = log.split('\u{1e}').skip(1);
    let head = texts.next().expect("a head");
    assert!(head.contains(r#""title":"a \"lossy\" link""#), "{head}");
    let mut last = 0.0;
    let mut names = BTreeSet::new();
    for text in texts {
        let rest = text.strip_prefix("{\"time\":").expect("a time");
        let (time, rest) = rest.split_once(",\"name\":\"sctp:").expect("a name");
        let time: f64 = time.parse().expect("a number");
        assert!(time >= last, "{time} after {last}");
        last = time;
        names.insert(rest.split('"').next().unwrap_or_default().to_owned());
        assert_eq!(text.matches('{').count(), text.matches('}').count());
    }
    for name in [
        "association_established",
        "chunks_retransmitted",
        "metrics_updated",
        "path_state_updated",
    ] {
        assert!(names.contains(name), "{name} in {names:?}");
    }
}

#[test]
fn what_the_hosts_send_is_captured_with_checksums_until_there_is_no_more_room() {
    let file = std::env::temp_dir().join(format!("sheave-sim-hosts-{}.pcapng", std::process::id()));
    let mut town = town(1, &[LinkSpec::new(Bitrate::mbit(10), ms(20))]);
    let out = Box::new(fs::File::create(&file).expect("a file"));
    town.world.capture_hosts(100, out);
    town.greedy(&Options::default());
    assert!(!town.world.capture_is_full());
    town.world.run_until(secs(1));
    assert!(town.world.capture_is_full());
    town.world.finish_captures().expect("written");
    let fields = ["ip.src", "frame.interface_name", "sctp.checksum.status"];
    let rows = dissect(&file, &fields);
    fs::remove_file(&file).expect("removed");
    let Some(rows) = rows else {
        return eprintln!("no tshark here");
    };
    assert_eq!(rows.len(), 100);
    let sources: BTreeSet<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    let interfaces: BTreeSet<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!((sources.len(), interfaces.len()), (2, 2));
    assert!(rows.iter().all(|row| row[2] == "1"));
}
