use sheave::Profile;
use sheave::authentication::ChunkSet;
use sheave::events::Unauthenticated;
use sheave::options::{
    Authentication, EndpointOptions, Interleaving, OptionUnit, Pacing, SourceShare,
};
use sheave::streams::StreamScheduler;

use super::*;

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    network: NetworkArgs,
}

fn parse(words: &[&str]) -> NetworkArgs {
    try_parse(words).unwrap()
}

fn try_parse(words: &[&str]) -> Result<NetworkArgs, String> {
    use clap::Parser;
    let line = Line::try_parse_from([&["x"], words].concat());
    // What is wrong, without the usage that follows.
    line.map(|line| line.network).map_err(|error| {
        let text = error.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    })
}

#[test]
fn a_host_may_carry_a_port() {
    let read = |text: &str| text.parse::<HostPort>().map(|at| (at.host, at.port));
    assert_eq!(read("a.example"), Ok(("a.example".to_owned(), None)));
    assert_eq!(read("a.example:7"), Ok(("a.example".to_owned(), Some(7))));
    assert_eq!(read("::1"), Ok(("::1".to_owned(), None)));
    assert_eq!(read("[::1]:7"), Ok(("::1".to_owned(), Some(7))));
    assert_eq!(read("[::1]"), Ok(("::1".to_owned(), None)));
    for text in ["", ":7", "a:0", "a:x", "[::1", "[::1]7", "a:99999"] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn single_parameters_go_over_the_profile() {
    let options = parse(&[
        "--profile",
        "rfc9260",
        "--rto-min",
        "20ms",
        "--max-burst",
        "off",
    ])
    .options();
    assert_eq!(options.rto_min, Duration::from_millis(20));
    assert_eq!(options.max_burst, None);
    assert_eq!(options.rto_max, Duration::from_secs(60));
}

#[test]
fn interleaving_and_the_scheduler_are_chosen() {
    let words = ["--interleaving", "--scheduler", "round-robin", "--pacing"];
    let options = parse(&words).options();
    assert_eq!(options.interleaving, Interleaving::On);
    assert_eq!(options.pacing, Pacing::On);
    assert_eq!(options.scheduler, StreamScheduler::RoundRobin);
    assert_eq!(parse(&[]).options().interleaving, Interleaving::Off);
}

#[cfg(feature = "dtls")]
#[test]
fn protected_packets_may_change_addresses_and_are_not_authenticated_besides() {
    let options = parse(&["--secure", "--address-changes", "on"]).options();
    assert_eq!(options.address_changes, sheave::options::AddressChanges::On);
    assert!(try_parse(&["--address-changes", "on"]).is_err());
    assert!(try_parse(&["--secure", "--authentication", "all"]).is_err());
}

#[test]
fn a_secret_authenticates_all_chunks_and_refuses_whoever_has_none() {
    let options = parse(&["--authentication-key", "open sesame"]).options();
    let Authentication::On(chosen) = options.authentication else {
        panic!("chunks are authenticated")
    };
    assert_eq!(chosen.chunks, ChunkSet::all());
    assert_eq!(chosen.others, Unauthenticated::Refused);
    assert_eq!(parse(&[]).options().authentication, Authentication::Off);
}

#[test]
fn an_option_out_of_range_is_named_as_it_is_typed() {
    assert_eq!(
        try_parse(&["--sack-delay", "900ms"]).unwrap_err(),
        "error: --sack-delay 900ms: must be 0 s to 500 ms"
    );
    assert_eq!(
        try_parse(&["--congestion", "dctcp"]).unwrap_err(),
        "error: --congestion dctcp: needs ecn = on"
    );
}

#[test]
fn every_option_has_a_flag_that_takes_its_values() {
    for option in Options::declarations() {
        let name = option.name();
        let value = match option.unit() {
            OptionUnit::Text => "secret".to_owned(),
            _ => option.value(&Profile::Linux.options()),
        };
        let flag = format!("--{}={value}", name.replace('_', "-"));
        let options = parse(&["--profile", "linux", &flag]).options();
        if option.unit() != OptionUnit::Text {
            assert_eq!(options.get(name), Some(value));
        }
    }
}

#[test]
fn every_flag_refuses_nonsense_with_the_range() {
    for option in Options::declarations().filter(|option| option.unit() != OptionUnit::Text) {
        let flag = format!("--{}", option.name().replace('_', "-"));
        let complaint = try_parse(&[&format!("{flag}=nonsense")]).unwrap_err();
        let expected = format!("error: {flag} nonsense: must be {}", option.range());
        assert_eq!(complaint, expected);
    }
}

#[test]
fn local_addresses_are_listed_by_comma_or_repeated() {
    let network = parse(&["--local", "127.0.0.1,127.0.0.2", "-X", "::1"]);
    assert_eq!(network.local.len(), 3);
}

#[test]
fn a_server_bounds_what_all_and_what_one_source_may_hold() {
    let words = ["--max-memory", "256M", "--source-share", "16M"];
    let config = parse(&words).config(Role::Server).unwrap();
    assert_eq!(config.endpoint.max_memory, 256 << 20);
    let share = |words: &[&str]| {
        parse(words)
            .config(Role::Server)
            .unwrap()
            .endpoint
            .source_share
    };
    assert_eq!(share(&words), SourceShare::Bytes(16 << 20));
    assert_eq!(share(&[]), SourceShare::AsMuchAsIsFree);
    assert_eq!(share(&["--source-share", "all"]), SourceShare::All);
}

#[test]
fn every_limit_of_an_endpoint_has_a_flag_that_takes_its_values() {
    let of_the_tool = parse(&[]).config(Role::Server).unwrap().endpoint;
    for limit in EndpointOptions::declarations() {
        let value = limit.value(&EndpointOptions::default()).to_string();
        let flag = format!("--{}={value}", limit.name().replace('_', "-"));
        let config = parse(&[&flag]).config(Role::Server).unwrap();
        let mut expected = of_the_tool.clone();
        expected.apply(&[(limit.name(), value.as_str())]).unwrap();
        assert_eq!(config.endpoint, expected);
    }
}

#[test]
fn several_keys_are_given_by_their_ids() {
    let words = [
        "--authentication-keys",
        "1:0a1b+2:ff",
        "--active-authentication-key",
        "2",
    ];
    let Authentication::On(chosen) = parse(&words).options().authentication else {
        panic!("keys turn authentication on");
    };
    assert_eq!((chosen.keys.len(), chosen.active.0), (2, 2));
}
