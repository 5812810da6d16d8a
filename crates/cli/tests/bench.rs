//! `sheave bench` as a process.
#![cfg(feature = "lab")]

mod support;

use serde_json::Value;
use support::{lines, run, succeed, text};

/// All rows that are printed.
fn all_rows(args: &str) -> Vec<Value> {
    lines(&succeed(&format!("bench -J --rounds 1 {args}")))
}

fn rows(args: &str, table: &str) -> Vec<Value> {
    of_table(all_rows(args), table)
}

fn of_table(mut rows: Vec<Value>, table: &str) -> Vec<Value> {
    rows.retain(|row| row["table"] == table);
    rows
}

fn figure(row: &Value, pointer: &str) -> f64 {
    row.pointer(pointer).and_then(Value::as_f64).unwrap()
}

#[test]
fn the_engine_is_measured_in_every_setup() {
    let rows = rows("memory --size 1K", "memory");
    assert_eq!(rows.len(), 9);
    for row in &rows {
        assert!(figure(row, "/bytes_per_cpu_second/median") > 0.0);
        assert!(figure(row, "/share_of_ceiling") < 2.0, "{row}");
    }
    assert_eq!(figure(&rows[0], "/ratio/median"), 1.0);
}

#[test]
fn all_combinations_of_the_chosen_values_are_measured() {
    let asked = "memory --size 8K --mtu 1500,9000 --checksum on,off --loss 1";
    let rows = rows(asked, "memory");
    let conditions: Vec<(u64, bool)> = rows
        .iter()
        .map(|row| {
            let conditions = &row["conditions"];
            assert_eq!(conditions["lost_percent"], 1);
            let mtu = conditions["mtu"].as_u64().unwrap();
            (mtu, conditions["checksum"].as_bool().unwrap())
        })
        .collect();
    let all = [(1500, true), (1500, false), (9000, true), (9000, false)];
    assert_eq!(conditions, all);
}

#[test]
fn data_channels_are_measured_in_every_layer_and_beside_a_browser() {
    let rows = all_rows("datachannel --size 16K");
    let of =
        |table: &str| -> Vec<&Value> { rows.iter().filter(|row| row["table"] == table).collect() };
    let layers = of("datachannel");
    assert_eq!(layers.len(), 8);
    for row in layers {
        assert!(figure(row, "/bytes_per_cpu_second/median") > 0.0);
    }
    let ends = of("browser");
    if ends.is_empty() {
        assert_eq!(of("skipped").len(), 1);
        eprintln!(
            "data_channels_are_measured_in_every_layer_and_beside_a_browser: skipped: no Chromium"
        );
        return;
    }
    assert_eq!(ends.len(), 3);
    for row in ends {
        assert!(figure(row, "/bits_per_second/median") > 0.0);
    }
}

#[test]
fn the_simulator_is_measured_beside_ns2_where_there_is_one() {
    let rows = rows("simulator", "simulator");
    let what: Vec<&str> = rows.iter().filter_map(|row| row["what"].as_str()).collect();
    assert_eq!(what, ["sctp", "tcp"]);
    let installed = std::process::Command::new("ns")
        .arg("/dev/null")
        .output()
        .is_ok();
    for row in &rows {
        assert!(figure(row, "/packets_per_cpu_second/median") > 0.0);
        assert_eq!(row.pointer("/ratio/median").is_some(), installed, "{row}");
    }
}

#[test]
fn small_files_are_sent_beside_rsync_where_there_is_one() {
    let rows = all_rows("files --files 300");
    let rsync = std::process::Command::new("rsync")
        .arg("--version")
        .output();
    let expected: &[&str] = match rsync.is_ok() {
        true => &["sheave send", "rsync", "ratio"],
        false => &["sheave send"],
    };
    let rows = of_table(rows, "files");
    let what: Vec<&str> = rows.iter().filter_map(|row| row["what"].as_str()).collect();
    assert_eq!(what, expected);
    for row in &rows {
        assert!(figure(row, "/seconds/median") > 0.0, "{row}");
        assert!(figure(row, "/sender_cpu_seconds/median") > 0.0, "{row}");
    }
    for row in rows.iter().filter(|row| row["what"] == "ratio") {
        assert_eq!(row["seconds_goal"]["goal"], "<= 1", "{row}");
        assert_eq!(row["sender_cpu_goal"]["goal"], "<= 2", "{row}");
    }
}

#[test]
fn two_threads_are_measured_beside_one() {
    let rows = rows("cores --time 0.1", "cores");
    let threads = |place: &str| -> Vec<u64> {
        let rows = rows.iter().filter(|row| row["what"] == place);
        rows.map(|row| row["threads"].as_u64().unwrap()).collect()
    };
    assert_eq!(threads("in memory")[..2], [1, 2]);
    assert_eq!(threads("loopback, threads at each end")[..2], [1, 2]);
    assert!(
        rows.iter()
            .all(|row| figure(row, "/bits_per_second/median") > 0.0)
    );
}

