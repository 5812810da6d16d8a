//! iperf3, ncat and socat.

use super::*;

/// The report of a client that measures for a second, with these flags.
fn iperf3(client: &[&str]) -> String {
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["iperf3", "-s", "-1", "--forceflush"]));
    server.wait_for("Server listening");
    let mut program = vec!["iperf3", "-c", "127.0.0.1", "--sctp", "-t", "1"];
    program.extend(client);
    let out = output(run(&udp, &[], &program));
    drop(server);
    out
}

#[test]
fn iperf3_measures_both_ways_several_associations_and_streams() {
    if !has(&["iperf3"]) {
        return;
    }
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
    if !has(&["ncat"]) {
        return;
    }
    // The end of its input ends a server, too.
    let script = "sleep 5 | ncat --sctp -l 127.0.0.1 5000 > got & server=$!; sleep 1; \
                  head -c 300000 /dev/urandom > sent; \
                  ncat --sctp 127.0.0.1 5000 --send-only < sent && sleep 1 && cmp sent got && \
                  echo same";
    let folder = tempfile::tempdir().unwrap();
    let mut command = run(&free_port(), &[], &["sh", "-c", script]);
    command.current_dir(folder.path());
    let out = output(command);
    assert!(out.contains("same"), "{out}");
}

#[test]
fn ncat_starts_a_program_for_its_peer() {
    if !has(&["ncat"]) {
        return;
    }
    // SCTP has no half-closed state: the client must not end its side before the answer came.
    let script = "ncat --sctp -l 127.0.0.1 5000 -e /bin/cat & sleep 1; \
                  (echo hello; sleep 1) | ncat --sctp 127.0.0.1 5000; wait";
    let finished = finish(run(&free_port(), &[], &["sh", "-c", script]));
    assert_eq!(
        text(&finished.stdout),
        "hello\n",
        "{}",
        text(&finished.stderr)
    );
}

#[test]
fn socat_forks_a_program_for_each_peer() {
    if !has(&["socat"]) {
        return;
    }
    let script = "socat SCTP4-LISTEN:5000,bind=127.0.0.1,fork,reuseaddr EXEC:'/bin/cat' & server=$!; \
                  sleep 1; for n in 1 2; do (echo hello $n; sleep 1) | socat -t 2 - SCTP4:127.0.0.1:5000; done; \
                  kill $server";
    let out = output(run(&free_port(), &[], &["sh", "-c", script]));
    assert_eq!(out, "hello 1\nhello 2\n");
}
