//! Echo both ways, refusals, losses.

use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use sheave::error::{ConnectError, ReceiveError};
use sheave::stats::PathState;
use sheave::{CloseReason, Target};
use sheave_interop::session::{self, Load, PATIENCE, offering};
use sheave_interop::{Capture, KernelPeer, skip, tests, tshark};

use crate::{OURS, OURS_V6, Over, QUICK, THEIRS, THEIRS_V6, UDP_PORT, options, scenario};

/// Sends packets through all that the kernel's echo server must master.
fn ping_the_kernel(kernel: &KernelPeer, over: Over, ours: IpAddr, theirs: IpAddr) {
    let endpoint = over.bind(&[ours]);
    let association = over
        .call(&endpoint, &[theirs], 7)
        .expect("the kernel answers");
    let loads = [
        Load::new(1000, 300, 20),
        Load::new(1, 500, 500),
        Load::new(3000, 100, 3).unordered(),
        Load::new(1_000_000, 3, 2),
    ];
    for load in &loads {
        session::ping(&association, load);
    }
    let path = association
        .path_stats()
        .into_iter()
        .find(|path| path.primary);
    let path = path.expect("there is a primary path");
    assert!(
        path.srtt
            .is_some_and(|srtt| srtt < Duration::from_millis(400))
    );
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let log = kernel.wait_for_line("echo", "echo ", PATIENCE);
    let bytes: usize = loads.iter().map(Load::bytes).sum();
    // Message numbers start over with each load, which the peer takes for a wrong order.
    assert!(
        log.contains(&format!("echo bytes {bytes} messages 903 ")),
        "{log}"
    );
    assert!(log.contains("end shutdown"), "{log}");
}

/// The same from the kernel: it calls, we echo.
fn be_pinged_by_the_kernel(kernel: &KernelPeer, over: Over, ours: IpAddr) {
    over.prepare(kernel);
    let endpoint = over.bind(&[ours]);
    let listener = endpoint.listen(7, options()).expect("the port is free");
    let cases = [
        ("1000 300 streams=20", 300_000, 300),
        ("1 500 streams=500", 500, 500),
        ("3000 100 streams=3 unordered", 300_000, 100),
        ("1000000 3 streams=2", 3_000_000, 3),
    ];
    for (number, (words, bytes, messages)) in cases.into_iter().enumerate() {
        let log = format!("ping{number}");
        kernel.start(&log, &format!("peer ping {ours} 7 {words}"));
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let tally = session::echo(&association).expect("the kernel ends gracefully");
        assert_eq!(
            (tally.bytes, tally.messages, tally.wrong),
            (bytes, messages, 0)
        );
        let log = kernel.wait_for_line(&log, "ping ", PATIENCE);
        let end = format!("ping bytes {bytes} messages {messages} wrong 0 end shutdown");
        assert!(log.contains(&end), "{log}");
    }
}

#[test]
fn the_kernel_talks_to_itself() {
    scenario(|kernel| {
        let said = kernel.run("peer ping 127.0.0.1 7 1000 100 streams=5");
        assert!(
            said.contains("ping bytes 100000 messages 100 wrong 0 end shutdown"),
            "{said}"
        );
    });
}

#[test]
fn the_kernel_echoes_over_udp() {
    scenario(|kernel| {
        let capture = Capture::start("sheave1");
        ping_the_kernel(kernel, Over::Udp, OURS[0], THEIRS[0]);
        check(capture);
    });
}

#[test]
fn the_kernel_echoes_over_raw_ip() {
    scenario(|kernel| {
        let capture = Capture::start("sheave1");
        ping_the_kernel(kernel, Over::Ip, OURS[0], THEIRS[0]);
        check(capture);
    });
}

/// Asks tshark what it thinks of the packets.
fn check(capture: Option<Capture>) {
    let Some(file) = capture.map(Capture::finish) else {
        skip("no dumpcap: nothing was captured");
        return;
    };
    match tshark(&file) {
        Some((seen, wrong)) => {
            assert!(seen > 1000, "only {seen} packets captured");
            assert_eq!(wrong, [] as [String; 0]);
        }
        None => skip("no tshark: its opinion is missing"),
    }
    std::fs::remove_file(file).expect("the file was ours");
}

tests! {
    the_kernel_echoes_over_ipv6 => scenario(|kernel| ping_the_kernel(kernel, Over::Udp, OURS_V6, THEIRS_V6));
    the_kernel_echoes_over_raw_ipv6 => scenario(|kernel| ping_the_kernel(kernel, Over::Ip, OURS_V6, THEIRS_V6));
    we_echo_to_the_kernel_over_udp => scenario(|kernel| be_pinged_by_the_kernel(kernel, Over::Udp, OURS[0]));
    we_echo_to_the_kernel_over_raw_ip => scenario(|kernel| be_pinged_by_the_kernel(kernel, Over::Ip, OURS[0]));
    we_echo_to_the_kernel_over_raw_ipv6 => scenario(|kernel| be_pinged_by_the_kernel(kernel, Over::Ip, OURS_V6));
}

