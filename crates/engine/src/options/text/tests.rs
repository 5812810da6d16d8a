use alloc::format;
use alloc::string::ToString;
use core::time::Duration;
use std::collections::BTreeSet;

use sheave_wire::ChunkType;

use super::*;
use crate::{
    Authentication, ChunkSet, ConcurrentTransfer, CongestionAlgorithm, Coupling, DecreaseTrigger,
    ExplicitCongestion, HmacAlgorithm, KeyId, Multipath, OptionUnit, PathScheduler, PeerRequests,
    Reconfiguration, SharedKey, StreamScheduler, Unauthenticated,
};

/// Options by which every option may have every value.
fn willing() -> Options {
    Options {
        multipath: Multipath::Concurrent(ConcurrentTransfer::default()),
        authentication: Authentication::on(),
        ..Options::default()
    }
}

fn fault(text: &str) -> String {
    text.parse::<Options>().unwrap_err().to_string()
}

#[test]
fn every_name_is_declared_once() {
    let names: BTreeSet<&str> = Options::declarations()
        .map(OptionDeclaration::name)
        .collect();
    assert_eq!(names.len(), Options::declarations().count());
}

#[test]
fn every_value_of_every_profile_is_read_as_it_is_written() {
    for declaration in Options::declarations() {
        for profile in Profile::ALL {
            let written = declaration.value(&profile.options());
            let mut options = willing();
            assert_eq!(declaration.set(&mut options, &written), Ok(()));
            assert_eq!(declaration.value(&options), written, "{declaration:?}");
        }
    }
}

#[test]
fn every_word_is_read_as_it_is_written() {
    for declaration in Options::declarations() {
        for word in declaration.words() {
            let mut options = willing();
            assert_eq!(
                declaration.set(&mut options, word),
                Ok(()),
                "{declaration:?}"
            );
            assert_eq!(declaration.value(&options), word, "{declaration:?}");
        }
    }
}

#[test]
fn values_of_several_parts_are_read_as_they_are_written() {
    let cases = [
        ("congestion", "early-decrease:heartbeat:144"),
        ("congestion", "early-decrease:always:999"),
        ("buffers", "auto:16 MiB"),
        ("path_mtu_discovery", "on:4000 B"),
        ("reconfiguration", "on:none"),
        ("reconfiguration", "on:reset-incoming+add-outgoing"),
        ("authentication", "0+3"),
        ("max_burst", "17"),
        ("heartbeats", "1500 ms"),
        ("adaptation_indication", "4294967295"),
        ("hmac_algorithms", "sha1+sha256"),
        ("active_authentication_key", "65535"),
    ];
    for (name, text) in cases {
        let mut options = willing();
        assert_eq!(options.set(name, text), Ok(()));
        assert_eq!(options.get(name).as_deref(), Some(text));
    }
}

#[test]
fn several_keys_and_the_algorithms_are_read_in_any_order() {
    let text =
        "active_authentication_key=7, hmac_algorithms=sha1, authentication_keys=1:6f70+7:FF00";
    let options: Options = text.parse().unwrap();
    let Authentication::On(on) = &options.authentication else {
        panic!("keys turn authentication on");
    };
    let keys = [
        SharedKey::new(KeyId(1), *b"op"),
        SharedKey::new(KeyId(7), [0xFF, 0]),
    ];
    assert_eq!(on.keys, keys);
    assert_eq!(on.active, KeyId(7));
    assert_eq!(on.algorithms, [HmacAlgorithm::Sha1]);
    assert_eq!(on.others, Unauthenticated::Refused);
    assert_eq!(
        options.get("authentication_keys").as_deref(),
        Some("(secret)")
    );
}

#[test]
fn a_key_that_is_not_hexadecimal_is_refused() {
    for keys in ["1:abc", "1", "1:xy", "70000:ab", "1:ab+", ""] {
        let text = format!("authentication_keys={keys}");
        let fault = fault(&text);
        assert!(fault.contains("must be ID:HEX"), "{fault}");
    }
}

#[test]
fn an_active_key_must_be_one_of_the_keys() {
    let fault = fault("authentication_keys=1:ab,active_authentication_key=2");
    assert!(fault.contains("the active one among them"), "{fault}");
}

#[test]
fn every_option_refuses_nonsense_by_name_with_its_range() {
    for declaration in Options::declarations() {
        if declaration.unit() == OptionUnit::Text {
            continue;
        }
        let mut options = willing();
        let error = declaration.set(&mut options, "nonsense").unwrap_err();
        assert_eq!(error.option, declaration.name());
        assert_eq!(error.value, "nonsense");
        assert!(error.reason.ends_with(&declaration.range()), "{error}");
        assert_eq!(options, willing());
    }
}

