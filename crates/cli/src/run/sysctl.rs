//! The names that Linux has for the defaults of its SCTP (`sysctl net.sctp`).

use std::path::Path;
use std::str::FromStr;

use sheave::Options;
use sheave::options::AddressChanges;

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
    /// A switch about what others say: whether paths are potentially failed, whether changes of addresses
    /// are taken without authentication.
    Switch {
        /// Linux's name.
        name: &'static str,
        /// Whether it is on.
        on: bool,
    },
    /// A value that changes nothing.
    Given,
    /// A setting that has no counterpart, by its name.
    NoCounterpart(&'static str),
}

const PREFIX: &str = "net.sctp.";

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
    /// A count, of which the greatest, more than any path stands, mean off.
    CountOrNever,
    /// 0 or 1, written so here.
    Switch { off: &'static str, on: &'static str },
}

/// Linux's name, ours, and the form of the value.
const TABLE: [(&str, &str, Form); 20] = [
    ("rto_initial", "rto_initial", Form::Millis),
    ("rto_min", "rto_min", Form::Millis),
    ("rto_max", "rto_max", Form::Millis),
    ("rto_alpha_exp_divisor", "rto_alpha_shift", Form::Count),
    ("rto_beta_exp_divisor", "rto_beta_shift", Form::Count),
    ("max_burst", "max_burst", Form::CountOrOff),
    (
        "association_max_retrans",
        "association_max_retrans",
        Form::Count,
    ),
    ("path_max_retrans", "path_max_retrans", Form::Count),
    (
        "pf_retrans",
        "potentially_failed_max_retrans",
        Form::CountOrNever,
    ),
    (
        "ps_retrans",
        "primary_switchover_max_retrans",
        Form::CountOrNever,
    ),
    ("max_init_retransmits", "max_init_retransmits", Form::Count),
    ("hb_interval", "heartbeats", Form::MillisOrOff),
    ("sack_timeout", "sack_delay", Form::Millis),
    ("valid_cookie_life", "valid_cookie_life", Form::Millis),
    ("prsctp_enable", "partial_reliability", ON_OFF),
    ("reconf_enable", "reconfiguration", ON_OFF),
    ("intl_enable", "interleaving", ON_OFF),
    ("ecn_enable", "ecn", ON_OFF),
    (
        "auth_enable",
        "authentication",
        Form::Switch {
            off: "off",
            on: "address-changes",
        },
    ),
    ("addip_enable", "address_changes", ON_OFF),
];

const PF_ENABLE: &str = "pf_enable";
const NOAUTH_ENABLE: &str = "addip_noauth_enable";
const SWITCHES: [&str; 2] = [PF_ENABLE, NOAUTH_ENABLE];

/// Linux's names for what is otherwise here, or not at all.
const NO_COUNTERPART: [&str; 14] = [
    "addr_scope_policy",
    "cookie_hmac_alg",
    "cookie_preserve_enable",
    "default_auto_asconf",
    "l3mdev_accept",
    "max_autoclose",
    "pf_expose",
    "plpmtud_probe_interval",
    "rcvbuf_policy",
    "rwnd_update_shift",
    "sctp_mem",
    "sctp_rmem",
    "sctp_wmem",
    "sndbuf_policy",
];
/// Retransmissions that no path stands: Linux's word for none is 65535.
const NEVER: u32 = 1000;

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
        let key = key.strip_prefix(PREFIX).unwrap_or(key);
        if let Some(name) = NO_COUNTERPART.iter().find(|name| **name == key) {
            return Ok(Self::NoCounterpart(name));
        }
        let number: u32 = value
            .trim()
            .parse()
            .map_err(|_| format!("{value}: must be a number"))?;
        let port = || u16::try_from(number).map_err(|_| format!("{number}: no UDP port"));
        match key {
            // Whether packets are carried in UDP is not for these to say.
            "encap_port" | "udp_port" if number == 0 => return Ok(Self::Given),
            "encap_port" => return port().map(Self::EncapPort),
            "udp_port" => return port().map(Self::UdpPort),
            _ => {}
        }
        if let Some(name) = SWITCHES.iter().find(|name| **name == key) {
            let on = number != 0;
            return Ok(Self::Switch { name, on });
        }
        let known = TABLE.iter().find(|(theirs, ..)| *theirs == key);
        let &(_, name, form) = known.ok_or_else(|| {
            let names: Vec<&str> = TABLE.iter().map(|(theirs, ..)| *theirs).collect();
            format!(
                "{PREFIX}{key}: must be encap_port, udp_port, {}, {}",
                SWITCHES.join(", "),
                names.join(", ")
            )
        })?;
        let value = match form {
            Form::MillisOrOff | Form::CountOrOff if number == 0 => "off".to_owned(),
            Form::CountOrNever if number > NEVER => "off".to_owned(),
            Form::Millis | Form::MillisOrOff => format!("{number} ms"),
            Form::Count | Form::CountOrOff | Form::CountOrNever => number.to_string(),
            Form::Switch { off, .. } if number == 0 => off.to_owned(),
            Form::Switch { on, .. } => on.to_owned(),
        };
        Ok(Self::Option { name, value })
    }
}

