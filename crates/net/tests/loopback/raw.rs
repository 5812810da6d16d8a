use std::io::ErrorKind;
use std::net::{IpAddr, Ipv6Addr};
use std::thread;

use sheave::error::BindError;
use sheave::{Association, Config, Endpoint, Target};

use crate::pair::{LONG, localhost, next, number_of, numbered, quick, within};

/// A raw IP endpoint; `None`, with a word on why, where this process may not have one.
fn raw_endpoint(ip: IpAddr) -> Option<Endpoint> {
    match Endpoint::bind(Config::raw_ip([ip])) {
        Ok(endpoint) => Some(endpoint),
        Err(error @ BindError::NoPermission) => {
            println!("skipped: {error}");
            None
        }
        // What the kernel calls invalid would be our own mistake.
        Err(BindError::Address { error, .. })
            if ip.is_ipv6() && error.kind() != ErrorKind::InvalidInput =>
        {
            println!("skipped: no IPv6 here ({error})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Two raw stacks with an association to `port`; and whatever must stay alive for it.
fn raw_pair(
    client: IpAddr,
    server: IpAddr,
    port: u16,
) -> Option<(Association, Association, [Endpoint; 2])> {
    let (client, server_endpoint) = (raw_endpoint(client)?, raw_endpoint(server)?);
    let listener = server_endpoint.listen(port, quick()).unwrap();
    let target = Target::over_ip([server], port).with_options(quick());
    let near = client.connect_timeout(target, LONG).unwrap();
    let far = listener.accept_timeout(LONG).unwrap();
    Some((near, far, [client, server_endpoint]))
}

fn transfer(near: &Association, far: &Association, messages: u32) {
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..messages {
                near.send(numbered(0, number, 5000)).unwrap();
            }
        });
        for number in 0..messages {
            assert_eq!(number_of(&next(far).message.payload), number);
        }
    });
}

#[test]
fn messages_travel_over_raw_ipv4() {
    within(LONG, || {
        if let Some((near, far, _endpoints)) = raw_pair(localhost(21), localhost(22), 5021) {
            transfer(&near, &far, 200);
            near.shutdown().unwrap();
            assert_eq!(far.receive(), Ok(None));
        }
    });
}

#[test]
fn messages_travel_over_raw_ipv6() {
    within(LONG, || {
        let ip = Ipv6Addr::LOCALHOST.into();
        if let Some((near, far, _endpoints)) = raw_pair(ip, ip, 5022) {
            transfer(&near, &far, 200);
            near.shutdown().unwrap();
            assert_eq!(far.receive(), Ok(None));
        }
    });
}

#[test]
fn raw_stacks_on_the_same_addresses_leave_each_others_associations_alone() {
    within(LONG, || {
        let (client, server) = (localhost(23), localhost(24));
        let Some((near, far, endpoints)) = raw_pair(client, server, 5023) else {
            return;
        };
        let (other_near, other_far, _others) = raw_pair(client, server, 5024).unwrap();
        transfer(&near, &far, 100);
        transfer(&other_near, &other_far, 100);
        transfer(&near, &far, 100);
        let seen: u64 = endpoints
            .iter()
            .map(|endpoint| endpoint.stats().out_of_the_blue)
            .sum();
        assert_eq!(seen, 0, "packets of the other stacks came in");
        near.shutdown().unwrap();
        other_near.shutdown().unwrap();
    });
}
