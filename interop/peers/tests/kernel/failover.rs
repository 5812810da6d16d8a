//! Two links: one goes dead, or both are used at a time.

use std::net::IpAddr;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use sheave::events::PathChange;
use sheave::options::{ConcurrentTransfer, Multipath, PathScheduler};
use sheave::stats::{PathState, PathStats};
use sheave::{Options, Target};
use sheave_interop::session::{self, Load, PATIENCE};
use sheave_interop::{Cut, KernelPeer, Told, tests};

use crate::{OURS, Over, QUICK, THEIRS, UDP_PORT, options, scenario};

/// Makes the first link lose what is sent on it that way, silently at both ends.
pub(super) fn cut(kernel: &KernelPeer, cut: Cut) {
    if cut != Cut::There {
        let _ = kernel.run("weather eth0 out loss 100%");
    }
    if cut != Cut::Back {
        ip("neigh replace 10.99.1.2 lladdr 02:00:00:00:00:99 nud permanent dev sheave1");
    }
}

/// Makes the first link work again.
pub(super) fn heal(kernel: &KernelPeer, cut: Cut) {
    if cut != Cut::There {
        let _ = kernel.run("weather eth0 out");
    }
    if cut != Cut::Back {
        ip("neigh del 10.99.1.2 dev sheave1");
    }
}

fn ip(words: &str) {
    let run = Command::new("ip").args(words.split_whitespace()).status();
    assert!(run.is_ok_and(|status| status.success()), "ip {words}");
}

/// Waits until the kernel has proved our second address by a heartbeat: before that it sends no
/// acknowledgement there.
pub(super) fn wait_until_the_kernel_trusts_both_links(kernel: &KernelPeer) {
    wait_for_state(kernel, OURS[1], ACTIVE);
}

/// States of an address in the last column of the kernel's table.
const ACTIVE: &str = " 2";
const INACTIVE: &str = " 0";

/// Waits until the kernel's newest association has an address of ours in this state. An association
/// that an earlier test left without its peer can stand in the same table for minutes.
fn wait_for_state(kernel: &KernelPeer, ours: IpAddr, state: &str) {
    let uptime = || kernel.run("cat /proc/uptime");
    let (deadline, begin) = (Instant::now() + PATIENCE, uptime());
    loop {
        let table = kernel.run("cat /proc/net/sctp/remaddr");
        if newest_row(&table, ours).is_some_and(|row| row.ends_with(state)) {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "from {begin}to {}{table}{}",
            uptime(),
            kernel.run("cat /proc/net/sctp/snmp")
        );
        thread::sleep(Duration::from_millis(50));
    }
}

/// The row of an address of ours that has the highest association id, the second column: the kernel
/// gives ids in rising order.
fn newest_row(table: &str, ours: IpAddr) -> Option<&str> {
    let beginning = format!("{ours} ");
    table
        .lines()
        .map(str::trim)
        .filter(|row| row.starts_with(&beginning))
        .max_by_key(|row| {
            row.split_whitespace()
                .nth(1)
                .and_then(|id| id.parse::<u32>().ok())
        })
}

#[test]
fn a_row_that_an_older_association_left_is_passed_over() {
    let table = "ADDR ASSOC_ID HB_ACT RTO MAX_PATH_RTX REM_ADDR_RTX START STATE\n\
        10.99.1.1  32 0 3200 5 0 0 1\n\
        10.99.1.1  33 1 200 2 0 0 0\n\
        10.99.2.1  33 1 200 2 0 0 2\n";
    let row = newest_row(table, OURS[0]);
    assert_eq!(row, Some("10.99.1.1  33 1 200 2 0 0 0"));
}

/// We send to the kernel, and the link of the primary path goes dead in the middle.
fn fail_over_towards_the_kernel(kernel: &KernelPeer, over: Over) {
    let _ = kernel.run(QUICK);
    let endpoint = over.bind(&OURS);
    let association = over
        .call(&endpoint, &THEIRS, 9)
        .expect("the kernel answers");
    let mut told = Told::of(&association);
    let load = Load::new(10_000, 300, 10).with_gap(Duration::from_millis(10));
    thread::scope(|scope| {
        let sender = scope.spawn(|| session::send(&association, &load));
        wait_until_the_kernel_trusts_both_links(kernel);
        cut(kernel, Cut::Both);
        told.wait_for_path(THEIRS[0], PathChange::Down);
        sender.join().expect("everything was sent");
    });
    heal(kernel, Cut::Both);
    told.wait_for_path(THEIRS[0], PathChange::Up);
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let log = kernel.wait_for_line("sink", "sink ", PATIENCE);
    assert!(
        log.contains("sink bytes 3000000 messages 300 wrong 0 end shutdown"),
        "{log}"
    );
}

tests! {
    a_dead_link_costs_the_kernel_no_message_over_udp => scenario(|kernel| fail_over_towards_the_kernel(kernel, Over::Udp));
    a_dead_link_costs_the_kernel_no_message_over_raw_ip => scenario(|kernel| fail_over_towards_the_kernel(kernel, Over::Ip));
}

/// The kernel sends to us, and the link of its primary path goes dead in the middle.
fn fail_over_towards_us(kernel: &KernelPeer, over: Over) {
    let _ = kernel.run(QUICK);
    over.prepare(kernel);
    let endpoint = over.bind(&OURS);
    let listener = endpoint.listen(9, options()).expect("the port is free");
    let words = "peer send 10.99.1.1 9 10000 400 streams=10 gap=10 bind=10.99.1.2,10.99.2.2";
    kernel.start("send", words);
    let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
    let tally = thread::scope(|scope| {
        let receiver = scope.spawn(|| session::receive(&association, u32::MAX));
        wait_until_the_kernel_trusts_both_links(kernel);
        cut(kernel, Cut::Both);
        wait_for_state(kernel, OURS[0], INACTIVE);
        heal(kernel, Cut::Both);
        receiver.join().expect("the kernel ends gracefully")
    });
    assert_eq!(
        (tally.bytes, tally.messages, tally.wrong),
        (4_000_000, 400, 0)
    );
    let log = kernel.wait_for_line("send", "send ", PATIENCE);
    assert!(log.contains("path 10.99.1.1 unreachable"), "{log}");
    assert!(log.contains("path 10.99.1.1 available"), "{log}");
    assert!(log.contains("end shutdown"), "{log}");
}

tests! {
    a_dead_link_costs_us_no_message_over_udp => scenario(|kernel| fail_over_towards_us(kernel, Over::Udp));
    a_dead_link_costs_us_no_message_over_raw_ip => scenario(|kernel| fail_over_towards_us(kernel, Over::Ip));
}

/// We send to the kernel on both links at a time.
fn send_on_both_links_at_a_time(kernel: &KernelPeer, over: Over) {
    const MESSAGES: u32 = 800;
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
        log.contains("sink bytes 8000000 messages 800 wrong 0 end shutdown"),
        "{log}"
    );
}

tests! {
    the_kernel_gets_everything_from_both_links_at_a_time_over_udp => scenario(|kernel| send_on_both_links_at_a_time(kernel, Over::Udp));
    the_kernel_gets_everything_from_both_links_at_a_time_over_raw_ip => scenario(|kernel| send_on_both_links_at_a_time(kernel, Over::Ip));
}
