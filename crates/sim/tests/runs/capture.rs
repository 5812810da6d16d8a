use std::fs;
use std::path::PathBuf;
use std::process::Command;

use sheave_engine::Options;
use sheave_sim::{Bitrate, LinkSpec, Tap};

use crate::town::{ms, secs, town};

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