#[test]
fn the_loopback_interface_is_measured_beside_tcp() {
    let rows = rows("loopback --size 8K --time 0.1", "loopback");
    // What needs root comes on top.
    assert!(rows.len() >= 6);
    for row in &rows {
        assert!(figure(row, "/bits_per_second/median") > 0.0, "{row}");
        assert!(
            figure(row, "/cpu_seconds_per_gigabyte/median") > 0.0,
            "{row}"
        );
    }
    assert_eq!(rows[0]["over"], "TCP of the kernel");
    // Ours as a user has it, and framed as on Ethernet.
    let gso = |row: &&Value| {
        let over = row["over"].as_str();
        over.is_some_and(|over| over.starts_with("sheave, UDP with GSO"))
    };
    let packets: Vec<Option<u64>> = rows
        .iter()
        .filter(gso)
        .map(|row| row["packet_bytes"].as_u64())
        .collect();
    assert_eq!(packets[..2], [Some(9000), Some(1500)]);
}

#[test]
fn a_small_message_is_measured_beside_bulk() {
    let rows = rows("latency --beside 100K", "latency beside bulk");
    let over: Vec<&str> = rows
        .iter()
        .map(|row| row["over"].as_str().unwrap())
        .collect();
    let all = [
        "TCP, a connection each",
        "sheave, priority",
        "sheave, priority, short queue",
        "sheave, first come",
    ];
    assert_eq!(over, all);
    for row in &rows {
        assert_eq!(row["bulk_bytes"], 102_400);
        assert!(figure(row, "/way_p50_us/median") < figure(row, "/p50_us/median"));
        let has_goal = row["over"]
            .as_str()
            .is_some_and(|over| over.contains("priority"));
        assert_eq!(row.pointer("/p99_goal/met").is_some(), has_goal, "{row}");
        assert!(figure(row, "/p50_us/median") <= figure(row, "/p99_us/median"));
        assert!(figure(row, "/bits_per_second/median") > 0.0);
    }
}

#[test]
fn every_sample_is_noted_in_the_file_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("samples.jsonl");
    let memory = "bench memory --size 1K --mtu 1500 --rounds 2";
    succeed(&format!("{memory} --samples {}", file.display()));
    let samples = of_table(lines(&std::fs::read_to_string(file).unwrap()), "memory");
    let rounds: Vec<u64> = samples
        .iter()
        .map(|sample| sample["round"].as_u64().unwrap())
        .collect();
    assert_eq!(rounds, [1, 2]);
    assert!(
        samples
            .iter()
            .all(|sample| figure(sample, "/bytes_per_cpu_second") > 0.0)
    );
}

#[test]
fn packets_that_arrive_one_by_one_have_a_goal() {
    let rows = rows("memory --size 64,8K --rtt 1ms,20ms", "memory");
    let goals: Vec<(u64, f64, bool)> = rows
        .iter()
        .map(|row| {
            let bytes = row["message_bytes"].as_u64().unwrap();
            let rtt = figure(row, "/conditions/rtt_seconds");
            (bytes, rtt, row["met"].is_boolean())
        })
        .collect();
    let expected = [
        (64, 0.001, false),
        (64, 0.02, false),
        (8192, 0.001, true),
        (8192, 0.02, false),
    ];
    assert_eq!(goals, expected);
}

#[test]
fn associations_are_weighed_fresh_and_used_and_all_are_put_to_use() {
    let rows = rows("many --associations 2000", "many");
    let of = |what: &str| {
        let row = rows.iter().find(|row| row["what"].as_str() == Some(what));
        row.unwrap_or_else(|| panic!("no {what} in {rows:?}"))
    };
    let median = |what| figure(of(what), "/figure/median");
    let fresh = median("of one by its own count, heap blocks included, fresh");
    assert!((500.0..2048.0).contains(&fresh), "{fresh} bytes");
    let used = median("of one by its own count, used");
    assert!((fresh..4096.0).contains(&used), "{used} bytes");
    for what in [
        "memory for each end of 2000 fresh ones",
        "memory for each end of 2000 used ones that are idle",
        "CPU of a packet with data, both ends, of 2000 in use",
    ] {
        assert!(median(what) > 0.0, "{what}");
        assert!(of(what)["met"].is_boolean(), "{what}");
    }
    let share = of("of a processor for 2000 idle ones, both ends, second by second");
    let most = figure(share, "/figure/max");
    assert!(most > 0.0 && most < 50.0, "{most} %");
}