#[test]
fn addresses_of_both_families_make_paths() {
    scenario(|kernel| {
        let endpoint = Over::Udp.bind(&[OURS[0], OURS[1], OURS_V6]);
        let association = Over::Udp
            .call(&endpoint, &THEIRS[..1], 7)
            .expect("the kernel answers");
        let deadline = Instant::now() + PATIENCE;
        let wanted = [THEIRS[0], THEIRS[1], THEIRS_V6];
        let is_active = |remote: IpAddr| {
            let paths = association.path_stats();
            paths
                .iter()
                .any(|path| path.remote == remote && path.state == PathState::Active)
        };
        while !wanted.iter().all(|remote| is_active(*remote)) {
            assert!(Instant::now() < deadline, "{:?}", association.path_stats());
            thread::sleep(Duration::from_millis(20));
        }
        session::ping(&association, &Load::new(5000, 100, 5));
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let log = kernel.wait_for_line("echo", "echo ", PATIENCE);
        assert!(log.contains("messages 100 wrong 0 end shutdown"), "{log}");
    });
}

#[test]
fn aborts_and_refusals_are_understood() {
    scenario(|kernel| {
        let over = Over::Udp;
        over.prepare(kernel);
        let endpoint = over.bind(&OURS[..1]);

        let association = over
            .call(&endpoint, &THEIRS[..1], 7)
            .expect("the kernel answers");
        session::ping(&association, &Load::new(100, 10, 1));
        association.abort("enough");
        let log = kernel.wait_for_line("echo", "echo ", PATIENCE);
        assert!(log.contains("end Connection reset by peer"), "{log}");

        let refused = over.call(&endpoint, &THEIRS[..1], 77);
        assert!(
            matches!(
                refused,
                Err(ConnectError::Failed(CloseReason::AbortedByPeer { .. }))
            ),
            "{refused:?}"
        );
        let (_, said) = kernel.attempt("peer ping 10.99.1.1 77 1 1");
        assert!(
            said.contains("failed connect: Connection refused"),
            "{said}"
        );

        let listener = endpoint.listen(7, options()).expect("the port is free");
        kernel.start("abort", "peer ping 10.99.1.1 7 100 10 end=abort");
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let end = session::echo(&association).expect_err("the kernel aborts");
        assert!(
            matches!(end, ReceiveError::Closed(CloseReason::AbortedByPeer { .. })),
            "{end:?}"
        );
    });
}

#[test]
fn the_kernel_measures_the_round_trip_to_us() {
    scenario(|kernel| {
        let endpoint = Over::Udp.bind(&OURS[..1]);
        let association = Over::Udp
            .call(&endpoint, &THEIRS[..1], 7)
            .expect("the kernel answers");
        session::ping(&association, &Load::new(1000, 20, 1));
        // In hundredths of a second. It starts with 3 s; once it has measured, its minimum holds.
        let table = kernel.run("cat /proc/net/sctp/remaddr");
        let ours = table.lines().find(|line| line.starts_with("10.99.1.1"));
        let rto = ours.and_then(|line| line.split_whitespace().nth(3));
        assert_eq!(rto, Some("100"), "{table}");
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    });
}

#[test]
fn loss_and_delay_cost_no_message() {
    scenario(|kernel| {
        let _ = kernel.run(QUICK);
        let _ = kernel.run("weather eth0 out loss 5% delay 5ms");
        Over::Udp.prepare(kernel);
        let endpoint = Over::Udp.bind(&OURS[..1]);
        let listener = endpoint.listen(7, options()).expect("the port is free");
        kernel.start("lossy", "peer ping 10.99.1.1 7 5000 100 streams=5");
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let tally = session::echo(&association).expect("the kernel ends gracefully");
        assert_eq!(
            (tally.bytes, tally.messages, tally.wrong),
            (500_000, 100, 0)
        );
        let log = kernel.wait_for_line("lossy", "ping ", PATIENCE);
        assert!(log.contains("messages 100 wrong 0 end shutdown"), "{log}");
    });
}

#[test]
fn extensions_that_the_kernel_does_not_have_are_offered_in_vain() {
    scenario(|kernel| {
        let endpoint = Over::Udp.bind(&OURS[..1]);
        let target = Target::over_udp([THEIRS[0]], UDP_PORT, 7).with_options(offering());
        let association = endpoint.connect_timeout(target, PATIENCE);
        let association = association.expect("the kernel answers");
        session::ping(&association, &Load::new(1000, 300, 20));
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        Over::Udp.prepare(kernel);
        let listener = endpoint.listen(7, offering()).expect("the port is free");
        let command = format!("peer ping {} 7 1000 300 streams=20", OURS[0]);
        kernel.start("ping", &command);
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let tally = session::echo(&association).expect("the kernel ends gracefully");
        assert_eq!((tally.messages, tally.wrong), (300, 0));
    });
}
