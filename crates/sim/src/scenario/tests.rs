use core::time::Duration;

use sheave_engine::Event;

use super::{Problem, ScenarioError, read, read_network, read_with};
use crate::{
    Corruption, Counter, Discipline, Errors, Flips, Limit, Outcome, Pace, Placement, Probability,
    Reading, VantagePoint,
};

const TWO_PATHS: &str = include_str!("tests/two-paths.toml");

fn error(text: &str) -> ScenarioError {
    read(text).expect_err("something is wrong")
}

#[test]
fn a_scenario_says_what_is_built() {
    let cases = read(TWO_PATHS).expect("a scenario");
    let [case] = &cases[..] else {
        panic!("{} cases", cases.len());
    };
    let scenario = &case.scenario;
    assert_eq!(scenario.duration, Duration::from_secs(5));
    let far = &scenario.links[2];
    let Errors::Gilbert(gilbert) = &far.there.loss else {
        panic!("{:?}", far.there.loss);
    };
    assert_eq!(gilbert.reading, Reading::Periodic);
    assert_eq!(gilbert.bad.hit, Probability::new(0.25));
    // The reverse direction is the same except for its own settings.
    assert_eq!(far.back.loss, Errors::None);
    assert_eq!(far.back.queue, Discipline::DropTail(Limit::Bytes(65_536)));
    assert_eq!(far.back.mtu, 1500);
    let Corruption::Packets { flips, .. } = far.back.corruption else {
        panic!("{:?}", far.back.corruption);
    };
    let burst = Flips {
        least: 3,
        most: 3,
        placement: Placement::Burst,
    };
    assert_eq!(flips, burst);
    assert_eq!(
        scenario.links[1].there.pace,
        Pace::Constant(crate::Bitrate(1_500_000))
    );
    assert!(scenario.corrupts());
}

#[test]
fn a_scenario_runs() {
    let cases = read(TWO_PATHS).expect("a scenario");
    let mut run = cases[0].scenario.build(1).expect("a world");
    assert_eq!(run.world.run_to_completion(run.end), Outcome::Finished);
    let sink = run.sink("files").expect("a sink");
    assert_eq!(sink.messages(), 100);
    let noise = run.flow("noise").expect("a flow").server;
    let counter: &Counter = run.world.agent(noise).expect("a counter");
    assert!(counter.packets() > 10);
}

#[test]
fn a_watched_run_is_the_same_and_tells_more() {
    let cases = read(TWO_PATHS).expect("a scenario");
    let mut plain = cases[0].scenario.build(1).expect("a world");
    let mut watched = cases[0].scenario.build_watched(1).expect("a world");
    plain.world.run_to_completion(plain.end);
    watched.world.run_to_completion(watched.end);
    assert_eq!(plain.world.fingerprint(), watched.world.fingerprint());
    let client = |run: &super::Run| {
        let client = run
            .sctp("files", VantagePoint::Client)
            .expect("an association");
        (
            client.samples().len(),
            client.stats().map(|stats| stats.assoc.messages_sent),
        )
    };
    assert_eq!(client(&plain), (0, Some(100)));
    let (samples, messages) = client(&watched);
    assert!(samples > 10);
    assert_eq!(messages, Some(100));
    let server = watched.sctp("files", VantagePoint::Server);
    let told = server.map_or(&[][..], |server| server.advertised());
    let sacks = watched
        .sctp_stats("files", VantagePoint::Server)
        .expect("statistics");
    assert!(told.len() as u64 <= sacks.assoc.sacks_sent && told.len() > 10);
    assert!(told.iter().all(|told| told.rwnd > 0));
}

#[test]
fn statistics_outlive_an_association_where_they_are_kept() {
    let cases = read(TWO_PATHS).expect("a scenario");
    let scenario = &cases[0].scenario;
    let builds = [scenario.build(1), scenario.build_with_stats(1)];
    let [plain, keeping] = builds.map(|built| {
        let mut run = built.expect("a world");
        run.world.run_until(run.end);
        let client = run.sctp("files", VantagePoint::Client).expect("a client");
        let ended = client.log().last().map(|(_, event)| event);
        assert!(matches!(ended, Some(Event::Closed { .. })), "{ended:?}");
        (run.world.fingerprint(), client.stats())
    });
    assert_eq!(plain.0, keeping.0);
    assert_eq!(plain.1, None);
    let stats = keeping.1.expect("statistics");
    assert_eq!(
        (stats.assoc.messages_sent, stats.assoc.send_buffered),
        (100, 0)
    );
    assert_eq!(stats.paths.len(), 2);
}

