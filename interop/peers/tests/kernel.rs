//! Sheave and the Linux kernel's own SCTP, over raw IP and over UDP encapsulation, on two links.
//!
//! Each test runs in a network namespace with a freshly booted kernel (`interop/kernel/run.sh`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use sheave::{
    Association, CloseReason, ConcurrentTransfer, Config, ConnectError, Endpoint, Event, Events,
    Heartbeats, Multipath, Options, PathChange, PathScheduler, PathState, PathStats, ReceiveError,
    Target,
};
use sheave_interop::session::{self, Load, PATIENCE, offering};
use sheave_interop::{Capture, KernelPeer, Watchdog, beside_kernel, skip, tshark};

const OURS: [IpAddr; 2] = [v4(1, 1), v4(2, 1)];
const THEIRS: [IpAddr; 2] = [v4(1, 2), v4(2, 2)];
const OURS_V6: IpAddr = v6(1);
const THEIRS_V6: IpAddr = v6(2);
const UDP_PORT: u16 = 9899;

/// Sets the kernel's timers for quick failover.
const QUICK: &str = "cd /proc/sys/net/sctp && echo 100 > rto_min && echo 400 > rto_max && \
    echo 200 > rto_initial && echo 500 > hb_interval && echo 2 > path_max_retrans";

const fn v4(link: u8, host: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 99, link, host))
}

const fn v6(host: u16) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(0xfd99, 1, 0, 0, 0, 0, 0, host))
}

/// What carries the packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Udp,
    Ip,
}

impl Over {
    fn bind(self, local: &[IpAddr]) -> Endpoint {
        let local = local.iter().copied();
        let config = match self {
            Self::Udp => Config::udp(local, UDP_PORT),
            Self::Ip => Config::raw_ip(local),
        };
        Endpoint::bind(config).expect("the addresses are ours")
    }

    fn call(self, ours: &Endpoint, to: &[IpAddr], port: u16) -> Result<Association, ConnectError> {
        let to = to.iter().copied();
        let target = match self {
            Self::Udp => Target::over_udp(to, UDP_PORT, port),
            Self::Ip => Target::over_ip(to, port),
        };
        ours.connect_timeout(target.with_options(options()), PATIENCE)
    }

    /// Tells the kernel how to reach us when it calls.
    fn prepare(self, kernel: &KernelPeer) {
        if self == Self::Udp {
            let _ = kernel.run("echo 9899 > /proc/sys/net/sctp/encap_port");
        }
    }
}

fn options() -> Options {
    Options {
        heartbeats: Heartbeats::Every(Duration::from_millis(500)),
        ..session::options()
    }
}

/// Runs a scenario beside a kernel, for two minutes at most.
fn scenario(name: &str, run: impl FnOnce(&KernelPeer)) {
    beside_kernel(name, |kernel| {
        let _watchdog = Watchdog::start(Duration::from_secs(110));
        run(kernel);
    });
}

/// Waits for the change of a path.
fn wait_for_path(events: &Events, remote: IpAddr, change: PathChange) {
    let deadline = Instant::now() + PATIENCE;
    let mut seen = Vec::new();
    while Instant::now() < deadline {
        match events.next_timeout(Duration::from_millis(100)) {
            Some(event) if event == (Event::Path { remote, change }) => return,
            Some(event) => seen.push(event),
            None => {}
        }
    }
    panic!("{remote} is not {change:?}; events: {seen:?}");
}

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
    scenario("the_kernel_talks_to_itself", |kernel| {
        let said = kernel.run("peer ping 127.0.0.1 7 1000 100 streams=5");
        assert!(
            said.contains("ping bytes 100000 messages 100 wrong 0 end shutdown"),
            "{said}"
        );
    });
}

#[test]
fn the_kernel_echoes_over_udp() {
    scenario("the_kernel_echoes_over_udp", |kernel| {
        let capture = Capture::start("sheave1");
        ping_the_kernel(kernel, Over::Udp, OURS[0], THEIRS[0]);
        check(capture);
    });
}

