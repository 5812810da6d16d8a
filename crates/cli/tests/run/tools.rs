//! iperf3, ncat, socat, qperf, stress-ng and gensiot.

use super::*;

/// The report of a client that sends 20 megabytes on each association, with these flags.
fn iperf3(client: &[&str]) -> String {
    // It talks over TCP, too, whose ports are those of the machine.
    let (udp, port) = (free_port(), free_port());
    let server = ["iperf3", "-s", "-1", "--forceflush", "-p", &port];
    let mut server = Guarded::start(run(&udp, &[], &server));
    server.wait_for("Server listening");
    let ours = [
        "iperf3",
        "-c",
        "127.0.0.1",
        "--sctp",
        "-n",
        "20M",
        "-i",
        "0",
    ];
    let program = [&ours[..], &["-p", &port], client].concat();
    let out = output(run(&udp, &[], &program));
    drop(server);
    out
}

/// The output of a script under a host of its own, in an empty folder, and the calls of its programs.
fn scripted(script: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let host = run(&free_port(), &["--verbose"], &[]);
    traced(&host, folder.path(), script)
}

#[test]
fn iperf3_measures_both_ways_several_associations_and_streams() {
    needs!("iperf3");
    // Debian's iperf3 takes the number of streams for a bitrate, too.
    let streams = ["--nstreams", "5", "-b", "0"];
    let bound = ["-4", "-X", "127.0.0.1"];
    for client in [&[][..], &["-R"], &["-P", "4"], &streams, &bound] {
        let out = iperf3(client);
        assert!(
            out.contains("receiver") && out.contains("iperf Done"),
            "{client:?}: {out}"
        );
        assert!(!out.contains(" 0.00 bits/sec"), "{client:?}: {out}");
        assert!(!out.contains("Kbits/sec"), "{client:?}: {out}");
    }
}

#[test]
fn ncat_carries_a_file_and_a_dialogue() {
    needs!("ncat");
    // The end of its input ends a server, too.
    let script = "mkfifo in; sleep 1000 > in 2> /dev/null & keeper=$!; \
                  ncat --sctp -l 127.0.0.1 5000 < in > got & server=$!; \
                  head -c 300000 /dev/urandom > sent; listened 1; \
                  ncat --sctp 127.0.0.1 5000 --send-only < sent && \
                  until cmp -s sent got; do sleep 0.05; done; \
                  kill $keeper $server; echo same";
    let (out, _) = scripted(script);
    assert!(out.contains("same"), "{out}");
}

#[test]
fn ncat_starts_a_program_for_its_peer() {
    needs!("ncat");
    // SCTP has no half-closed state: the client must not end its side before the answer came.
    let script = "ncat --sctp -l 127.0.0.1 5000 -e /bin/cat & listened 1; \
                  (echo hello; until [ -s out ]; do sleep 0.05; done) | \
                  ncat --sctp 127.0.0.1 5000 > out; wait; cat out";
    let (out, calls) = scripted(script);
    assert_eq!(out, "hello\n", "{calls}");
}

#[test]
fn ncat_starts_a_program_for_each_peer_that_comes() {
    needs!("ncat");
    let script = "ncat --sctp -l -k 127.0.0.1 5000 -e /bin/cat & server=$!; listened 1; \
                  for n in 1 2; do (echo hello $n; until [ -s out$n ]; do sleep 0.05; done) | \
                  ncat --sctp 127.0.0.1 5000 > out$n; cat out$n; done; kill $server";
    let (out, calls) = scripted(script);
    assert_eq!(out, "hello 1\nhello 2\n", "{calls}");
}

#[test]
fn each_program_talks_to_another_one() {
    needs!("ncat", "socat", "python3");
    let python = format!("exec python3 {ECHO} server 5000");
    let servers = [
        "exec ncat --sctp -l 127.0.0.1 5000 -e /bin/cat",
        "exec socat SCTP4-LISTEN:5000,bind=127.0.0.1 EXEC:/bin/cat",
        &python,
    ];
    let clients = [
        "ncat --sctp 127.0.0.1 5000",
        "socat -t 2 - SCTP4:127.0.0.1:5000",
    ];
    for (place, server) in servers.into_iter().enumerate() {
        for (own, client) in clients.into_iter().enumerate() {
            if place == own {
                continue;
            }
            let script = format!(
                "sh -c '{server}' > server & listened 1; \
                 (echo hello; until [ -s out ]; do sleep 0.05; done) | {client} > out; \
                 wait; cat out"
            );
            let (out, calls) = scripted(&script);
            assert_eq!(out, "hello\n", "{server} and {client}: {calls}");
        }
    }
}