#[test]
fn tcp_takes_the_same_workloads() {
    let tcp = TWO_PATHS.replace(
        "sctp = { profile = \"linux\", rto_min = \"500 ms\", heartbeats = \"off\", max_burst = \"off\" }",
        "transport = \"tcp\"\ntcp = { profile = \"linux-like\", congestion = \"new-reno\", \
         acknowledgement = { segments = 1 } }",
    );
    let cases = read(&tcp).expect("a scenario");
    let mut run = cases[0].scenario.build(1).expect("a world");
    assert_eq!(run.world.run_to_completion(run.end), Outcome::Finished);
    let sink = run.sink("files").expect("a sink");
    assert_eq!((sink.messages(), sink.receipts().len()), (100, 100));
}

#[test]
fn a_sweep_makes_all_combinations() {
    let text = format!(
        "{TWO_PATHS}\n[sweep]\n\"link.far.loss\" = [\"0 %\", \"1 %\"]\n\
         \"flow.files.workload.streams\" = [1, 2, 4]\n"
    );
    let cases = read(&text).expect("a sweep");
    assert_eq!(cases.len(), 6);
    let last = &cases[5];
    let settings = [
        ("link.far.loss".to_owned(), "1 %".to_owned()),
        ("flow.files.workload.streams".to_owned(), "4".to_owned()),
    ];
    assert_eq!(last.settings, settings);
    let loss = &last.scenario.links[2].there.loss;
    assert_eq!(*loss, Errors::Uniform(Probability::new(0.01)));
}

/// Mistakes: a text of the scenario, the text in its place, and the error.
const MISTAKES: &str = include_str!("tests/mistakes.txt");

#[test]
fn mistakes_are_named_with_what_is_expected() {
    for line in MISTAKES.trim().lines() {
        let [from, to, said] = line.split(" => ").collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        assert!(TWO_PATHS.contains(from), "{from}");
        assert_eq!(error(&TWO_PATHS.replacen(from, to, 1)).to_string(), said);
    }
}

#[test]
fn a_shared_key_switches_authentication_on() {
    use sheave_engine::Authentication;
    let text = TWO_PATHS.replacen(
        "profile = \"linux\"",
        "authentication_key = \"scenario\"",
        1,
    );
    let cases = read(&text).expect("a scenario");
    let super::FlowKind::Sctp { options, .. } = &cases[0].scenario.flows[0].kind else {
        panic!("another kind of flow");
    };
    assert!(matches!(options.authentication, Authentication::On(_)));
}

#[test]
fn messages_that_should_not_wait_go_beside_others() {
    let text = r#"
        name = "urgent"
        duration = "20 s"
        hosts = ["A", "B"]
        [link.main]
        ends = ["A", "B"]
        rate = "100 Mbit/s"
        delay = "1 ms"
        [flow.main]
        from = "A"
        to = "B"
        transport = "sctp"
        sctp = { profile = "rfc9260", send_buffer = "4 MiB", receive_buffer = "128 KiB" }
        [flow.main.workload]
        kind = "urgent-and-bulk"
        message = "100 B"
        count = 100
        bulk = "64 KiB"
        depth = "1 MiB"
        arrivals = { kind = "constant", interval = "10 ms" }
    "#;
    let slowest = |scheduler: &str| {
        let with = format!("send_buffer = \"4 MiB\", scheduler = \"{scheduler}\"");
        let text = text.replacen("send_buffer = \"4 MiB\"", &with, 1);
        let cases = read(&text).expect("a scenario");
        let mut run = cases[0].scenario.build(1).expect("a run");
        run.world.run_to_completion(run.end);
        let sink = run.sink("main").expect("a sink");
        assert_eq!(sink.receipts().len(), 100);
        assert!(sink.bytes() > 10_000_000, "{}", sink.bytes());
        let delays = sink.receipts().iter().map(crate::Receipt::delay);
        delays.max().expect("a delay")
    };
    // 1 MiB at 100 Mbit/s takes 84 ms.
    assert!(slowest("first-come") > Duration::from_millis(80));
    assert!(slowest("priority") < Duration::from_millis(40));
}

