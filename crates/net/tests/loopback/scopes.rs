use std::collections::BTreeSet;
use std::net::IpAddr;

use sheave::{Association, Config, Endpoint, Target};

use crate::pair::{LONG, PORT, localhost, quick};

/// An address of this machine's that is not of its loopback interface.
fn outer() -> Option<IpAddr> {
    let all = Endpoint::bind(Config::udp([], 0)).expect("an endpoint");
    let mut ips = all.local_addresses().iter().copied();
    ips.find(|ip| ip.is_ipv4() && !ip.is_loopback())
}

fn remotes(association: &Association) -> BTreeSet<IpAddr> {
    let paths = association.path_stats();
    paths.iter().map(|path| path.remote).collect()
}

/// The addresses that a client and a server see of each other, both with the same kinds of address.
fn seen(connect_to: IpAddr, ips: [IpAddr; 2]) -> [BTreeSet<IpAddr>; 2] {
    let bind = || Endpoint::bind(Config::udp(ips, 0)).expect("an endpoint");
    let (client, server) = (bind(), bind());
    let listener = server.listen(PORT, quick()).expect("a listener");
    let target = Target::over_udp([connect_to], server.udp_port().expect("UDP"), PORT);
    let near = client.connect_timeout(target.with_options(quick()), LONG);
    let near = near.expect("a server");
    let far = listener.accept_timeout(LONG).expect("a client");
    [remotes(&near), remotes(&far)]
}

#[test]
fn a_peer_is_told_addresses_of_its_own_scope_alone() {
    let Some(outer) = outer() else {
        eprintln!("skipped: this machine has a loopback address alone");
        return;
    };
    let ips = [localhost(1), outer];
    for ip in ips {
        let alone = BTreeSet::from([ip]);
        assert_eq!(seen(ip, ips), [alone.clone(), alone], "{ip}");
    }
}
