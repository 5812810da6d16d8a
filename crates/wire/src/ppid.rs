use core::fmt;

use crate::dtls;

/// Payload protocol identifier, opaque to SCTP (RFC 9260 §3.3.1). Prints its number and its
/// registered name, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ppid(pub u32);

impl Ppid {
    /// The protocol's name in IANA's registry of payload protocol identifiers.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let at = NAMES.binary_search_by_key(&self.0, |(number, _)| *number);
        at.ok().and_then(|at| NAMES.get(at)).map(|(_, name)| *name)
    }
}

impl fmt::Display for Ppid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)?;
        match self.name() {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

/// IANA's registry, ordered by number.
const NAMES: &[(u32, &str)] = &[
    (1, "IUA"),
    (2, "M2UA"),
    (3, "M3UA"),
    (4, "SUA"),
    (5, "M2PA"),
    (6, "V5UA"),
    (7, "H.248"),
    (8, "BICC"),
    (9, "TALI"),
    (10, "DUA"),
    (11, "ASAP"),
    (12, "ENRP"),
    (13, "H.323"),
    (14, "Q.IPC"),
    (15, "SIMCO"),
    (16, "DDP segment"),
    (17, "DDP control"),
    (18, "S1AP"),
    (19, "RUA"),
    (20, "HNBAP"),
    (21, "ForCES high"),
    (22, "ForCES medium"),
    (23, "ForCES low"),
    (24, "SBc-AP"),
    (25, "NBAP"),
    (27, "X2AP"),
    (28, "IRCP"),
    (29, "LCS-AP"),
    (30, "MPICH2"),
    (31, "SABP"),
    (32, "FGP"),
    (33, "PPP"),
    (34, "CALCAPP"),
    (35, "SSP"),
    (36, "NPMP control"),
    (37, "NPMP data"),
    (38, "echo"),
    (39, "discard"),
    (40, "daytime"),
    (41, "chargen"),
    (42, "RNA"),
    (43, "M2AP"),
    (44, "M3AP"),
    (45, "SSH"),
    (46, "Diameter"),
    (47, "Diameter over DTLS"),
    (48, "R14P"),
    (50, "WebRTC DCEP"),
    (51, "WebRTC string"),
    (52, "WebRTC binary partial"),
    (53, "WebRTC binary"),
    (54, "WebRTC string partial"),
    (55, "PUA"),
    (56, "WebRTC empty string"),
    (57, "WebRTC empty binary"),
    (58, "XwAP"),
    (59, "Xw control plane"),
    (60, "NGAP"),
    (61, "XnAP"),
    (62, "F1AP"),
    (63, "HTTP"),
    (64, "E1AP"),
    (dtls::PPID, "DTLS key management"),
];

#[cfg(test)]
mod tests;
