//! Settings of new sockets, by Linux's names (`sysctl net.sctp`) or by the engine's.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use sheave::Options;
use sheave::error::OptionError;
use sheave::options::{
    AddressChanges, Authentication, EndpointOptions, OptionDeclaration, nearest_name,
};

/// A parsed setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sysctl {
    /// An option of the protocol.
    Option {
        /// The option's name in the engine.
        name: &'static str,
        /// The value, as text.
        value: String,
    },
    /// A limit of the endpoint.
    Limit {
        /// The limit's name.
        name: &'static str,
        /// The limit's value, as text.
        value: String,
    },
    /// The peers' default UDP port.
    EncapPort(u16),
    /// The local UDP port.
    UdpPort(u16),
    /// A switch that modifies other settings: whether paths become potentially failed, or whether
    /// address changes are accepted without authentication.
    Switch {
        /// Linux's name.
        name: &'static str,
        /// Whether it is on.
        on: bool,
    },
    /// A setting without effect.
    Given,
    /// A Linux setting without a counterpart.
    NoCounterpart(&'static str),
}

/// Names handled specially.
const PORTS: [&str; 2] = ["encap_port", "udp_port"];
const PREFIX: &str = "net.sctp.";

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Milliseconds.
    Millis,
    /// Milliseconds; 0 means off.
    MillisOrOff,
    Count,
    /// A count; 0 means off.
    CountOrOff,
    /// A count; very large values mean off.
    CountOrNever,
    /// 0 or 1, with the engine's words for them.
    Switch {
        off: &'static str,
        on: &'static str,
    },
}

/// Linux's name, the engine's name and the form of the value.
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

/// Linux's names that are implemented differently or not at all.
const NO_COUNTERPART: &str = "addr_scope_policy cookie_hmac_alg cookie_preserve_enable default_auto_asconf l3mdev_accept \
    max_autoclose pf_expose plpmtud_probe_interval rcvbuf_policy rwnd_update_shift \
    sctp_mem sctp_rmem sctp_wmem sndbuf_policy";
/// Retransmission counts from here on mean "never"; Linux uses 65535.
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
        if let Some(name) = NO_COUNTERPART.split(' ').find(|name| *name == key) {
            return Ok(Self::NoCounterpart(name));
        }
        let value = value.trim();
        let Ok(number) = value.parse() else {
            // Linux's values are numbers; a name known to both also accepts the engine's form.
            return own(key, value)
                .or_else(|| linux_has(key).then(|| Err(format!("{value}: must be a number"))))
                .unwrap_or_else(|| Err(unknown(key)));
        };
        match Self::of_linux(key, number) {
            Some(setting) => setting,
            None => own(key, value).unwrap_or_else(|| Err(unknown(key))),
        }
    }
}

impl Sysctl {
    /// The setting with this Linux name; `None` if Linux has no such name.
    fn of_linux(key: &str, number: u32) -> Option<Result<Self, String>> {
        let port = || u16::try_from(number).map_err(|_| format!("{number}: no UDP port"));
        match key {
            // Encapsulation is chosen by other flags.
            "encap_port" | "udp_port" if number == 0 => return Some(Ok(Self::Given)),
            "encap_port" => return Some(port().map(Self::EncapPort)),
            "udp_port" => return Some(port().map(Self::UdpPort)),
            _ => {}
        }
        if let Some(name) = SWITCHES.iter().find(|name| **name == key) {
            let on = number != 0;
            return Some(Ok(Self::Switch { name, on }));
        }
        let &(_, name, form) = TABLE.iter().find(|(theirs, ..)| *theirs == key)?;
        let value = match form {
            Form::MillisOrOff | Form::CountOrOff if number == 0 => "off".to_owned(),
            Form::CountOrNever if number > NEVER => "off".to_owned(),
            Form::Millis | Form::MillisOrOff => format!("{number} ms"),
            Form::Count | Form::CountOrOff | Form::CountOrNever => number.to_string(),
            Form::Switch { off, .. } if number == 0 => off.to_owned(),
            Form::Switch { on, .. } => on.to_owned(),
        };
        Some(Ok(Self::Option { name, value }))
    }
}

/// The engine option or limit with this name; `None` if unknown.
fn own(key: &str, value: &str) -> Option<Result<Sysctl, String>> {
    let text = value.to_owned();
    if let Some(option) = Options::declaration(key) {
        let (name, value) = (option.name(), text);
        let tried = option.set(&mut Options::default(), &value);
        return Some(told(tried, Sysctl::Option { name, value }));
    }
    let limit = EndpointOptions::declaration(key)?;
    let (name, value) = (limit.name(), text);
    let tried = limit.set(&mut EndpointOptions::default(), &value);
    Some(told(tried, Sysctl::Limit { name, value }))
}

fn told(tried: Result<(), OptionError>, setting: Sysctl) -> Result<Sysctl, String> {
    tried.map_err(|error| error.to_string()).map(|()| setting)
}

/// Every Linux name with an effect here.
fn linux_names() -> impl Iterator<Item = &'static str> {
    let table = TABLE.iter().map(|(theirs, ..)| *theirs);
    table.chain(PORTS).chain(SWITCHES)
}

fn linux_has(key: &str) -> bool {
    linux_names().any(|name| name == key)
}

fn unknown(key: &str) -> String {
    let options = Options::declarations().map(OptionDeclaration::name);
    let limits = EndpointOptions::declarations().map(OptionDeclaration::name);
    let all = linux_names()
        .chain(NO_COUNTERPART.split(' '))
        .chain(options)
        .chain(limits);
    match nearest_name(key, all) {
        Some(nearest) => format!("{key}: there is no such key; did you mean `{nearest}`?"),
        None => format!("{key}: there is no such key; docs/options.md lists them"),
    }
}