#[test]
fn socat_forks_a_program_for_each_peer() {
    needs!("socat");
    let script = "socat SCTP4-LISTEN:5000,bind=127.0.0.1,fork,reuseaddr EXEC:'/bin/cat' & server=$!; \
                  listened 1; for n in 1 2; do \
                  (echo hello $n; until [ -s out$n ]; do sleep 0.05; done) | \
                  socat -t 2 - SCTP4:127.0.0.1:5000 > out$n; cat out$n; done; kill $server";
    let (out, calls) = scripted(script);
    assert_eq!(out, "hello 1\nhello 2\n", "{calls}");
}

/// The number that follows a name in a report of qperf.
fn counted(report: &str, name: &str) -> usize {
    let value = report
        .lines()
        .find_map(|line| line.trim().strip_prefix(name)?.trim().strip_prefix('='))
        .unwrap_or_else(|| panic!("no {name}: {report}"));
    value.trim().replace(',', "").parse().unwrap()
}

#[test]
fn qperf_counts_as_many_messages_as_it_has_read() {
    needs!("qperf");
    // It talks over TCP, too, whose ports are those of the machine.
    let port = free_port();
    let script = format!(
        "qperf -lp {port} > server.log 2>&1 & \
         qperf -lp {port} 127.0.0.1 -ws 60 -t 1 -vvs sctp_bw sctp_lat; \
         qperf -lp {port} 127.0.0.1 quit; wait"
    );
    let (out, calls) = scripted(&script);
    let traced = |end: &str| {
        let is_one = |line: &&str| line.contains("] read(") && line.ends_with(end);
        calls.lines().filter(is_one).count()
    };
    let [streamed, sent, asked, answered] =
        ["recv_msgs", "send_msgs", "rem_recv_msgs", "loc_recv_msgs"]
            .map(|name| counted(&out, name));
    assert!(0 < streamed && 0 < sent, "{out}");
    assert!(streamed <= traced(" = 32768"), "{out}");
    // Each end counts until a timer of its own.
    assert!(0 < answered && 0 < asked, "{out}");
    assert!(asked + answered <= traced(" = 1"), "{out}");
}

#[test]
fn stress_ng_sends_with_every_scheduler() {
    needs!("stress-ng");
    for scheduler in ["fcfs", "prio", "rr"] {
        let script = format!(
            "stress-ng --sctp 2 --sctp-ops 2000 --sctp-sched {scheduler} --timeout 150 --metrics \
             --verify > log 2>&1; echo code $?; cat log"
        );
        let (out, calls) = scripted(&script);
        assert!(out.contains("code 0\n"), "{scheduler}: {out}");
        // Its metrics name the stressor and what it has done.
        let done = out.lines().find_map(|line| line.split_once("] sctp "));
        let done = done.and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
        assert!(done >= Some(2000), "{scheduler}: {out}");
        let sent = calls.matches("] sendmsg(").count();
        assert!(sent >= 2000, "{scheduler}: {sent} messages: {out}");
    }
}

#[test]
fn gensiot_carries_a_file_each_way() {
    needs!("gensiot");
    // Its input and output must be pipes, and the end of its input ends it.
    let script = "for n in 0 1; do head -c 300000 /dev/urandom > sent$n; done; \
                  same() { cmp -s sent0 got1 && cmp -s sent1 got0; }; \
                  end() { (cat sent$1; until same; do sleep 0.05; done) | \
                  gensiot $2 sctp,127.0.0.1,5000 | cat > got$1; }; \
                  end 0 -a & listened 1; end 1; wait; same && echo same";
    let (out, calls) = scripted(script);
    assert_eq!(out, "same\n", "{calls}");
}
