use crate::Options;
use crate::path::Path;

/// The treatment that routers are asked for, in the IP header of each packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marking {
    /// The Differentiated Services code point, 0 to 63 (RFC 2474 §3).
    pub dscp: u8,
    /// The flow label, 20 bits (RFC 6437 §3), over IPv6; 0 leaves it to the system.
    pub flow_label: u32,
}

impl Options {
    /// The marking of packets on paths that have none of their own.
    pub(crate) fn marking(&self) -> Marking {
        Marking {
            dscp: self.dscp,
            flow_label: self.flow_label,
        }
    }
}

impl Path {
    pub(crate) fn marking(&self, options: &Options) -> Marking {
        let (own, usual) = (self.tuning(), options.marking());
        Marking {
            dscp: own.dscp.unwrap_or(usual.dscp),
            flow_label: own.flow_label.unwrap_or(usual.flow_label),
        }
    }
}
