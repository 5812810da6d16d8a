//! Three network namespaces: a host, a router, a host, with rules on the way.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::finding::Findings;
use crate::support::{Background, sheave};

/// Time for answers that come, on a machine that stands still now and then.
pub(crate) const LONG_WAIT: &str = "4";
/// Time for answers of which none comes.
pub(crate) const SHORT_WAIT: &str = "0.6";

/// Address of the patient's host.
pub(crate) const NEAR: &str = "10.17.1.1";
/// Address of the router, on the patient's side.
pub(crate) const ROUTER: &str = "10.17.1.2";
/// Address of the peer.
pub(crate) const FAR: &str = "10.17.2.1";

/// A host of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Near,
    Router,
    Far,
}

/// The network; its namespaces are removed when it is dropped.
pub(crate) struct Network {
    prefix: String,
}

/// Runs a test in a network, if one can be made.
pub(crate) fn within(test: impl FnOnce(&Network)) {
    if let Some(network) = Network::new() {
        test(&network);
    }
}

/// Runs a test in a network whose far host has a server over this carrier.
pub(crate) fn beside(carrier: &str, test: impl FnOnce(&Network)) {
    within(|network| {
        let _server = network.server(carrier);
        test(network);
    });
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Network {
    /// `None`, with a line on standard error, where namespaces cannot be made.
    fn new() -> Option<Self> {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let network = Self {
            prefix: format!("sd{}-{count}", std::process::id()),
        };
        if !network.make() {
            eprintln!("skipped: no right to make network namespaces and veth devices");
            return None;
        }
        Some(network)
    }

    fn make(&self) -> bool {
        let [near, router, far] = [Host::Near, Host::Router, Host::Far].map(|host| self.name(host));
        let veth = |name: &str, space: &str, peer: &str| {
            let one = ["link", "add", name, "netns", space, "type", "veth"];
            ip(&[&one[..], &["peer", "name", peer, "netns", &router]].concat())
        };
        let up = |host: Host, device: &str, address: &str| {
            self.ip(host, &["addr", "add", address, "dev", device])
                && self.ip(host, &["link", "set", device, "up"])
                && self.ip(host, &["link", "set", "lo", "up"])
        };
        let forward = "echo 1 > /proc/sys/net/ipv4/ip_forward";
        [&near, &router, &far]
            .iter()
            .all(|name| ip(&["netns", "add", name]))
            && veth("va", &near, "ra")
            && veth("vb", &far, "rb")
            && up(Host::Near, "va", &format!("{NEAR}/24"))
            && up(Host::Router, "ra", &format!("{ROUTER}/24"))
            && up(Host::Router, "rb", "10.17.2.2/24")
            && up(Host::Far, "vb", &format!("{FAR}/24"))
            && ip(&["netns", "exec", &router, "sh", "-c", forward])
            && self.ip(Host::Near, &["route", "add", "default", "via", ROUTER])
            && self.ip(Host::Far, &["route", "add", "default", "via", "10.17.2.2"])
    }

    fn name(&self, host: Host) -> String {
        format!("{}{}", self.prefix, format!("{host:?}").to_lowercase())
    }

    pub(crate) fn ip(&self, host: Host, args: &[&str]) -> bool {
        ip(&[&["-n", &self.name(host)], args].concat())
    }

    /// Sets rules of nftables in a chain that hangs on `hook`; false, with a line on standard
    /// error, where that is impossible.
    pub(crate) fn rules(&self, host: Host, hook: &str, rules: &[&str]) -> bool {
        let rules = rules.join("\n");
        let text = format!(
            "table ip doctor {{\nchain doctor {{\ntype filter hook {hook} priority 0;\n{rules}\n}}\n}}\n"
        );
        let mut command = self.on(host, "nft");
        command.args(["-f", "-"]).stdin(Stdio::piped());
        let made = command.spawn().and_then(|mut nft| {
            let stdin = nft.stdin.take();
            stdin
                .ok_or(ErrorKind::BrokenPipe)?
                .write_all(text.as_bytes())?;
            nft.wait()
        });
        let made = made.is_ok_and(|status| status.success());
        if !made {
            eprintln!("skipped: this machine cannot have these rules of nftables");
        }
        made
    }

    /// Sets rules for what the router forwards.
    pub(crate) fn forward(&self, rules: &[&str]) -> bool {
        self.rules(Host::Router, "forward", rules)
    }

    pub(crate) fn on(&self, host: Host, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name(host), program]);
        command
    }

    pub(crate) fn sheave(&self, host: Host, args: &[&str]) -> Command {
        let own = sheave("");
        let mut command = self.on(host, &own.get_program().to_string_lossy());
        command.args(args).stdin(Stdio::null());
        command
    }

    /// A server on the peer that answers INIT at SCTP port 5201.
    pub(crate) fn server(&self, carrier: &str) -> Background {
        self.server_with(&["--carrier", carrier])
    }

    /// The same with these flags.
    pub(crate) fn server_with(&self, flags: &[&str]) -> Background {
        let mut wrapper = Command::new("ip");
        wrapper.args(["netns", "exec", &self.name(Host::Far)]);
        let args = ["ping", "--serve", "--json", "--local", FAR];
        let server = Background::start_in(wrapper, &[&args, flags].concat());
        server.await_event("listening");
        server
    }

    /// The findings of a doctor on the near host who asks the peer.
    pub(crate) fn doctor(&self, wait: &str) -> Findings {
        let args = ["doctor", "--json", "-W", wait, FAR];
        Findings::of(&mut self.sheave(Host::Near, &args))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for host in [Host::Near, Host::Router, Host::Far] {
            ip(&["netns", "del", &self.name(host)]);
        }
    }
}

fn ip(args: &[&str]) -> bool {
    let status = Command::new("ip").args(args).stderr(Stdio::null()).status();
    match status {
        Ok(status) => status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("ip: {error}"),
    }
}
