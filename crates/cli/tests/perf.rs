//! `sheave perf` as processes.

mod support;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Background, fail, free_port, lines, run, sheave, succeed, text};

/// A server, and its UDP port.
fn server(extra: &str) -> (String, Background) {
    let port = free_port();
    let place = format!("perf -s --json --local 127.0.0.1 --udp-port {port}");
    let server = Background::listening(&format!("{place} {extra}"));
    (port, server)
}

fn client(port: &str, extra: &str) -> String {
    format!("perf -c 127.0.0.1 --peer-udp-port {port} {extra}")
}

/// A client that goes on until it is ended, and tells each interval.
fn endless(port: &str, extra: &str) -> Background {
    Background::start(&client(port, &format!("--json-stream -i 0.1 -t 0 {extra}")))
}

fn measure(port: &str, extra: &str) -> Value {
    serde_json::from_str(&succeed(&client(port, &format!("-J {extra}")))).unwrap()
}

/// Text output of a client.
fn print(port: &str, extra: &str) -> String {
    succeed(&client(port, extra))
}

#[test]
fn one_second_forward_has_the_keys_of_iperf3() {
    let (port, mut server) = server("-1 -p 15201");
    let result = measure(&port, "-t 1 -i 0.1 -p 15201 -P 2 --nstreams 3");
    assert_eq!(result["start"]["test_start"]["protocol"], "SCTP");
    assert_eq!(result["start"]["test_start"]["num_streams"], 2);
    let intervals = result["intervals"].as_array().unwrap();
    // Together they are the whole second, however many there are.
    let streams = intervals.iter().map(|interval| &interval["streams"][0]);
    let seconds: f64 = streams
        .map(|stream| stream["seconds"].as_f64().unwrap())
        .sum();
    assert!(seconds > 0.85, "{intervals:?}");
    for key in "socket start end seconds bytes bits_per_second omitted sender rtt snd_cwnd \
        snd_wnd"
        .split(' ')
    {
        assert!(!intervals[0]["streams"][0][key].is_null(), "{key}");
    }
    let end = &result["end"];
    let (sent, received) = (&end["sum_sent"], &end["sum_received"]);
    assert!(sent["bytes"].as_u64().unwrap() >= received["bytes"].as_u64().unwrap());
    assert!(received["bits_per_second"].as_f64().unwrap() > 0.0);
    assert!(
        end["cpu_utilization_percent"]["host_total"]
            .as_f64()
            .unwrap()
            > 0.0
    );
    let path = &end["sctp"]["associations"][0]["paths"][0];
    assert!(path["cwnd"].as_u64().unwrap() > 0);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn reverse_and_both_ways_count_what_arrives() {
    let (port, _server) = server("-p 15202");
    // Enough that some arrives when the client, too, has noticed that the omitted time is over.
    let reverse = measure(&port, "-n 40M -R -O 0.2 -p 15202");
    assert_eq!(reverse["start"]["test_start"]["reverse"], 1);
    assert!(reverse["end"]["sum_received"]["bytes"].as_u64().unwrap() > 0);
    assert_eq!(reverse["end"]["sum_received"]["sender"], false);
    let both = measure(&port, "-n 3M --bidir -p 15202");
    assert!(both["end"]["sum_received"]["bytes"].as_u64().unwrap() > 0);
    assert!(
        both["end"]["sum_received_bidir_reverse"]["bytes"]
            .as_u64()
            .unwrap()
            > 0
    );
}

/// Bytes that were sent and that arrived, of each sum.
fn sums(result: &Value) -> Vec<u64> {
    let end = result["end"].as_object().unwrap().iter();
    let sums = end.filter(|(key, _)| key.starts_with("sum_"));
    sums.map(|(_, sum)| sum["bytes"].as_u64().unwrap())
        .collect()
}

// In reverse, the server went on until the client had counted so many: 13 to 24 MB of 10 MB, 1 to 6 MB
// of 100 kB.
#[test]
fn a_number_of_bytes_is_sent_exactly_whichever_way_it_goes() {
    let (port, _server) = server("-p 15203");
    let (bytes, blocks) = ("-n 3000001 -l 10000", "-k 100 -l 1000");
    for (extra, sums_of_each_way) in [
        ("", 2),
        ("-R", 2),
        ("--bidir", 4),
        ("-P 3", 2),
        ("-R -P 3", 2),
        ("--bidir -P 3 --nstreams 4", 4),
    ] {
        for (limit, total) in [(bytes, 3_000_001), (blocks, 100_000)] {
            let result = measure(&port, &format!("-p 15203 {limit} {extra}"));
            assert_eq!(sums(&result), vec![total; sums_of_each_way], "{extra:?}");
        }
    }
    // What is sent in the omitted time comes on top.
    for (extra, ways) in [
        ("", &["sum_sent"][..]),
        ("-R", &["sum_sent"]),
        ("--bidir", &["sum_sent", "sum_sent_bidir_reverse"]),
    ] {
        let omitted = format!("-O 0.3 -n 1M -b 40M -l 10K -p 15203 {extra}");
        let result = measure(&port, &omitted);
        for way in ways {
            assert_eq!(result["end"][way]["bytes"], 1 << 20, "{extra:?}, {way}");
        }
    }
}

#[test]
fn a_burst_of_messages_leaves_at_once() {
    let (port, _server) = server("-p 15231");
    // One by one they take an hour.
    let result = measure(&port, "-b 8/5 -l 1000 -k 5 -p 15231");
    assert_eq!(sums(&result), [5000, 5000]);
}

#[test]
fn a_sender_at_the_server_tells_its_windows_and_round_trips() {
    let (port, _server) = server("-p 15232 -i 0.1 --congestion new-reno");
    let result = measure(&port, "-R -t 0.5 -i 0.1 -p 15232");
    let end = &result["end"];
    for key in "max_snd_cwnd max_snd_wnd max_rtt min_rtt mean_rtt".split(' ') {
        let value = end["streams"][0]["sender"][key].as_u64();
        assert!(value.unwrap() > 0, "{key}: {end}");
    }
    assert_eq!(end["sender_tcp_congestion"], "reno");
    assert_eq!(end["receiver_tcp_congestion"], "cubic");
    for key in ["sndbuf_actual", "rcvbuf_actual", "tcp_mss_default"] {
        assert!(result["start"][key].as_u64().unwrap() > 0, "{key}");
    }
}

// It was busy for as long as the dead client's heartbeats could be missing, some 50 s.
#[test]
fn a_server_whose_client_was_killed_serves_the_next_one() {
    let (port, _server) = server("-p 15233");
    let client = endless(&port, "-p 15233");
    client.await_event("interval");
    let refused = run(&self::client(&port, "-p 15233 -n 1K"));
    assert!(
        text(&refused.stderr).contains("busy with another test"),
        "{refused:?}"
    );
    client.signal("-KILL");
    let result = measure(&port, "-n 1K -p 15233");
    assert_eq!(sums(&result), [1024, 1024]);
}

#[test]
fn a_test_in_which_nothing_arrives_ends_in_time() {
    let (port, _server) = server("-p 15234");
    let client = endless(&port, "-R -b 8 -l 1K --rcv-timeout 500 -p 15234");
    let error = client.await_event("error");
    assert!(
        error["data"]
            .as_str()
            .unwrap()
            .contains("no data has arrived"),
        "{error}"
    );
}

#[test]
fn a_test_whose_data_is_not_acknowledged_ends_in_time() {
    let (port, server) = server("-p 15235");
    let mut client = endless(&port, "--snd-timeout 500 -p 15235");
    client.await_event("interval");
    server.signal("-STOP");
    let stopped = Instant::now();
    assert_eq!(client.wait(), Some(1));
    // By itself it ends after 20 s.
    assert!(stopped.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_bit_rate_is_kept() {
    let (port, _server) = server("-p 15204");
    let result = measure(&port, "-n 1M -b 8M -l 1K -p 15204");
    let rate = result["end"]["sum_sent"]["bits_per_second"]
        .as_f64()
        .unwrap();
    // A machine that stands still for a while does not make up for it: only bits taken for something
    // else are so much slower.
    assert!((2e5..9e6).contains(&rate), "{rate}");
}

#[test]
fn beside_tcp_there_is_a_ratio_of_packets_alike() {
    let (port, _server) = server("-p 15205");
    let result = measure(&port, "-t 3 --vs-tcp -M 1400 -p 15205");
    let versus = &result["vs_tcp"];
    assert_eq!(versus["rounds"].as_array().unwrap().len(), 3);
    assert!(versus["tcp_bits_per_second"].as_f64().unwrap() > 0.0);
    assert!(versus["ratio"].as_f64().unwrap() > 0.0);
    assert_eq!(versus["sctp_packet_bytes"], 1440);
    let segment = versus["tcp_segment_bytes"].as_u64().unwrap();
    assert!((1380..=1400).contains(&segment), "{segment}");
}

#[test]
fn without_a_server_the_client_fails_with_1() {
    let port = free_port();
    let output = run(&client(&port, "--connect-timeout 300"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn two_threads_at_each_end_carry_four_associations() {
    let (port, mut server) = server("-1 -p 15207 --threads 2");
    let result = measure(&port, "-n 4M -p 15207 -P 4 --threads 2");
    assert_eq!(result["start"]["test_start"]["num_streams"], 4);
    assert_eq!(result["end"]["sum_received"]["bytes"], 4 << 20);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn the_flags_of_iperf3_are_taken() {
    let (port, _server) = server("-p 15208 -4 -B localhost");
    let flags = "--sctp -4 -w 512K -M 1400 -N -C cubic -Z -S 0xbb -T name --extra-data more \
                 --connect-timeout 60000 --cport 40123 -k 100 -l 1000 -p 15208 --forceflush \
                 --dont-fragment --snd-timeout 60000";
    let result = measure(&port, flags);
    assert_eq!(result["end"]["sum_received"]["bytes"], 100_000);
    assert_eq!(result["start"]["test_start"]["blocks"], 100);
    assert_eq!(result["start"]["sock_bufsize"], 512 << 10);
    // Without the ECN bits.
    assert_eq!(result["start"]["test_start"]["tos"], 0xb8);
    assert_eq!(result["title"], "name");
    assert_eq!(result["extra_data"], "more");
    assert_eq!(result["start"]["connected"][0]["local_port"], 40_123);
    assert_eq!(result["start"]["connected"][0]["remote_host"], "127.0.0.1");
    assert_eq!(result["start"]["connecting_to"]["port"], 15_208);
    let paths = &result["end"]["sctp"]["associations"][0]["paths"];
    // Of timeouts, which a busy machine makes, it gets smaller.
    assert!(paths[0]["pmtu"].as_u64().unwrap() <= 1440, "{paths}");
}

#[test]
fn flags_that_cannot_be_obeyed_say_so() {
    for (args, named) in [
        ("-S 256", "0 to 255"),
        ("--dscp 0100", "Usage: sheave perf"),
        ("-B 127.0.0.1%eth0", "interface"),
        ("-f x", "k, m, g, t"),
        ("-M 10", "--set-mss"),
        ("-w 1", "--window"),
        ("-4 -6", "--version6"),
        ("-D", "--daemon"),
        ("-C vegas", "new-reno"),
        ("-t 0 --vs-tcp", "--time"),
        ("-u", "`iperf3 -u`"),
        ("-F x", "`sheave send`"),
        ("--fq-rate 1M", "--pacing"),
        ("-b 1M/x", "a number of messages"),
        ("--rcv-timeout 99", "100 ms"),
    ] {
        fail(&format!("perf -c 127.0.0.1 {args}"), 2, named);
    }
}

#[test]
fn ctrl_c_prints_the_intervals_so_far() {
    let (port, server) = server("-p 15209 --json-stream -i 0.1");
    let child = sheave(&client(&port, "-p 15209 -J -t 0 -i 0.1"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    for _ in 0..5 {
        server.await_event("interval");
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!document["intervals"].as_array().unwrap().is_empty());
    assert!(document["error"].as_str().unwrap().contains("interrupt"));
    assert!(document["end"]["sum_received"]["bytes"].as_u64().unwrap() > 0);
    assert_eq!(document["start"]["test_start"]["duration"], 0.0);
    // The server has a result, too, and serves the next client.
    let end = server.await_event("end");
    assert!(
        end["data"]["sum_received"]["bytes"].as_u64() > Some(0),
        "{end}"
    );
    measure(&port, "-t 0.2 -p 15209");
}

#[test]
fn a_test_whose_server_dies_is_reported_as_far_as_it_came() {
    let (port, mut server) = server("-p 15210");
    let client = endless(&port, "-p 15210");
    for _ in 0..3 {
        client.await_event("interval");
    }
    server.signal("-INT");
    assert_eq!(server.wait(), Some(130));
    server.await_line(|line| line["error"].is_string() && line["intervals"].is_array());
    let error = client.await_event("error");
    assert!(
        error["data"].as_str().unwrap().contains("broke off"),
        "{error}"
    );
}

#[test]
fn a_server_for_one_test_fails_with_it() {
    let timers = "--dead-peer-timeout 1s --heartbeats 500ms";
    let (port, mut server) = server(&format!("-1 -p 15216 {timers}"));
    let mut client = endless(&port, "-p 15216 -R");
    client.await_event("interval");
    client.signal("-KILL");
    client.wait();
    assert_eq!(server.wait(), Some(1));
}

#[test]
fn a_json_stream_has_a_line_for_each_event() {
    let (port, _server) = server("-p 15211");
    let out = print(&port, "-t 0.5 -i 0.1 -p 15211 --json-stream");
    let lines = lines(&out);
    let events: Vec<&str> = lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect();
    assert_eq!(events.first(), Some(&"start"));
    assert_eq!(events.last(), Some(&"end"));
    let between = &events[1..events.len() - 1];
    assert!(
        !between.is_empty() && between.iter().all(|event| *event == "interval"),
        "{events:?}"
    );
    assert!(lines.last().unwrap()["data"]["sum_sent"]["bytes"].as_u64() > Some(0));
}

#[test]
fn the_servers_output_comes_with_the_result() {
    let (port, _server) = server("-p 15212");
    let result = measure(&port, "-t 0.3 -p 15212 --get-server-output");
    let theirs = &result["server_output_json"];
    assert_eq!(
        theirs["end"]["sum_received"]["bytes"],
        result["end"]["sum_received"]["bytes"]
    );
    let out = print(&port, "-t 0.3 -p 15212 --get-server-output");
    assert!(out.contains("Server output:"), "{out}");
}

#[test]
fn lines_have_a_title_a_time_and_a_unit_and_may_go_to_a_file() {
    let (port, _server) = server("-p 15213");
    let top = tempfile::tempdir().unwrap();
    let (log, pid) = (top.path().join("log"), top.path().join("pid"));
    let files = format!("--logfile {} -I {}", log.display(), pid.display());
    let flags = "-t 0.3 -p 15213 -f k -V -T mine";
    let out = print(&port, &format!("{flags} --timestamps=%Y: {files}"));
    assert_eq!(out, "");
    let logged = fs::read_to_string(&log).unwrap();
    for line in logged.lines() {
        assert!(
            line.starts_with("20") && line[4..].starts_with(":mine:  "),
            "{line}"
        );
    }
    for part in [
        " Kbits/sec",
        "Starting Test: protocol: SCTP",
        "Test Complete.",
    ] {
        assert!(logged.contains(part), "{part} in {logged}");
    }
    assert!(!pid.exists());
}

#[test]
fn a_server_in_the_background_listens_when_the_command_ends() {
    let port = free_port();
    let top = tempfile::tempdir().unwrap();
    let (pid, log) = (top.path().join("pid"), top.path().join("log"));
    let files = format!("-I {} --logfile {}", pid.display(), log.display());
    succeed(&format!(
        "perf -s -D -1 -p 15214 --local 127.0.0.1 --udp-port {port} {files}"
    ));
    let id = fs::read_to_string(&pid).unwrap();
    assert_ne!(id.trim(), "");
    let out = print(&port, "-t 0.3 -p 15214 --get-server-output");
    assert!(out.contains("receiver"), "{out}");
    // With -1 it ends by itself, and takes the file along.
    let deadline = Instant::now() + support::PATIENCE;
    while pid.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!pid.exists());
    assert!(
        fs::read_to_string(&log)
            .unwrap()
            .contains("Server listening")
    );
}

#[test]
fn a_server_in_the_background_that_cannot_listen_is_a_failure() {
    let (port, _server) = server("-p 15215");
    let daemon = format!("perf -s -D --local 127.0.0.1 --udp-port {port}");
    fail(&daemon, 1, "in use");
}
