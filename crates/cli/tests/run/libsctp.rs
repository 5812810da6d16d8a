//! The calls of libsctp, and the programs of lksctp-tools.

use super::*;

/// Runs a part of `calls.c`.
fn calls(args: &[&str]) {
    bears("calls.c", &[], args);
}

/// Runs a part of a program of this folder.
fn bears(source: &str, flags: &[&str], args: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = build_c(source, folder.path()) else {
        return;
    };
    let udp = free_port();
    let mut command = Command::new(SHEAVE);
    command.args(["run", "--udp", &udp, "--encap-port", &udp]);
    command
        .args(["-X", "127.0.0.1,127.0.0.2"])
        .args(door(flags))
        .args(flags)
        .args(["--", &program])
        .args(args);
    let out = output(command);
    assert!(out.contains("as it should be"), "{out}");
}

/// Runs a part of a program with high and low numbers of descriptors.
fn bears_with_all_numbers(source: &str, part: &str) {
    bears(source, &[], &[part, "5000"]);
    bears(source, &["--fds", "low"], &[part, "5000"]);
}

/// Runs a part of `ends.c` through both doors.
fn ends(part: &str) {
    for door in ["listener", "preload"] {
        bears("ends.c", &["--door", door], &[part, "5000"]);
    }
}

tests! {
    associations_leave_a_one_to_many_socket => bears_with_all_numbers("calls.c", "peeloff");
    addresses_are_bound_connected_and_listed => calls(&["addresses", "5000"]);
    vectors_parts_and_several_messages_arrive_as_they_were_sent => calls(&["vectors", "5000"]);
    a_fresh_socket_is_never_writable => ends("fresh");
    poll_shows_the_ends_of_streams => ends("polls");
    accept_ends_with_the_listening_of_its_socket => ends("accepts");
    a_second_connect_is_told_that_the_first_one_waits => ends("connects");
}

#[test]
fn a_file_is_sent_from_its_offset_once() {
    for _ in 0..5 {
        calls(&["sendfile", "5000"]);
    }
}

#[test]
fn a_file_is_sent_from_its_position_once() {
    for _ in 0..5 {
        calls(&["sendfile-position", "5000"]);
    }
}

tests! {
    a_thousand_sockets_are_served_at_a_time => calls(&["many", "5000", "500"]);
    a_socket_is_shared_by_threads => bears_with_all_numbers("calls.c", "threads");
    a_call_that_waits_outlives_its_descriptor => bears_with_all_numbers("calls.c", "outlives");
    numbers_are_given_to_one_thread_each => bears_with_all_numbers("calls.c", "numbers");
    a_call_for_several_messages_handles_as_many_as_a_kernel_does => bears_with_all_numbers("batches.c", "counts");
    a_call_for_several_messages_ends_with_its_time => bears_with_all_numbers("batches.c", "times");
    a_call_for_several_messages_succeeds_with_those_before_a_fault => bears_with_all_numbers("batches.c", "faults");
    signals_take_no_message_of_a_call_for_several => bears_with_all_numbers("batches.c", "signals");
    wrong_buffers_are_refused_and_empty_ones_change_nothing => bears_with_all_numbers("buffers.c", "vectors");
    a_socket_has_no_offset => bears_with_all_numbers("buffers.c", "offsets");
    what_joins_files_is_refused_for_a_socket_and_takes_nothing_from_it => bears_with_all_numbers("buffers.c", "files");
}

/// Runs a server and a client of lksctp-tools under one host, the client with what a command of the
/// shell says, until another command ends; what both printed. The commands have `heard COUNT TEXT`, which
/// waits until the server has printed that so often.
fn beside(server: &[&str], client: &[&str], input: &str, end: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "heard() {{ until [ \"$(grep -oF \"$2\" server.log | wc -l)\" -ge $1 ]; \
           do sleep 0.05; done; }}; \
         stdbuf -o0 {} > server.log 2>&1 & server=$!; listened 1; \
         {{ {input}; }} | {} > client.log 2>&1; {end}; kill $server; wait $server; \
         cat client.log server.log",
        server.join(" "),
        client.join(" ")
    );
    let udp = free_port();
    let mut command = Command::new(SHEAVE);
    command.args(["run", "--udp", &udp, "--encap-port", &udp]);
    command.arg("--verbose").args(door(&[])).arg("--");
    // A server that was killed is no failure.
    let script = format!("{script}; true");
    traced(&command, folder.path(), &script).0
}

