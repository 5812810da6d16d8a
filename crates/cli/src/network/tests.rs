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
fn a_secret_authenticates_all_chunks_and_refuses_whoever_has_none() {
    let options = parse(&["--auth-key", "open sesame"]).options();
    let Authentication::On(chosen) = options.authentication else {
        panic!("chunks are authenticated")
    };
    assert_eq!(chosen.chunks, ChunkSet::all());
    assert_eq!(chosen.others, Unauthenticated::Refused);
    assert_eq!(parse(&[]).options().authentication, Authentication::Off);
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
fn buffers_are_fixed_or_follow_the_path_up_to_a_size() {
    let buffers = |text: &str| parse(&["--buffers", text]).options().buffers;
    assert_eq!(parse(&[]).options().buffers, BufferSizes::Fixed);
    assert_eq!(buffers("fixed"), BufferSizes::Fixed);
    assert_eq!(buffers("auto"), BufferSizes::AUTO);
    assert_eq!(buffers("auto:8M"), BufferSizes::Auto { max: 8 << 20 });
    assert!(parse_buffers("auto:").is_err());
    assert!(parse_buffers("large").is_err());
    let beyond = parse(&["--buffers", "auto:2G"]).options();
    assert!(beyond.validate().is_err());
}

#[test]
fn the_congestion_control_and_pacing_are_chosen_by_name() {
    let options = parse(&["--congestion", "cubic", "--pacing"]).options();
    assert_eq!(options.congestion, CongestionAlgorithm::Cubic);
    assert_eq!(options.pacing, Pacing::On);
    let bbr = parse(&["--congestion", "bbr"]).options();
    assert_eq!(bbr.congestion, CongestionAlgorithm::Bbr);
    assert!(bbr.validate().is_ok());
    let dctcp = parse(&["--congestion", "dctcp", "--ecn"]).options();
    assert!(dctcp.validate().is_ok());
    assert!(
        parse(&["--congestion", "dctcp"])
            .options()
            .validate()
            .is_err()
    );
}

#[test]
fn several_paths_at_a_time_are_chosen_by_name() {
    use sheave::{Coupling, Multipath, PathScheduler};
    let multipath = |args: &[&str]| parse(args).options().multipath;
    assert_eq!(multipath(&[]), Multipath::Off);
    let default = multipath(&["--multipath"]).transfer().unwrap();
    assert_eq!(default.scheduler, PathScheduler::LowestRtt);
    let args = ["--multipath=round-robin", "--coupling", "pooled-rates"];
    let chosen = multipath(&args).transfer().unwrap();
    assert_eq!(chosen.scheduler, PathScheduler::RoundRobin);
    assert_eq!(chosen.coupling, Coupling::PooledRates);
}

#[test]
fn when_a_path_gives_way_is_chosen() {
    let limits = |words: &[&str]| {
        let options = parse(words).options();
        (
            options.potentially_failed_max_retrans,
            options.primary_switchover_max_retrans,
        )
    };
    assert_eq!(limits(&[]), (None, None));
    let both = [
        "--potentially-failed-max-retrans",
        "0",
        "--primary-switchover-max-retrans",
        "5",
    ];
    assert_eq!(limits(&both), (Some(0), Some(5)));
    assert_eq!(limits(&[both[0], "off"]), (None, None));
}

#[test]
fn the_udp_ports_of_restarts_are_chosen_by_name() {
    use sheave::RestartPorts;
    let ports = |words: &[&str]| parse(words).options().restart_ports;
    assert_eq!(ports(&[]), RestartPorts::Current);
    assert_eq!(
        ports(&["--restart-ports", "current"]),
        RestartPorts::Current
    );
    assert_eq!(ports(&["--restart-ports", "any"]), RestartPorts::Any);
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