#[test]
fn an_error_names_option_value_and_range() {
    let faults = [
        (
            "rto_initial=9 ms",
            "rto_initial = 9 ms: must be 10 ms to 120 s",
        ),
        ("rto_initial=1", "rto_initial = 1: must be 10 ms to 120 s"),
        ("sack_frequency=65", "sack_frequency = 65: must be 1 to 64"),
        ("max_burst=0", "max_burst = 0: must be 1 to 1000, or off"),
        (
            "initial_pmtu=511",
            "initial_pmtu = 511: must be 512 B to 65535 B",
        ),
        ("send_buffer=1", "send_buffer = 1: must be 1500 B or more"),
        ("ecn=yes", "ecn = yes: must be off or on"),
        ("congestion=dctcp", "congestion = dctcp: needs ecn = on"),
        (
            "rto_min=2 s,rto_max=1 s",
            "rto_min = 2 s: must not exceed rto_max",
        ),
        (
            "coupling=pooled-rates",
            "coupling = pooled-rates: needs multipath = concurrent",
        ),
        (
            "rtomin=1 s",
            "rtomin = 1 s: there is no such option; did you mean `rto_min`?",
        ),
        (
            "profile=best",
            "profile = best: must be modern, rfc9260, linux, telecom, datacenter, rfc2960",
        ),
        (
            "buffers=auto:1",
            "buffers = auto:1: must be fixed, auto or auto:MAX with MAX from 4 KiB to 1 GiB",
        ),
    ];
    for (text, expected) in faults {
        assert_eq!(fault(text), expected);
    }
}

#[test]
fn options_are_read_from_a_list_in_any_order() {
    let text = "coupling=pooled-rates, multipath=concurrent,profile=telecom,rto_max=300 ms,\
                path_scheduler=round-robin,";
    let options: Options = text.parse().unwrap();
    let expected = Options {
        rto_max: Duration::from_millis(300),
        multipath: Multipath::Concurrent(ConcurrentTransfer {
            scheduler: PathScheduler::RoundRobin,
            coupling: Coupling::PooledRates,
            ..ConcurrentTransfer::default()
        }),
        ..Profile::Telecom.options()
    };
    assert_eq!(options, expected);
    assert_eq!("".parse(), Ok(Options::default()));
}

#[test]
fn a_shorter_rto_max_takes_rto_initial_down_with_it() {
    let options: Options = "profile=rfc9260,rto_min=20 ms,rto_max=100 ms"
        .parse()
        .unwrap();
    assert_eq!(options.rto_initial, Duration::from_millis(100));
}

#[test]
fn a_shared_key_turns_authentication_on_and_is_not_told() {
    let options: Options = "authentication_key=open sesame".parse().unwrap();
    let Authentication::On(on) = &options.authentication else {
        panic!("chunks are authenticated")
    };
    assert_eq!(
        (on.chunks, on.others),
        (ChunkSet::all(), Unauthenticated::Refused)
    );
    assert_eq!(
        options.get("authentication_key").as_deref(),
        Some("(secret)")
    );
    let text = "unauthenticated_peers=accepted,authentication_key=x,authentication=address-changes";
    let options: Options = text.parse().unwrap();
    let expected = Authentication::with_key(
        "x",
        ChunkSet::of([ChunkType::ASCONF, ChunkType::ASCONF_ACK]),
    );
    assert_eq!(options.authentication, expected);
}

#[test]
fn choosing_an_option_again_keeps_its_parts() {
    let mut options: Options =
        "congestion=new-reno,multipath=concurrent,coupling=pooled-rates,authentication_key=x"
            .parse()
            .unwrap();
    let before = options.clone();
    options.set("multipath", "concurrent").unwrap();
    options.set("authentication", "all").unwrap();
    assert_eq!(options, before);
}

/// Words that the table does not pair with their values.
#[test]
fn words_stand_for_the_values_that_they_name() {
    let text = "congestion=dctcp,ecn=on,reconfiguration=on,scheduler=fair-bandwidth,\
                multipath=concurrent,dead_peer_timeout=off,potentially_failed_max_retrans=0";
    let expected = Options {
        congestion: CongestionAlgorithm::Dctcp,
        ecn: ExplicitCongestion::On,
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        scheduler: StreamScheduler::FairBandwidth,
        multipath: Multipath::Concurrent(ConcurrentTransfer::default()),
        dead_peer_timeout: None,
        potentially_failed_max_retrans: Some(0),
        ..Options::default()
    };
    assert_eq!(text.parse(), Ok(expected));
    for (name, algorithm) in [
        ("cubic", CongestionAlgorithm::Cubic),
        ("highspeed", CongestionAlgorithm::HighSpeed),
        ("bbr", CongestionAlgorithm::Bbr),
        ("new-reno", CongestionAlgorithm::NewReno),
        ("ecn-discrimination", CongestionAlgorithm::EcnDiscrimination),
    ] {
        let options: Options = format!("ecn=on,congestion={name}").parse().unwrap();
        assert_eq!(options.congestion, algorithm);
    }
    let options: Options = "congestion=early-decrease:heartbeat:144".parse().unwrap();
    let (trigger, factor) = (DecreaseTrigger::Heartbeat, 144);
    let expected = CongestionAlgorithm::EarlyDecrease { trigger, factor };
    assert_eq!(options.congestion, expected);
}

// 056 was 56, and names were refused.
#[test]
fn code_points_are_read_by_number_and_by_name() {
    for (text, dscp) in [
        ("46", 46),
        ("056", 46),
        ("0x2e", 46),
        ("EF", 46),
        ("af11", 10),
        ("AF43", 38),
        ("cs0", 0),
        ("CS7", 56),
        ("le", 1),
        ("lowdelay", 4),
    ] {
        let options: Options = format!("dscp={text}").parse().unwrap();
        assert_eq!(options.dscp, dscp, "{text}");
    }
    for text in ["64", "0100", "0x40", "af14", "af51", "cs8", "x", "-1"] {
        assert!(fault(&format!("dscp={text}")).contains("0 to 63, or a name: ef"));
    }
}