#[test]
fn a_scenario_names_policies_of_the_users_own() {
    use sheave_engine::{CongestionAlgorithm, CustomCongestion, CustomPolicies, NewReno};
    let mine = CustomCongestion {
        name: "mine",
        signals: sheave_engine::CongestionSignals::Acknowledgements,
        make: |path| Box::new(NewReno::new(path.pmdcs, path.rules, path.initial)),
    };
    let policies = CustomPolicies::default().with_congestion(mine);
    let text = TWO_PATHS.replacen("profile = \"linux\"", "congestion = \"mine\"", 1);
    let cases = read_with(&text, &policies).expect("a scenario");
    let super::FlowKind::Sctp { options, .. } = &cases[0].scenario.flows[0].kind else {
        panic!("another kind of flow");
    };
    assert_eq!(options.congestion, CongestionAlgorithm::Custom(mine));
    let mut run = cases[0].scenario.build(1).expect("it can be built");
    run.world.run_until(run.end);
    assert_eq!(run.sink("files").map(crate::Sink::messages), Some(100));
    assert!(
        error(&text)
            .to_string()
            .starts_with("flow.files.sctp.congestion = mine")
    );
}

#[test]
fn a_flow_says_how_long_its_messages_are_worth_sending() {
    use sheave_engine::{PartialReliability, Reliability};
    for (key, expected) in [
        (
            "lifetime = \"50 ms\"",
            Reliability::Timed(Duration::from_millis(50)),
        ),
        ("max_retransmissions = 2", Reliability::Retransmissions(2)),
    ] {
        let line = format!("{key}\n    sctp = {{ profile");
        let text = TWO_PATHS.replacen("sctp = { profile", &line, 1);
        let cases = read(&text).expect("a scenario");
        let super::FlowKind::Sctp {
            options,
            reliability,
            ..
        } = &cases[0].scenario.flows[0].kind
        else {
            panic!("another kind of flow");
        };
        assert_eq!(*reliability, expected);
        assert_eq!(options.partial_reliability, PartialReliability::On);
    }
}

#[test]
fn a_text_that_is_no_toml_says_so() {
    assert!(matches!(error("name =").problem, Problem::Syntax(_)));
}

#[test]
fn quantities_have_units() {
    use super::quantity::{bytes, duration, probability, rate};
    let value = |text: &str| toml::Value::from(text);
    assert_eq!(duration(&value("1.5us")), Ok(Duration::from_nanos(1500)));
    assert_eq!(duration(&value("2 min")), Ok(Duration::from_secs(120)));
    assert!(duration(&value("-1 s")).is_err() && duration(&value("1")).is_err());
    assert_eq!(rate(&value("1000 kbit/s")), Ok(crate::Bitrate::mbit(1)));
    assert!(rate(&value("0 bit/s")).is_err());
    assert_eq!(bytes::<u32>(&value("64 KiB")), Ok(65_536));
    assert!(bytes::<u16>(&value("64 KiB")).is_err());
    assert_eq!(probability(&value("1e-6")), Ok(Probability::new(1e-6)));
    assert!(probability(&value("101 %")).is_err());
}

const FILES: &str = include_str!("tests/files.toml");

#[test]
fn files_travel_as_a_scenario_says() {
    let cases = read(FILES).expect("a scenario");
    let mut run = cases[0].scenario.build(1).expect("a network");
    run.world.run_to_completion(run.end);
    for flow in ["ftp", "http", "sheave"] {
        let receipts = run.files(flow).expect("a flow of files");
        assert!(receipts.is_complete(), "{flow}");
    }
    assert!(run.files("main").is_none());
}

#[test]
fn files_without_a_size_are_refused() {
    let text = FILES.replace(", len = \"1 kB\"", "");
    assert_eq!(error(&text).at, "flow.ftp.files.len");
}