#[test]
fn the_kernel_echoes_over_raw_ip() {
    scenario("the_kernel_echoes_over_raw_ip", |kernel| {
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

#[test]
fn the_kernel_echoes_over_ipv6() {
    scenario("the_kernel_echoes_over_ipv6", |kernel| {
        ping_the_kernel(kernel, Over::Udp, OURS_V6, THEIRS_V6);
    });
}

#[test]
fn the_kernel_echoes_over_raw_ipv6() {
    scenario("the_kernel_echoes_over_raw_ipv6", |kernel| {
        ping_the_kernel(kernel, Over::Ip, OURS_V6, THEIRS_V6);
    });
}

#[test]
fn we_echo_to_the_kernel_over_udp() {
    scenario("we_echo_to_the_kernel_over_udp", |kernel| {
        be_pinged_by_the_kernel(kernel, Over::Udp, OURS[0]);
    });
}

#[test]
fn we_echo_to_the_kernel_over_raw_ip() {
    scenario("we_echo_to_the_kernel_over_raw_ip", |kernel| {
        be_pinged_by_the_kernel(kernel, Over::Ip, OURS[0]);
    });
}

#[test]
fn we_echo_to_the_kernel_over_raw_ipv6() {
    scenario("we_echo_to_the_kernel_over_raw_ipv6", |kernel| {
        be_pinged_by_the_kernel(kernel, Over::Ip, OURS_V6);
    });
}

#[test]
fn addresses_of_both_families_make_paths() {
    scenario("addresses_of_both_families_make_paths", |kernel| {
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
    scenario("aborts_and_refusals_are_understood", |kernel| {
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
    scenario("the_kernel_measures_the_round_trip_to_us", |kernel| {
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
    scenario("loss_and_delay_cost_no_message", |kernel| {
        let _ = kernel.run(QUICK);
        let _ = kernel.run("peer netem eth0 5 5");
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

/// Makes the first link lose everything that is sent on it, silently at both ends.
fn cut(kernel: &KernelPeer) {
    let _ = kernel.run("peer netem eth0 100 0");
    ip("neigh replace 10.99.1.2 lladdr 02:00:00:00:00:99 nud permanent dev sheave1");
}

/// Makes the first link work again.
fn heal(kernel: &KernelPeer) {
    let _ = kernel.run("peer netem eth0 0 0");
    ip("neigh del 10.99.1.2 dev sheave1");
}

fn ip(words: &str) {
    let run = Command::new("ip").args(words.split_whitespace()).status();
    assert!(run.is_ok_and(|status| status.success()), "ip {words}");
}

/// Waits until the kernel has proved our second address by a heartbeat: before that it sends no
/// acknowledgement there.
fn wait_until_the_kernel_trusts_both_links(kernel: &KernelPeer) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let table = kernel.run("cat /proc/net/sctp/remaddr");
        let second = table.lines().find(|line| line.starts_with("10.99.2.1"));
        // The last column is the state: 2 is active, 3 unconfirmed.
        if second.is_some_and(|line| line.trim().ends_with(" 2")) {
            return;
        }
        assert!(Instant::now() < deadline, "{table}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// We send to the kernel, and the link of the primary path goes dead in the middle.
fn fail_over_towards_the_kernel(kernel: &KernelPeer, over: Over) {
    let _ = kernel.run(QUICK);
    let endpoint = over.bind(&OURS);
    let association = over
        .call(&endpoint, &THEIRS, 9)
        .expect("the kernel answers");
    let events = association.events();
    let load = Load::new(10_000, 400, 10).with_gap(Duration::from_millis(10));
    thread::scope(|scope| {
        let sender = scope.spawn(|| session::send(&association, &load));
        wait_until_the_kernel_trusts_both_links(kernel);
        cut(kernel);
        wait_for_path(&events, THEIRS[0], PathChange::Down);
        sender.join().expect("everything was sent");
    });
    heal(kernel);
    wait_for_path(&events, THEIRS[0], PathChange::Up);
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let log = kernel.wait_for_line("sink", "sink ", PATIENCE);
    assert!(
        log.contains("sink bytes 4000000 messages 400 wrong 0 end shutdown"),
        "{log}"
    );
}

#[test]
fn a_dead_link_costs_the_kernel_no_message_over_udp() {
    scenario(
        "a_dead_link_costs_the_kernel_no_message_over_udp",
        |kernel| {
            fail_over_towards_the_kernel(kernel, Over::Udp);
        },
    );
}

#[test]
fn a_dead_link_costs_the_kernel_no_message_over_raw_ip() {
    scenario(
        "a_dead_link_costs_the_kernel_no_message_over_raw_ip",
        |kernel| {
            fail_over_towards_the_kernel(kernel, Over::Ip);
        },
    );
}

/// The kernel sends to us, and the link of its primary path goes dead in the middle.
fn fail_over_towards_us(kernel: &KernelPeer, over: Over) {
    let _ = kernel.run(QUICK);
    over.prepare(kernel);
    let endpoint = over.bind(&OURS);
    let listener = endpoint.listen(9, options()).expect("the port is free");
    let words = "peer send 10.99.1.1 9 10000 500 streams=10 gap=10 bind=10.99.1.2,10.99.2.2";
    kernel.start("send", words);
    let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
    let tally = thread::scope(|scope| {
        let receiver = scope.spawn(|| session::receive(&association, u32::MAX));
        wait_until_the_kernel_trusts_both_links(kernel);
        cut(kernel);
        thread::sleep(Duration::from_secs(2));
        heal(kernel);
        receiver.join().expect("the kernel ends gracefully")
    });
    assert_eq!(
        (tally.bytes, tally.messages, tally.wrong),
        (5_000_000, 500, 0)
    );
    let log = kernel.wait_for_line("send", "send ", PATIENCE);
    assert!(log.contains("path 10.99.1.1 unreachable"), "{log}");
    assert!(log.contains("path 10.99.1.1 available"), "{log}");
    assert!(log.contains("end shutdown"), "{log}");
}

#[test]
fn a_dead_link_costs_us_no_message_over_udp() {
    scenario("a_dead_link_costs_us_no_message_over_udp", |kernel| {
        fail_over_towards_us(kernel, Over::Udp);
    });
}

#[test]
fn a_dead_link_costs_us_no_message_over_raw_ip() {
    scenario("a_dead_link_costs_us_no_message_over_raw_ip", |kernel| {
        fail_over_towards_us(kernel, Over::Ip);
    });
}

#[test]
fn extensions_that_the_kernel_does_not_have_are_offered_in_vain() {
    let name = "extensions_that_the_kernel_does_not_have_are_offered_in_vain";
    scenario(name, |kernel| {
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

/// We send to the kernel on both links at a time.
fn send_on_both_links_at_a_time(kernel: &KernelPeer, over: Over) {
    const MESSAGES: u32 = 2000;
    let _ = kernel.run(QUICK);
    let endpoint = over.bind(&OURS);
    let to = THEIRS.iter().copied();
    let target = match over {
        Over::Udp => Target::over_udp(to, UDP_PORT, 9),
        Over::Ip => Target::over_ip(to, 9),
    };
    let options = Options {
        multipath: Multipath::Concurrent(ConcurrentTransfer {
            scheduler: PathScheduler::RoundRobin,
            ..ConcurrentTransfer::default()
        }),
        ..options()
    };
    let association = endpoint
        .connect_timeout(target.with_options(options), PATIENCE)
        .expect("the kernel answers");
    wait_until_the_kernel_trusts_both_links(kernel);
    let active = |path: &PathStats| path.state == PathState::Active;
    let deadline = Instant::now() + PATIENCE;
    while association
        .path_stats()
        .iter()
        .filter(|path| active(path))
        .count()
        < 2
    {
        assert!(Instant::now() < deadline, "{:?}", association.path_stats());
        thread::sleep(Duration::from_millis(20));
    }
    session::send(&association, &Load::new(10_000, MESSAGES, 10));
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    for path in association.path_stats() {
        // Seven chunks a message.
        assert!(path.chunks_sent > 2 * u64::from(MESSAGES), "{path:?}");
    }
    let log = kernel.wait_for_line("sink", "sink ", PATIENCE);
    assert!(
        log.contains("sink bytes 20000000 messages 2000 wrong 0 end shutdown"),
        "{log}"
    );
}

#[test]
fn the_kernel_gets_everything_from_both_links_at_a_time_over_udp() {
    let name = "the_kernel_gets_everything_from_both_links_at_a_time_over_udp";
    scenario(name, |kernel| {
        send_on_both_links_at_a_time(kernel, Over::Udp);
    });
}

#[test]
fn the_kernel_gets_everything_from_both_links_at_a_time_over_raw_ip() {
    let name = "the_kernel_gets_everything_from_both_links_at_a_time_over_raw_ip";
    scenario(name, |kernel| {
        send_on_both_links_at_a_time(kernel, Over::Ip);
    });
}
