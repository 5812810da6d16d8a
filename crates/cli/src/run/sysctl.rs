//! The names that Linux has for the defaults of its SCTP (`sysctl net.sctp`).

use std::str::FromStr;

/// A setting by Linux's name, in our terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sysctl {
    /// An option of the protocol.
    Option {
        /// The setting's name here.
        name: &'static str,
        /// The setting's value, as text.
        value: String,
    },
    /// The UDP port of peers.
    EncapPort(u16),
    /// Our own UDP port.
    UdpPort(u16),
}

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Milliseconds.
    Millis,
    /// Milliseconds, of which 0 means off.
    MillisOrOff,
    /// A count.
    Count,
    /// A count, of which 0 means off.
    CountOrOff,
    /// 0 or 1, written so here.
    Switch { off: &'static str, on: &'static str },
}

/// Linux's name, ours, and the form of the value.
const TABLE: [(&str, &str, Form); 16] = [
    ("rto_initial", "rto_initial", Form::Millis),
    ("rto_min", "rto_min", Form::Millis),
    ("rto_max", "rto_max", Form::Millis),
    ("max_burst", "max_burst", Form::CountOrOff),
    (
        "association_max_retrans",
        "association_max_retrans",
        Form::Count,
    ),
    ("path_max_retrans", "path_max_retrans", Form::Count),
    ("pf_retrans", "potentially_failed_max_retrans", Form::Count),
    ("max_init_retransmits", "max_init_retransmits", Form::Count),
    ("hb_interval", "heartbeats", Form::MillisOrOff),
    ("sack_timeout", "sack_delay", Form::Millis),
    ("valid_cookie_life", "valid_cookie_life", Form::Millis),
    ("prsctp_enable", "partial_reliability", ON_OFF),
    ("reconf_enable", "reconfiguration", ON_OFF),
    ("intl_enable", "interleaving", ON_OFF),
    ("ecn_enable", "ecn", ON_OFF),
    ("addip_enable", "address_changes", ON_OFF),
];

const ON_OFF: Form = Form::Switch {
    off: "off",
    on: "on",
};

impl FromStr for Sysctl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text
            .split_once('=')
            .ok_or("must be KEY=VALUE, for example net.sctp.rto_min=100")?;
        let key = key.trim();
        let key = key.strip_prefix("net.sctp.").unwrap_or(key);
        let number: u32 = value
            .trim()
            .parse()
            .map_err(|_| format!("{value}: must be a number"))?;
        let port = || u16::try_from(number).map_err(|_| format!("{number}: no UDP port"));
        match key {
            "encap_port" => return port().map(Self::EncapPort),
            "udp_port" => return port().map(Self::UdpPort),
            _ => {}
        }
        let known = TABLE.iter().find(|(theirs, ..)| *theirs == key);
        let &(_, name, form) = known.ok_or_else(|| {
            let names: Vec<&str> = TABLE.iter().map(|(theirs, ..)| *theirs).collect();
            format!(
                "net.sctp.{key}: must be encap_port, udp_port, {}",
                names.join(", ")
            )
        })?;
        let value = match form {
            Form::MillisOrOff | Form::CountOrOff if number == 0 => "off".to_owned(),
            Form::Millis | Form::MillisOrOff => format!("{number} ms"),
            Form::Count | Form::CountOrOff => number.to_string(),
            Form::Switch { off, .. } if number == 0 => off.to_owned(),
            Form::Switch { on, .. } => on.to_owned(),
        };
        Ok(Self::Option { name, value })
    }
}

#[cfg(test)]
mod tests {
    use sheave::Options;

    use super::*;

    #[test]
    fn every_name_sets_an_option_that_there_is() {
        for (theirs, ours, form) in TABLE {
            let values = match form {
                Form::Millis | Form::MillisOrOff => ["200", "500"],
                Form::Count | Form::CountOrOff => ["4", "5"],
                Form::Switch { .. } => ["0", "1"],
            };
            for value in values {
                let parsed: Sysctl = format!("net.sctp.{theirs}={value}").parse().unwrap();
                let Sysctl::Option { name, value } = parsed else {
                    panic!("{theirs} is no option");
                };
                assert_eq!(name, ours);
                Options::default().set(name, &value).unwrap();
            }
        }
    }

    #[test]
    fn ports_and_mistakes_are_told_apart() {
        assert_eq!(
            "net.sctp.encap_port=9899".parse(),
            Ok(Sysctl::EncapPort(9899))
        );
        assert!("net.sctp.encap_port=99999".parse::<Sysctl>().is_err());
        assert!(
            "net.sctp.nonsense=1"
                .parse::<Sysctl>()
                .unwrap_err()
                .contains("rto_min")
        );
        assert!("rto_min".parse::<Sysctl>().is_err());
    }
}
