use super::*;

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    network: NetworkArgs,
}

fn parse(words: &[&str]) -> NetworkArgs {
    use clap::Parser;
    Line::try_parse_from([&["x"], words].concat())
        .map_err(|error| error.to_string())
        .unwrap()
        .network
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
    let options = parse(&["--interleaving", "--scheduler", "round-robin"]).options();
    assert_eq!(options.interleaving, Interleaving::On);
    assert_eq!(options.scheduler, StreamScheduler::RoundRobin);
    assert_eq!(parse(&[]).options().interleaving, Interleaving::Off);
}

#[test]
fn loss_detection_is_chosen_by_name() {
    let options = parse(&["--loss-detection", "rack"]).options();
    assert_eq!(options.loss_detection, LossDetection::Rack);
    assert_eq!(
        parse(&[]).options().loss_detection,
        LossDetection::MissingReports
    );
}

#[test]
fn an_option_out_of_range_is_named_as_it_is_typed() {
    let network = parse(&["--sack-delay", "900ms"]);
    let failure = network.bind(Role::Client).map(|_| ()).unwrap_err();
    assert_eq!(failure.exit, crate::failure::Exit::Usage);
    assert!(
        failure.what.starts_with("--sack-delay: "),
        "{}",
        failure.what
    );
}

#[test]
fn local_addresses_are_listed_by_comma_or_repeated() {
    let network = parse(&["--local", "127.0.0.1,127.0.0.2", "-X", "::1"]);
    assert_eq!(network.local.len(), 3);
}