#[test]
fn a_network_may_be_just_a_link() {
    let text = r#"delay = "20 ms"
        loss = "1 %"
        back = { loss = "0 %", rate = "1 Mbit/s" }"#;
    let scenario = read_network(text).expect("a link");
    let [pair] = &scenario.links[..] else {
        panic!("one link")
    };
    assert_eq!(pair.there.delay, pair.back.delay);
    assert_eq!(pair.there.loss, Errors::Uniform(Probability::new(0.01)));
    assert_eq!(pair.back.loss, Errors::None);
    assert_eq!(scenario.build(1).expect("a world").ways().len(), 1);
    let error = read_network("dely = \"20 ms\"").expect_err("no key");
    assert_eq!(
        error.to_string(),
        "dely: there is no such key; did you mean `delay`?"
    );
}

/// The text of a scenario with additional options.
fn with_options(keys: &str) -> String {
    TWO_PATHS.replacen("profile = \"linux\"", keys, 1)
}

#[test]
fn every_option_is_read_by_its_name() {
    use sheave_engine::{OptionUnit, Options, Profile};
    for declaration in Options::declarations() {
        let value = match declaration.unit() {
            OptionUnit::Text => "secret".to_owned(),
            _ => declaration.value(&Profile::Datacenter.options()),
        };
        let name = declaration.name();
        let keys = format!("profile = \"linux\", {name} = \"{value}\"");
        // Two of the keys are already in the text.
        let text = match TWO_PATHS.contains(&format!("{name} =")) {
            true => continue,
            false => with_options(&keys),
        };
        let cases = read(&text).unwrap_or_else(|error| panic!("{error}"));
        let super::FlowKind::Sctp { options, .. } = &cases[0].scenario.flows[0].kind else {
            panic!("another kind of flow");
        };
        if declaration.unit() != OptionUnit::Text {
            assert_eq!(options.get(name), Some(value));
        }
    }
}

#[test]
fn the_limits_of_the_endpoints_are_read_by_their_names() {
    let with_limits = |keys: &str| {
        let keys = format!("endpoint = {{ {keys} }}\n[flow.noise]");
        TWO_PATHS.replacen("[flow.noise]", &keys, 1)
    };
    let text = with_limits("max_memory = \"1 MiB\", max_associations = 3");
    let cases = read(&text).unwrap_or_else(|error| panic!("{error}"));
    let super::FlowKind::Sctp { endpoint, .. } = &cases[0].scenario.flows[0].kind else {
        panic!("another kind of flow");
    };
    let limits = (endpoint.max_memory, endpoint.max_associations);
    assert_eq!(limits, (1 << 20, 3));
    assert_eq!(
        error(&with_limits("max_associations = 0")).to_string(),
        "flow.files.endpoint.max_associations = 0: must be 1 to 1000000000"
    );
}

#[test]
fn every_option_refuses_nonsense_with_its_range() {
    use sheave_engine::Options;
    for declaration in Options::declarations() {
        let name = declaration.name();
        if TWO_PATHS.contains(&format!("{name} =")) {
            continue;
        }
        let message = error(&with_options(&format!("{name} = [7]"))).to_string();
        let range = declaration.range();
        let expected = format!("flow.files.sctp.{name}: must be {range}, and is [7]");
        assert_eq!(message, expected);
    }
}

#[test]
fn a_list_of_names_has_those_of_ones_own_first() {
    use super::CustomAlgorithms;
    use crate::{CustomQueue, CustomTransport};
    let own = CustomAlgorithms::default()
        .with_queue(CustomQueue {
            name: "my-queue",
            make: |_| unreachable!("nothing is built"),
        })
        .with_transports(&[CustomTransport {
            name: "my-transport",
            make: |_| unreachable!("nothing is built"),
        }]);
    for (from, to, at, names) in [
        (
            "transport = \"udp\"",
            "transport = \"quik\"",
            "flow.noise.transport",
            "\"my-transport\" or \"sctp\" or \"tcp\"",
        ),
        (
            "kind = \"red\"",
            "kind = \"fifo\"",
            "link.upper.queue.kind",
            "\"my-queue\" or \"drop-tail\" or",
        ),
    ] {
        let text = TWO_PATHS.replacen(from, to, 1);
        let error = read_with(&text, &own).expect_err("no such name");
        assert_eq!(error.at, at);
        let error = error.to_string();
        assert!(error.contains(names), "{error}");
    }
}