#[test]
fn sctp_test_sends_all_sizes_in_both_styles_over_both_families() {
    needs!("sctp_test");
    for style in ["", "-T"] {
        for here in ["127.0.0.1", "::1"] {
            let server = ["sctp_test", "-H", here, "-P", "5000", "-l", style];
            let to = ["-h", here, "-p", "5000", "-s", "-c", "4", "-x", "2"];
            let client = ["sctp_test", "-H", here, "-P", "5001", style, "-o", "1"];
            let end = "heard 2 'Data 32768 bytes.'";
            let out = beside(&server, &[&client[..], &to].concat(), "true", end);
            let last = out.matches("Data 32768 bytes.").count();
            assert_eq!(last, 2, "{style} {here}: {out}");
        }
    }
}

#[test]
fn sctp_darn_speaks_in_both_styles_over_both_families() {
    needs!("sctp_darn");
    // A server of the one-to-one style looks for the association after each message and drops what it
    // has not read when there is none: its client stays until it has read.
    let styles = [
        ("", "echo hello; echo world"),
        ("-t", "echo hello; heard 1 hello; echo world; heard 1 world"),
    ];
    for (style, input) in styles {
        for here in ["127.0.0.1", "::1"] {
            let server = ["sctp_darn", "-H", here, "-P", "5000", "-l", style];
            let to = ["-h", here, "-p", "5000", "-s", style];
            let client = ["sctp_darn", "-H", here, "-P", "5001"];
            let end = "heard 1 hello; heard 1 world";
            let out = beside(&server, &[&client[..], &to].concat(), input, end);
            let heard = ["hello", "world"].map(|word| out.contains(word));
            assert_eq!(heard, [true, true], "{style} {here}: {out}");
        }
    }
}

/// The tests that lksctp-tools has for a kernel, from Debian's sources, once for each family of addresses:
/// a program each.
fn tests_for_kernels(folder: &Path) -> Vec<String> {
    let mut script = Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../interop/source.sh"
    ));
    let sources = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lksctp-tools-source");
    script.arg("lksctp-tools").arg(&sources);
    eprint!("{}", output(script));
    let unpacked = fs::read_dir(&sources).unwrap().flatten();
    let mut all = unpacked.map(|entry| entry.path().join("src"));
    let Some(source) = all.find(|source| source.join("func_tests").exists()) else {
        return Vec::new();
    };
    let tests = fs::read_dir(source.join("func_tests")).unwrap().flatten();
    let tests = tests.map(|entry| entry.path());
    let mut programs = Vec::new();
    for test in tests.filter(|path| path.extension().is_some_and(|kind| kind == "c")) {
        let name = test.file_stem().unwrap().to_str().unwrap();
        for (family, flags) in [("", &[][..]), ("-v6", &["-DTEST_V6=1", "-DCONFIG_IPV6=1"])] {
            let program = folder.join(format!("{name}{family}"));
            let mut cc = Command::new("cc");
            cc.args(["-w", "-O1", "-pthread", "-o"])
                .arg(&program)
                .args(flags);
            cc.arg("-I").arg(source.join("testlib")).arg(&test);
            cc.arg(source.join("testlib/sctputil.c")).arg("-lsctp");
            output(cc);
            programs.push(program.to_str().unwrap().to_owned());
        }
    }
    programs
}

#[test]
fn the_tests_that_lksctp_tools_has_for_kernels_pass() {
    // Both ways are here already.
    if std::env::var_os(DOOR).is_some() {
        return;
    }
    let header = Path::new("/usr/include/netinet/sctp.h");
    if !has(&["cc", "bash", "flock"]) || !header.exists() {
        eprintln!("skipped: no compiler or no libsctp-dev");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tests = tests_for_kernels(folder.path());
    let pass = |way: &str| tests.iter().for_each(|test| passes(test, way));
    // Most of them sleep most of the time.
    thread::scope(|scope| {
        scope.spawn(|| pass("preload"));
        pass("listener");
    });
}

fn passes(test: &str, way: &str) {
    let udp = free_port();
    let mut command = Command::new(SHEAVE);
    command.args(["run", "--udp", &udp, "--encap-port", &udp, "--verbose"]);
    command.args(["--door", way, "--", test]);
    let finished = finish(command);
    let (out, err) = (text(&finished.stdout), text(&finished.stderr));
    let passes = finished.status.success() && !out.contains("BROK") && out.contains("PASS");
    assert!(passes, "{test} ({way}): {out}{err}");
}

#[test]
fn programs_that_look_for_sctp_find_it() {
    needs!("checksctp");
    // It says nothing and returns 0 where there is one.
    output(run(&free_port(), &[], &["checksctp"]));
}
