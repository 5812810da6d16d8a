//! Sheave and the Linux kernel's own SCTP, over raw IP and over UDP encapsulation, on two links.
//!
//! Each test runs in a process of its own, in a network namespace with a kernel that all of them
//! have in turn (`interop/kernel/run.sh`).

mod failover;
mod plain;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::{Duration, Instant};

use sheave::{
    Association, Config, ConnectError, Endpoint, Event, Events, Heartbeats, Options, PathChange,
    Target,
};
use sheave_interop::session::{self, PATIENCE};
use sheave_interop::{KernelPeer, Watchdog, beside_kernel};

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

/// Runs the closure of a test beside the kernel, for two minutes at most.
fn scenario<F: FnOnce(&KernelPeer)>(run: F) {
    // The test's own name, since it is the test's closure.
    let path = std::any::type_name::<F>();
    let test = path.trim_end_matches("::{{closure}}").split_once("::");
    let (_crate_name, test) = test.expect("the closure of a test");
    beside_kernel(test, |kernel| {
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