/// Reads the `net.sctp` settings of a file such as those in `/etc/sysctl.d`; skips other lines.
/// Errors: the file cannot be read, or a setting is invalid.
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

/// Parses a line; `None` if it is not an SCTP setting.
fn setting_of(line: &str) -> Option<Result<Sysctl, String>> {
    // A leading minus marks a line whose failure is ignored.
    let line = line.strip_prefix('-').unwrap_or(line);
    let (key, value) = line.split_once('=')?;
    // sysctl.d(5): names contain dots or slashes.
    let key = key.trim().replace('/', ".");
    let key = key.strip_prefix(PREFIX)?;
    Some(format!("{key}={}", value.trim()).parse())
}

/// Applies the settings; returns the names of those without a counterpart.
/// Errors: a value is out of range, or conflicts with others.
pub(super) fn set(
    settings: &[Sysctl],
    options: &mut Options,
    limits: &mut EndpointOptions,
) -> Result<Vec<&'static str>, OptionError> {
    let mut without = Vec::new();
    // Options are set after those that they depend on.
    for declaration in Options::declarations() {
        for setting in settings {
            match setting {
                Sysctl::Option { name, value } if *name == declaration.name() => {
                    declaration.set(options, value)?;
                }
                _ => {}
            }
        }
    }
    for setting in settings {
        match setting {
            Sysctl::Limit { name, value } => limits.set(name, value)?,
            Sysctl::NoCounterpart(name) => without.push(*name),
            _ => {}
        }
    }
    // Switches apply regardless of the order of settings.
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
    let names = |wanted: &str| {
        let is_it =
            |setting: &Sysctl| matches!(setting, Sysctl::Option { name, .. } if *name == wanted);
        settings.iter().any(is_it)
    };
    if names("heartbeats") && !names("dead_peer_timeout") {
        // With rare heartbeats, only retransmissions detect a dead peer, as in kernels.
        let fits = |limit: &Duration| options.heartbeats.come_within(*limit);
        options.dead_peer_timeout = options.dead_peer_timeout.filter(fits);
    }
    let mut checked = options.clone();
    if checked.authentication == Authentication::Off {
        // Linux allows addip_enable without auth_enable; sockets then do not change addresses.
        checked.address_changes = AddressChanges::Off;
    }
    checked.validate()?;
    Ok(without)
}

#[cfg(test)]
mod tests {

    use sheave::options::{ExplicitCongestion, PathMtuDiscovery, SelectiveAcks};

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
        for (wrong, right) in [
            ("net.sctp.rtomin=1", "rto_min"),
            ("sack_dely=0", "sack_delay"),
        ] {
            let error = wrong.parse::<Sysctl>().unwrap_err();
            assert!(
                error.ends_with(&format!("did you mean `{right}`?")),
                "{error}"
            );
        }
        assert!("net.sctp.rto_min=soon".parse::<Sysctl>().is_err());
        assert!("rto_min".parse::<Sysctl>().is_err());
        assert_eq!("net.sctp.udp_port=0".parse(), Ok(Sysctl::Given));
    }

    #[test]
    fn the_names_of_one_thing_go_together() {
        let after = |texts: &[&str]| {
            let settings: Vec<Sysctl> = texts.iter().map(|text| text.parse().unwrap()).collect();
            let mut options = Options::default();
            let mut limits = EndpointOptions::default();
            let without = set(&settings, &mut options, &mut limits).unwrap();
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

    #[test]
    fn every_option_and_limit_can_be_set_by_its_own_name() {
        let mut options = Options::default();
        let mut limits = EndpointOptions::default();
        let own = Options::declarations().map(|option| (option.name(), option.value(&options)));
        let more = EndpointOptions::declarations();
        let all: Vec<_> = own
            .chain(more.map(|limit| (limit.name(), limit.value(&limits))))
            .collect();
        let settings = all
            .iter()
            .map(|(name, value)| format!("{name}={value}").parse().unwrap());
        let settings: Vec<Sysctl> = settings.collect();
        set(&settings, &mut options, &mut limits).unwrap();
        assert_eq!((options, limits), Default::default());
    }

    #[test]
    fn discovery_of_the_mtu_sacks_and_their_kind_can_be_set_under_either_prefix() {
        let settings = ["path_mtu_discovery=off", "net.sctp.sack_delay=0 ms"];
        let lines = [
            "net.sctp.selective_acks = non-renegable",
            "net.sctp.sack_frequency = 3",
        ];
        let lines = lines.map(|line| setting_of(line).unwrap().unwrap());
        let mut settings = settings.map(|text| text.parse().unwrap()).to_vec();
        settings.extend(lines);
        let mut options = Options::default();
        set(&settings, &mut options, &mut EndpointOptions::default()).unwrap();
        assert_eq!(options.path_mtu_discovery, PathMtuDiscovery::Off);
        assert_eq!(
            (options.sack_delay, options.sack_frequency),
            (Duration::ZERO, 3)
        );
        assert_eq!(options.selective_acks, SelectiveAcks::NonRenegable);
        let bad: Sysctl = "congestion=dctcp".parse().unwrap();
        options.ecn = ExplicitCongestion::Off;
        assert!(set(&[bad], &mut options, &mut EndpointOptions::default()).is_err());
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
        let mut limits = EndpointOptions::default();
        let without = set(&settings, &mut options, &mut limits).unwrap();
        assert_eq!(without.len(), NO_COUNTERPART.split(' ').count());
        assert_eq!(options.validate(), Ok(()));
        assert_eq!(options.path_max_retrans, 5);
        assert_eq!(options.dead_peer_timeout, None);
        assert_eq!(options.rto_min, Duration::from_secs(1));
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
