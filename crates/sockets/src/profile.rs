//! Settings of a stack as a whole.

use sheave_engine::Options;

use crate::abi::System;
use crate::settings::{AssocSettings, SocketSettings};
use crate::socket::{Kind, Socket};
use crate::{Abi, Domain, SocketMemory, Style};

/// The values that sockets start with when they are created, and the numbers and layouts in use.
#[derive(Debug)]
pub struct Profile {
    pub(crate) abi: Abi,
    /// The options of the engine; existing sockets keep the values that programs can set.
    pub defaults: Options,
    /// The peers' default UDP port (`SCTP_REMOTE_UDP_ENCAPS_PORT`); `None` for plain IP.
    pub encapsulation: Option<u16>,
    /// The stack's own UDP port, if packets travel over UDP; sockets of this stack reach each other
    /// at this port, not at the peers' port.
    pub own_encapsulation: Option<u16>,
    /// The default and largest buffer sizes for sending and receiving; initially those of an
    /// untuned Linux.
    pub memory: [SocketMemory; 2],
}

impl Profile {
    pub(crate) const fn system(&self) -> System {
        self.abi.system()
    }

    /// A new socket (RFC 6458 §3.1.1, §4.1.1).
    pub(crate) fn socket(&self, domain: Domain, style: Style) -> Socket {
        let kind = match style {
            Style::OneToOne => Kind::OneToOne,
            Style::OneToMany => Kind::OneToMany,
        };
        let mut own = SocketSettings::new();
        let mut defaults = AssocSettings::of(&self.defaults, self.encapsulation);
        defaults.path.uncounted = self.abi.uncounted(domain);
        defaults.scheduler_number = self.abi.scheduler_number(defaults.scheduler);
        if self.system() == System::FreeBsd {
            own.mapped_v4 = 0;
            own.fragment_interleave = 1;
            defaults.path.shows_discovery();
        }
        Socket::new(domain, kind, own, defaults)
    }

    /// Size of a socket's send buffer, and of the largest message that it takes, bytes.
    pub(crate) fn send_buffer(&self, socket: &Socket) -> usize {
        let own = socket.own.send_buffer;
        own.map_or(self.defaults.send_buffer, |bytes| bytes as usize)
    }
}