#[test]
fn an_echo_has_goals_for_time_and_for_processor_time() {
    let rows = rows("latency", "latency");
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert!(figure(row, "/cpu_us/median") > 0.0, "{row}");
        let ours = row["over"] == "sheave, UDP with GSO";
        for goal in ["/ratio_to_tcp_goal/met", "/cpu_ratio_to_tcp_goal/met"] {
            assert_eq!(row.pointer(goal).is_some(), ours, "{row}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn two_networks_with_a_link_are_measured_beside_tcp() {
    let asked = "bench -J --rounds 1 veth --size 64K --time 0.1";
    let output = run(asked);
    if text(&output.stderr).contains("cannot make two networks") {
        eprintln!("skipped: no right to make networks, or no ip or ethtool");
        return;
    }
    let rows = of_table(lines(&text(&output.stdout)), "veth");
    assert_eq!(rows.len(), 8);
    for row in &rows {
        assert!(figure(row, "/bits_per_second/median") > 0.0, "{row}");
        assert!(figure(row, "/ratio_to_tcp/median") > 0.0, "{row}");
        let has_goal = row["over"] == "sheave, UDP with GSO";
        assert_eq!(row["met"].is_boolean(), has_goal, "{row}");
    }
}

/// The rows of `failover`, `None` where this machine gives us no networks.
#[cfg(target_os = "linux")]
#[cfg(feature = "dtls")]
#[test]
fn protection_is_measured_beside_none_tls_and_dtls() {
    let all = all_rows("secure --time 0.1");
    let ways = [
        "sheave --secure",
        "sheave --dtls",
        "sheave, UDP with GSO",
        "TLS 1.3 over TCP",
    ];
    for way in ways {
        let rows = all.iter().filter(|row| row["over"] == way);
        let rates: Vec<f64> = rows
            .map(|row| figure(row, "/bits_per_second/median"))
            .collect();
        // A row each for one and for four connections, and twice as many as root.
        assert!(rates.len() >= 2, "{way}");
        assert!(rates.iter().all(|rate| *rate > 1e6), "{way}: {rates:?}");
    }
    for what in [
        "set-up of one: TLS 1.3 by rustls",
        "set-up of one: protected association",
    ] {
        let row = all.iter().find(|row| row["what"] == what).unwrap();
        assert!(figure(row, "/figure/median") > 10.0, "{row}");
    }
}

fn failover_rows(args: &str) -> Option<Vec<Value>> {
    let output = run(&format!("bench -J --rounds 1 {args}"));
    let errors = text(&output.stderr);
    if errors.contains("cannot make two networks") {
        eprintln!("skipped: no right to make networks, or no ip or nft");
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{errors}");
    Some(of_table(lines(&text(&output.stdout)), "failover"))
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_is_cut_and_the_gap_in_delivery_is_told() {
    let args = "failover --cuts 6 --profile datacenter --delay 1 --beside mptcp";
    let Some(rows) = failover_rows(args) else {
        return;
    };
    let named = |name: &str| rows.iter().filter(|row| row["what"] == name).count();
    assert_eq!(named("datacenter"), 2, "{rows:?}");
    assert_eq!(named("datacenter --multipath"), 2, "{rows:?}");
    for row in rows.iter().filter(|row| row["what"] != "MPTCP") {
        assert!(figure(row, "/cuts") >= 1.0, "{row}");
        assert_eq!(figure(row, "/lost"), 0.0, "{row}");
        assert!(figure(row, "/gap_seconds/max") > 0.0, "{row}");
        assert!(figure(row, "/goal_seconds") > 0.022, "{row}");
    }
    for row in rows.iter().filter(|row| row["what"] == "MPTCP") {
        assert!(row["missed"].is_null(), "rivals are not judged: {row}");
    }
}

// The longest gaps of the cases in which the link that healed must carry on: a neighbour that takes the
// processor makes some late, a fault makes all late.
#[test]
#[cfg(target_os = "linux")]
fn a_link_that_healed_takes_over_within_the_goal_of_the_profile() {
    let late = || {
        let args = "failover --kind swap --cuts 6 --delay 1";
        let Some(rows) = failover_rows(args) else {
            return Vec::new();
        };
        let mut late = rows;
        late.retain(|row| {
            let goal = match row["what"].as_str() {
                Some(what) if what.starts_with("datacenter") => 0.15,
                Some(what) if what.starts_with("telecom") => 0.4,
                _ => 0.6,
            };
            assert_eq!(figure(row, "/cuts"), 1.0, "{row}");
            assert_eq!(figure(row, "/lost"), 0.0, "{row}");
            figure(row, "/gap_seconds/max") > goal
        });
        late
    };
    let tries: Vec<Vec<Value>> = (0..3)
        .map(|_| late())
        .take_while(|late| !late.is_empty())
        .collect();
    assert!(tries.len() < 3, "{tries:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn programs_under_sheave_run_are_measured() {
    let rows = rows("run", "run");
    let unit = |unit: &str| rows.iter().filter(|row| row["unit"] == unit).count();
    assert_eq!((unit("us"), unit("1/s")), (6, 4), "{rows:?}");
    for row in &rows {
        assert!(figure(row, "/figure/median") > 0.0, "{row}");
    }
    let goals = rows.iter().filter(|row| row["met"].is_boolean()).count();
    assert!(goals >= 3, "{rows:?}");
}
