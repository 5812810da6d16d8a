use std::net::IpAddr;
use std::time::Duration;

use crate::Config;
use crate::config::{CarrierKind, Offload, PortSharing};

#[test]
fn a_text_sets_what_it_names() {
    let text = "local=127.0.0.1, local = ::1,udp_port=0,socket_buffer=1 MiB,offload=off,backlog=7,\
                workers=2,busy_poll=50 us,linger=1.5 s,port_sharing=with-successor,max_memory=1 GiB";
    let config: Config = text.parse().unwrap();
    assert_eq!(
        config.local,
        ["127.0.0.1", "::1"].map(|ip| ip.parse::<IpAddr>().unwrap())
    );
    assert_eq!(config.carrier, CarrierKind::Udp { port: 0 });
    assert_eq!(config.socket_buffer, 1 << 20);
    assert_eq!(config.offload, Offload::Off);
    assert_eq!((config.backlog, config.workers.get()), (7, 2));
    assert_eq!(config.busy_poll, Duration::from_micros(50));
    assert_eq!(config.linger, Duration::from_millis(1500));
    assert_eq!(config.port_sharing, PortSharing::WithSuccessor);
    assert_eq!(config.endpoint.get("max_memory").as_deref(), Some("1 GiB"));
}

#[cfg(feature = "secure")]
#[test]
fn settings_of_protection_are_complete_or_refused() {
    let folder = std::env::temp_dir().join(format!("sheave-text-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let identity = crate::secure::Identity::generate(["an end"]).unwrap();
    let paths = ["cert", "key"].map(|name| folder.join(name).display().to_string());
    for (path, text) in paths.iter().zip(identity.to_pem().unwrap()) {
        std::fs::write(path, text).unwrap();
    }
    let [cert, key] = &paths;
    let print = identity.fingerprint();
    let text = format!(
        "udp_port=0,cert={cert},key={key},fingerprint={print},peer_name=an.end,rekey=10 s,restart_keys={}",
        folder.join("restarts").display()
    );
    let config: Config = text.parse().unwrap();
    assert_eq!(config.secure.unwrap().fingerprint(), print);
    for (text, option) in [
        (format!("cert={cert},key={key}"), "ca"),
        (format!("cert={cert},fingerprint={print}"), "key"),
        (format!("fingerprint={print}"), "cert"),
        ("rekey=10 s".into(), "cert"),
        ("rekey=0 s".into(), "rekey"),
        ("fingerprint=12:34".into(), "fingerprint"),
        (format!("ca={key}"), "ca"),
        (format!("psk_file={key},rekey=10 s"), "psk_file"),
        (format!("cert={key},key={key},fingerprint={print}"), "cert"),
    ] {
        assert_eq!(text.parse::<Config>().unwrap_err().option, option, "{text}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn raw_ip_has_no_udp_port() {
    let config: Config = "carrier=ip".parse().unwrap();
    assert_eq!(config.carrier, CarrierKind::RawIp);
    let error = "carrier=ip,udp_port=9899".parse::<Config>().unwrap_err();
    assert_eq!(error.option, "udp_port");
}

#[test]
fn an_error_names_the_field_and_what_it_must_be() {
    let message = |text: &str| text.parse::<Config>().unwrap_err().to_string();
    assert_eq!(message("local=here"), "local = here: must be an IP address");
    assert_eq!(message("workers=0"), "workers = 0: must be a number from 1");
    assert_eq!(
        message("offload=on"),
        "offload = on: must be automatic or off"
    );
    assert!(message("linger=10").starts_with("linger = 10: must be a time"));
    assert!(message("lingr=10 s").contains("lingr"));
}
