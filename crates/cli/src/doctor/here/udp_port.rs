//! Whether the UDP port of SCTP (RFC 6951) is free.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use super::kernel_stack::KernelStack;
use super::value;
use crate::doctor::check::{Check, State};
use crate::network::UDP_PORT;

/// The port and its owners.
#[derive(Debug)]
pub struct UdpPort {
    /// The result of binding the port on every address.
    pub bind: io::Result<()>,
    /// Sockets bound to the port.
    pub holders: Vec<Holder>,
}

/// The owner of a socket bound to the port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// The kernel's SCTP (`net.sctp.udp_port`).
    Kernel,
    /// A program, by name and process id.
    Program(String),
    /// An unidentified program of this user id.
    User(u32),
}

/// A row of the socket table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    user: u32,
    inode: u64,
}

impl UdpPort {
    /// Binds the port and releases it.
    pub fn look(stack: &KernelStack) -> Self {
        let any: [IpAddr; 2] = [Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()];
        let attempts = any.map(|ip| UdpSocket::bind((ip, UDP_PORT)).map(drop));
        let taken = |outcome: &io::Result<()>| {
            let kind = outcome.as_ref().err().map(io::Error::kind);
            kind == Some(io::ErrorKind::AddrInUse)
        };
        let [v4, v6] = attempts;
        // A machine may lack one of the address families.
        let bind = match (taken(&v6), v4) {
            (true, Ok(())) => v6,
            (_, v4) => v4,
        };
        let tables = ["/proc/net/udp", "/proc/net/udp6"];
        let rows = tables
            .iter()
            .flat_map(|table| rows(&value(table).unwrap_or_default()));
        let is_kernel = stack.udp_port == u64::from(UDP_PORT);
        let holder = |row: Row| match program_of(row.inode) {
            Some(program) => Holder::Program(program),
            None if is_kernel => Holder::Kernel,
            None => Holder::User(row.user),
        };
        let mut holders: Vec<Holder> = rows.map(holder).collect();
        holders.sort_unstable();
        holders.dedup();
        Self { bind, holders }
    }

    /// Reports the port.
    pub fn check(&self) -> Check {
        let name = format!("UDP port {UDP_PORT}");
        let Err(error) = &self.bind else {
            let means = "Servers get the port that peers expect (RFC 6951).";
            return Check::new(State::Ok, name, "free", means);
        };
        if error.kind() != io::ErrorKind::AddrInUse {
            let means = "The port cannot be had; --udp-port takes another.";
            return Check::new(State::Warn, name, error.to_string(), means)
                .fix("sheave recv --udp-port 9900 INBOX, with --peer-udp-port 9900 at the peer");
        }
        let holders: Vec<String> = self.holders.iter().map(Holder::text).collect();
        let saw = match holders.is_empty() {
            true => "taken".to_owned(),
            false => format!("taken by {}", holders.join(" and ")),
        };
        let means = "Servers need another port here, which peers have to be told.";
        let check = Check::new(State::Warn, name, saw, means);
        let check = match self.holders.contains(&Holder::Kernel) {
            true => check.fix(
                "sudo sysctl net.sctp.udp_port=0 takes it from the kernel; or --udp-port 9900",
            ),
            false => check.fix(
                "--udp-port 9900 (run: --udp 9900), and --peer-udp-port 9900 (run: --encap-port \
                 9900) at the peer; programs of several `sheave run` share the port by themselves",
            ),
        };
        let is_hidden = |holder: &Holder| matches!(holder, Holder::User(_));
        match self.holders.iter().any(is_hidden) {
            false => check,
            true => check.more("as root, the program that has it is named"),
        }
    }
}

impl Holder {
    fn text(&self) -> String {
        match self {
            Self::Kernel => "the kernel".to_owned(),
            Self::Program(program) => program.clone(),
            Self::User(user) => format!("a program of user {user}"),
        }
    }
}

/// The rows with this port.
fn rows(table: &str) -> Vec<Row> {
    let wanted = format!(":{UDP_PORT:04X}");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_ours = fields.get(1)?.ends_with(&wanted);
        let (user, inode) = (fields.get(7)?.parse().ok()?, fields.get(9)?.parse().ok()?);
        is_ours.then_some(Row { user, inode })
    };
    table.lines().filter_map(row).collect()
}

/// The name and id of the process that has the socket, if this user may inspect it.
fn program_of(inode: u64) -> Option<String> {
    let link = format!("socket:[{inode}]");
    let entries = |path: String| fs::read_dir(path).into_iter().flatten().flatten();
    let has = |process: u32| {
        let mut files = entries(format!("/proc/{process}/fd"));
        files.any(|file| fs::read_link(file.path()).is_ok_and(|to| to.to_string_lossy() == link))
    };
    let processes = entries("/proc".to_owned())
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let process = processes.into_iter().find(|process| has(*process))?;
    let name = value(&format!("/proc/{process}/comm"))?;
    Some(format!("{name} (process {process})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(holders: Vec<Holder>) -> Check {
        let bind = Err(io::ErrorKind::AddrInUse.into());
        UdpPort { bind, holders }.check()
    }

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
        \x20 123: 00000000:26AB 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 4711 2 0 0\n\
        \x20 124: 00000000:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4712 2 0 0\n";

    #[test]
    fn the_socket_with_the_port_is_found_among_others() {
        let row = Row {
            user: 1000,
            inode: 4711,
        };
        assert_eq!(rows(TABLE), [row]);
    }

    #[test]
    fn a_free_port_is_well() {
        let free = UdpPort {
            bind: Ok(()),
            holders: Vec::new(),
        };
        assert_eq!(free.check().state, State::Ok);
    }

    #[test]
    fn a_program_that_cannot_be_seen_is_named_by_its_user() {
        let check = taken(vec![Holder::User(1000)]);
        assert_eq!(check.saw, "taken by a program of user 1000");
        assert!(check.more.unwrap().starts_with("as root"));
    }

    #[test]
    fn a_port_of_the_kernel_is_freed_by_its_switch() {
        let check = taken(vec![Holder::Kernel]);
        assert_eq!(check.saw, "taken by the kernel");
        assert!(check.fix.unwrap().contains("net.sctp.udp_port=0"));
    }
}