/// The settings that a file has, of those in `/etc/sysctl.d`: lines of others are passed over.
///
/// # Errors
/// It cannot be read, or says something that cannot be set.
pub(super) fn read(file: &Path) -> Result<Vec<Sysctl>, String> {
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let settings = lines.filter_map(|(number, line)| {
        let setting = setting_of(line)?;
        Some(setting.map_err(|error| format!("{}:{number}: {error}", file.display())))
    });
    settings.collect()
}

/// The setting in a line of such a file; `None` where it is about something else.
fn setting_of(line: &str) -> Option<Result<Sysctl, String>> {
    // A line that may fail has a minus before it.
    let line = line.strip_prefix('-').unwrap_or(line);
    let (key, value) = line.split_once('=')?;
    // sysctl.d(5): names have dots or slashes in them.
    let key = key.trim().replace('/', ".");
    let key = key.strip_prefix(PREFIX)?;
    Some(format!("{key}={}", value.trim()).parse())
}

/// Sets all of them; the names of those that have no counterpart.
///
/// # Errors
/// A value is out of range.
pub(super) fn set(settings: &[Sysctl], options: &mut Options) -> Result<Vec<&'static str>, String> {
    let mut without = Vec::new();
    for setting in settings {
        match setting {
            Sysctl::Option { name, value } => {
                let set = options.set(name, value);
                set.map_err(|error| error.to_string())?;
            }
            Sysctl::NoCounterpart(name) => without.push(*name),
            _ => {}
        }
    }
    // In whatever order they and what they are about come.
    let switched = |wanted: &str| {
        settings.iter().rev().find_map(|setting| match setting {
            Sysctl::Switch { name, on } if *name == wanted => Some(*on),
            _ => None,
        })
    };
    if switched(PF_ENABLE) == Some(false) {
        options.potentially_failed_max_retrans = None;
    }
    if switched(NOAUTH_ENABLE) == Some(true) && options.address_changes == AddressChanges::On {
        options.address_changes = AddressChanges::Unauthenticated;
    }
    Ok(without)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_sets_an_option_that_there_is() {
        for (theirs, ours, form) in TABLE {
            let values = match form {
                Form::Millis | Form::MillisOrOff => ["200", "500"],
                Form::Count | Form::CountOrOff | Form::CountOrNever => ["4", "5"],
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
        assert_eq!("net.sctp.udp_port=0".parse(), Ok(Sysctl::Given));
    }

    #[test]
    fn the_names_of_one_thing_go_together() {
        let after = |texts: &[&str]| {
            let settings: Vec<Sysctl> = texts.iter().map(|text| text.parse().unwrap()).collect();
            let mut options = Options::default();
            let without = set(&settings, &mut options).unwrap();
            (options, without)
        };
        for order in [
            ["addip_noauth_enable=1", "addip_enable=1"],
            ["addip_enable=1", "addip_noauth_enable=1"],
        ] {
            let (options, _) = after(&order);
            assert_eq!(options.address_changes, AddressChanges::Unauthenticated);
        }
        let (options, _) = after(&["auth_enable=1", "addip_enable=1"]);
        assert_eq!(options.validate(), Ok(()));
        assert_eq!(options.address_changes, AddressChanges::On);
        let (options, _) = after(&["addip_noauth_enable=1"]);
        assert_eq!(options.address_changes, AddressChanges::Off);
        let (options, _) = after(&["ps_retrans=65535", "pf_retrans=2", "pf_enable=1"]);
        assert_eq!(options.primary_switchover_max_retrans, None);
        assert_eq!(options.potentially_failed_max_retrans, Some(2));
        let (options, without) = after(&["pf_enable=0", "pf_retrans=0", "cookie_hmac_alg=sha1"]);
        assert_eq!(options.potentially_failed_max_retrans, None);
        assert_eq!(without, ["cookie_hmac_alg"]);
        let (options, _) = after(&["pf_enable=0", "pf_retrans=1", "pf_enable=1"]);
        assert_eq!(options.potentially_failed_max_retrans, Some(1));
    }

    /// The output of `sysctl net.sctp` of Linux 6.1 as it comes.
    const DEFAULTS: &str = "addip_enable = 0, addip_noauth_enable = 0, addr_scope_policy = 1, \
        association_max_retrans = 10, auth_enable = 0, cookie_hmac_alg = sha1, \
        cookie_preserve_enable = 1, default_auto_asconf = 0, ecn_enable = 1, encap_port = 0, \
        hb_interval = 30000, intl_enable = 0, l3mdev_accept = 1, max_autoclose = 8589934, \
        max_burst = 4, max_init_retransmits = 8, path_max_retrans = 5, pf_enable = 1, \
        pf_expose = 0, pf_retrans = 0, plpmtud_probe_interval = 0, prsctp_enable = 1, \
        ps_retrans = 65535, rcvbuf_policy = 0, reconf_enable = 0, rto_alpha_exp_divisor = 3, \
        rto_beta_exp_divisor = 2, rto_initial = 3000, rto_max = 60000, rto_min = 1000, \
        rwnd_update_shift = 4, sack_timeout = 200, sctp_mem = 1 2 3, sctp_rmem = 4096 4 5, \
        sctp_wmem = 4096 16384 6, sndbuf_policy = 0, udp_port = 0, valid_cookie_life = 60000";

    #[test]
    fn all_that_linux_prints_can_be_taken() {
        let lines = DEFAULTS.split(", ").map(|line| format!("net.sctp.{line}"));
        let settings: Vec<Sysctl> = lines
            .map(|line| setting_of(&line).unwrap().unwrap())
            .collect();
        let mut options = Options::default();
        let without = set(&settings, &mut options).unwrap();
        assert_eq!(without.len(), NO_COUNTERPART.len());
        assert_eq!(options.validate(), Ok(()));
        assert_eq!(options.path_max_retrans, 5);
        assert_eq!(options.rto_min, std::time::Duration::from_secs(1));
    }

    #[test]
    fn a_line_of_a_file_is_about_sctp_or_is_passed_over() {
        let min = |text| {
            Some(Ok(Sysctl::Option {
                name: "rto_min",
                value: text,
            }))
        };
        assert_eq!(
            setting_of("net.sctp.rto_min = 200"),
            min("200 ms".to_owned())
        );
        assert_eq!(
            setting_of("-net/sctp/rto_min=300"),
            min("300 ms".to_owned())
        );
        for line in [
            "",
            "# net.sctp.rto_min = 1",
            "; a comment",
            "net.ipv4.ip_forward = 1",
        ] {
            assert_eq!(setting_of(line), None, "{line}");
        }
        assert!(setting_of("net.sctp.nonsense = 1").unwrap().is_err());
        assert!(setting_of("net.sctp.rto_min = soon").unwrap().is_err());
    }
}
