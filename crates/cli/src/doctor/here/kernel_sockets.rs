//! SCTP sockets of the kernel, as programs create them.

use std::io;

use socket2::{Domain, Protocol, Socket, Type};

use super::kernel_stack::KernelStack;
use super::module::Module;
use crate::doctor::check::{Check, State};

/// The arguments of `socket`, with their C names.
const CALLS: [(&str, Domain, &str, Type); 4] = [
    ("AF_INET", Domain::IPV4, "SOCK_STREAM", Type::STREAM),
    ("AF_INET", Domain::IPV4, "SOCK_SEQPACKET", Type::SEQPACKET),
    ("AF_INET6", Domain::IPV6, "SOCK_STREAM", Type::STREAM),
    ("AF_INET6", Domain::IPV6, "SOCK_SEQPACKET", Type::SEQPACKET),
];

/// The outcome of a call: success, or the error's code.
pub type Outcome = Result<(), i32>;

/// The kernel's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelSockets {
    /// Not tested, since `socket` would load the module.
    NotAsked,
    /// The outcome of each call.
    Asked(Vec<(&'static str, &'static str, Outcome)>),
}

impl KernelSockets {
    /// Creates sockets, unless that would load the module.
    pub fn look(module: &Module, stack: &KernelStack) -> Self {
        if !stack.is_there && module.would_load() {
            return Self::NotAsked;
        }
        let asked = CALLS.map(|(family, domain, style, kind)| {
            let socket = Socket::new(domain, kind, Some(Protocol::from(libc::IPPROTO_SCTP)));
            (
                family,
                style,
                socket.map(drop).map_err(|error| code(&error)),
            )
        });
        Self::Asked(asked.into())
    }

    /// Whether programs can create SCTP sockets in the kernel.
    pub fn work(&self) -> bool {
        match self {
            Self::NotAsked => false,
            Self::Asked(calls) => calls.iter().any(|(_, _, outcome)| outcome.is_ok()),
        }
    }

    /// Reports the kernel's sockets.
    pub fn check(&self) -> Check {
        let name = "Kernel sockets";
        let Self::Asked(calls) = self else {
            return Check::new(
                State::Warn,
                name,
                "not asked for: the module is there, not loaded, and asking would load it",
                "The first program that asks gets SCTP sockets, and this machine then answers IP \
                 protocol 132.",
            )
            .fix("sudo modprobe sctp to have them, sheave run -- PROGRAM to do without");
        };
        let saw = grouped(calls);
        let failed = calls.iter().filter(|(_, _, outcome)| outcome.is_err());
        let codes: Vec<i32> = failed.filter_map(|(_, _, outcome)| outcome.err()).collect();
        match (codes.as_slice(), self.work()) {
            ([], _) => Check::new(
                State::Ok,
                name,
                saw,
                "Programs get SCTP sockets from the kernel.",
            ),
            (_, true) => Check::new(
                State::Warn,
                name,
                saw,
                "Programs that ask for the other kinds fail.",
            )
            .fix("sheave run -- PROGRAM gives them all kinds"),
            (codes, false) if codes.iter().all(|code| is_lack(*code)) => Check::new(
                State::Warn,
                name,
                saw,
                "This kernel has no SCTP: programs that ask it for SCTP sockets fail.",
            )
            .fix("sheave run -- PROGRAM"),
            _ => Check::new(
                State::Warn,
                name,
                saw,
                "A sandbox or security module refuses SCTP sockets, whether the kernel has SCTP or \
                 not.",
            )
            .fix("sheave run -- PROGRAM, which does not ask the kernel"),
        }
    }
}

/// Whether the error code means that the kernel lacks the protocol.
const fn is_lack(code: i32) -> bool {
    matches!(
        code,
        libc::EPROTONOSUPPORT | libc::ESOCKTNOSUPPORT | libc::EAFNOSUPPORT
    )
}

fn grouped(calls: &[(&'static str, &'static str, Outcome)]) -> String {
    let mut groups: Vec<(Outcome, Vec<String>)> = Vec::new();
    for (family, style, outcome) in calls {
        let call = format!("{family} {style}");
        match groups.iter_mut().find(|(known, _)| known == outcome) {
            Some((_, calls)) => calls.push(call),
            None => groups.push((*outcome, vec![call])),
        }
    }
    let group = |(outcome, calls): &(Outcome, Vec<String>)| match outcome {
        Ok(()) => format!("{}: works", calls.join(", ")),
        Err(code) => format!("{}: {} (errno {code})", calls.join(", "), name(*code)),
    };
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// The name of an error of `socket`, as in `errno(3)`.
fn name(code: i32) -> String {
    let known = [
        (libc::EPROTONOSUPPORT, "EPROTONOSUPPORT"),
        (libc::ESOCKTNOSUPPORT, "ESOCKTNOSUPPORT"),
        (libc::EAFNOSUPPORT, "EAFNOSUPPORT"),
        (libc::EPERM, "EPERM"),
        (libc::EACCES, "EACCES"),
        (libc::ENOSYS, "ENOSYS"),
        (libc::EINVAL, "EINVAL"),
    ];
    let found = known.iter().find(|(known, _)| *known == code);
    match found {
        Some((_, name)) => (*name).to_owned(),
        None => io::Error::from_raw_os_error(code).to_string(),
    }
}

fn code(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(outcomes: [Outcome; 4]) -> KernelSockets {
        let calls = CALLS.iter().zip(outcomes);
        let calls = calls.map(|((family, _, style, _), outcome)| (*family, *style, outcome));
        KernelSockets::Asked(calls.collect())
    }

    #[test]
    fn a_kernel_without_sctp_is_told_by_both_codes() {
        let (stream, packet) = (Err(libc::EPROTONOSUPPORT), Err(libc::ESOCKTNOSUPPORT));
        let check = asked([stream, packet, stream, packet]).check();
        assert_eq!(check.state, State::Warn);
        assert_eq!(
            check.saw,
            "AF_INET SOCK_STREAM, AF_INET6 SOCK_STREAM: EPROTONOSUPPORT (errno 93); \
             AF_INET SOCK_SEQPACKET, AF_INET6 SOCK_SEQPACKET: ESOCKTNOSUPPORT (errno 94)"
        );
        assert!(
            check.means.contains("kernel has no SCTP"),
            "{}",
            check.means
        );
    }

    #[test]
    fn a_sandbox_that_refuses_is_told_from_a_kernel_that_lacks() {
        let check = asked([Err(libc::EPERM); 4]).check();
        assert!(check.means.starts_with("A sandbox"), "{}", check.means);
    }

    #[test]
    fn sockets_of_one_family_are_to_be_known() {
        let lack = Err(libc::EAFNOSUPPORT);
        let sockets = asked([Ok(()), Ok(()), lack, lack]);
        assert!(sockets.work());
        assert_eq!(sockets.check().state, State::Warn);
    }

    #[test]
    fn a_kernel_with_sctp_is_well() {
        assert_eq!(asked([Ok(()); 4]).check().state, State::Ok);
    }

    #[test]
    fn a_call_that_would_load_the_module_is_not_made() {
        let check = KernelSockets::NotAsked.check();
        assert!(check.saw.contains("asking would load it"), "{}", check.saw);
    }
}
