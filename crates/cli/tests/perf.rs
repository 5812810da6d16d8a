//! `sheave perf` as processes.

mod support;

use serde_json::Value;
use support::{Background, free_port, run, text};

fn server(port: &str, extra: &[&str]) -> Background {
    let args = [
        &[
            "perf",
            "-s",
            "--json",
            "--local",
            "127.0.0.1",
            "--udp-port",
            port,
        ],
        extra,
    ]
    .concat();
    let server = Background::start(&args);
    server.await_event("listening");
    server
}

fn measure(port: &str, extra: &[&str]) -> Value {
    let args = [
        &["perf", "-c", "127.0.0.1", "-J", "--peer-udp-port", port],
        extra,
    ]
    .concat();
    let output = run(&args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn one_second_forward_has_the_keys_of_iperf3() {
    let port = free_port();
    let mut server = server(&port, &["-1", "-p", "15201"]);
    let result = measure(
        &port,
        &[
            "-t",
            "1",
            "-i",
            "0.5",
            "-p",
            "15201",
            "-P",
            "2",
            "--nstreams",
            "3",
        ],
    );
    assert_eq!(result["start"]["test_start"]["protocol"], "SCTP");
    assert_eq!(result["start"]["test_start"]["num_streams"], 2);
    let intervals = result["intervals"].as_array().unwrap();
    assert!(intervals.len() >= 2, "{intervals:?}");
    for key in [
        "socket",
        "start",
        "end",
        "seconds",
        "bytes",
        "bits_per_second",
        "omitted",
        "sender",
        "rtt",
        "snd_cwnd",
    ] {
        assert!(!intervals[0]["streams"][0][key].is_null(), "{key}");
    }
    let end = &result["end"];
    let (sent, received) = (&end["sum_sent"], &end["sum_received"]);
    assert!(sent["bytes"].as_u64().unwrap() >= received["bytes"].as_u64().unwrap());
    assert!(received["bits_per_second"].as_f64().unwrap() > 1e6);
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
    let port = free_port();
    let _server = server(&port, &["-p", "15202"]);
    let reverse = measure(&port, &["-t", "0.5", "-R", "-O", "0.2", "-p", "15202"]);
    assert_eq!(reverse["start"]["test_start"]["reverse"], 1);
    assert!(reverse["end"]["sum_received"]["bytes"].as_u64().unwrap() > 0);
    assert_eq!(reverse["end"]["sum_received"]["sender"], false);
    let both = measure(&port, &["-t", "0.5", "--bidir", "-p", "15202"]);
    assert!(both["end"]["sum_received"]["bytes"].as_u64().unwrap() > 0);
    assert!(
        both["end"]["sum_received_bidir_reverse"]["bytes"]
            .as_u64()
            .unwrap()
            > 0
    );
}

#[test]
fn a_number_of_bytes_is_sent_exactly() {
    let port = free_port();
    let _server = server(&port, &["-p", "15203"]);
    let result = measure(&port, &["-n", "3000001", "-l", "10000", "-p", "15203"]);
    assert_eq!(result["end"]["sum_sent"]["bytes"], 3_000_001);
    assert_eq!(result["end"]["sum_received"]["bytes"], 3_000_001);
}

#[test]
fn a_bit_rate_is_kept() {
    let port = free_port();
    let _server = server(&port, &["-p", "15204"]);
    let result = measure(&port, &["-t", "1", "-b", "8M", "-l", "1K", "-p", "15204"]);
    let rate = result["end"]["sum_sent"]["bits_per_second"]
        .as_f64()
        .unwrap();
    assert!((6e6..9e6).contains(&rate), "{rate}");
}

#[test]
fn beside_tcp_there_is_a_ratio() {
    let port = free_port();
    let _server = server(&port, &["-p", "15205"]);
    let result = measure(&port, &["-t", "0.9", "--vs-tcp", "-p", "15205"]);
    let versus = &result["vs_tcp"];
    assert_eq!(versus["rounds"].as_array().unwrap().len(), 3);
    assert!(versus["tcp_bits_per_second"].as_f64().unwrap() > 0.0);
    assert!(versus["ratio"].as_f64().unwrap() > 0.0);
}

#[test]
fn without_a_server_the_client_fails_with_1() {
    let port = free_port();
    let args = [
        "perf",
        "-c",
        "127.0.0.1",
        "--peer-udp-port",
        &port,
        "--connect-timeout",
        "0.3",
    ];
    assert_eq!(run(&args).status.code(), Some(1));
}

#[test]
fn two_threads_at_each_end_carry_four_associations() {
    let port = free_port();
    let mut server = server(&port, &["-1", "-p", "15207", "--threads", "2"]);
    let args = ["-n", "4M", "-p", "15207", "-P", "4", "--threads", "2"];
    let result = measure(&port, &args);
    assert_eq!(result["start"]["test_start"]["num_streams"], 4);
    assert_eq!(result["end"]["sum_received"]["bytes"], 4 << 20);
    assert_eq!(server.wait(), Some(0));
}
