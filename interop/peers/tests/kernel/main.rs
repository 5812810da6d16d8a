//! Sheave and the Linux kernel's own SCTP, over raw IP and over UDP encapsulation, on two links.
//!
//! Each test runs in a process of its own, in a network namespace with a kernel that all of them
//! have in turn (`interop/kernel/run.sh`).

mod addresses;
mod authentication;
mod calls;
mod cuts;
mod ecn;
mod failover;
mod gaps;
mod interleaving;
mod meeting;
mod partial;
mod plain;
mod streams;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use sheave::error::ConnectError;
use sheave::options::Heartbeats;
use sheave::{Association, Config, Endpoint, Listener, Options, Target};
use sheave_interop::session::{self, PATIENCE};
use sheave_interop::{KernelPeer, Watchdog, beside_kernel, test_of};

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

/// The protocol that carries the packets.
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
        self.call_with(options(), ours, to, port)
    }

    fn call_with(
        self,
        options: Options,
        ours: &Endpoint,
        to: &[IpAddr],
        port: u16,
    ) -> Result<Association, ConnectError> {
        let to = to.iter().copied();
        let target = match self {
            Self::Udp => Target::over_udp(to, UDP_PORT, port),
            Self::Ip => Target::over_ip(to, port),
        };
        ours.connect_timeout(target.with_options(options), PATIENCE)
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

/// Runs the closure of a test beside the kernel, for six minutes at most.
fn scenario<F: FnOnce(&KernelPeer)>(run: F) {
    beside_kernel(test_of::<F>(), |kernel| {
        let _watchdog = Watchdog::start(Duration::from_secs(360));
        run(kernel);
    });
}

/// Sets one of the kernel's SCTP parameters, before any socket is opened for which it is to hold.
fn set(kernel: &KernelPeer, name: &str, value: u32) {
    let _ = kernel.run(&format!("echo {value} > /proc/sys/net/sctp/{name}"));
}

/// Starts a server in the kernel, told apart by its log from those that run already: `role`, its
/// port and its options.
fn serve(kernel: &KernelPeer, log: &str, role: &str, port: u16, words: &str) {
    kernel.start(log, &format!("peer {role} {port} {words} control={log}"));
    let _ = kernel.run(&format!(
        "for i in $(seq 400); do grep -qE '^ *([^ ]+ +){{5}}{port} ' /proc/net/sctp/eps && exit; \
         usleep 10000; done; \
         cat /tmp/{log}.log; exit 1"
    ));
}

/// Has the kernel send 200 messages by that command, which we echo, and end gracefully.
fn be_pinged(kernel: &KernelPeer, listener: &Listener, log: &str, command: &str) {
    kernel.start(log, command);
    let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
    let tally = session::echo(&association).expect("the kernel ends gracefully");
    assert_eq!((tally.messages, tally.wrong), (200, 0));
    let text = kernel.wait_for_line(log, "ping ", PATIENCE);
    assert!(text.contains("messages 200 wrong 0 end shutdown"), "{text}");
}
