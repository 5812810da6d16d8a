use super::*;

/// Both ends of a connection, in one thread.
struct Pair {
    now: Instant,
    client: Session,
    server: Session,
    room: Vec<u8>,
}

/// Output of one end.
#[derive(Default)]
struct Said {
    datagrams: Vec<Vec<u8>>,
    packets: Vec<Vec<u8>>,
    connected: usize,
}

impl Pair {
    fn new(client: &Dtls, server: &Dtls) -> Self {
        let now = Instant::now();
        let settings = |dtls| Settings::new(dtls, Limit::Time).unwrap();
        Self {
            now,
            client: Session::new(&settings(client), Role::Client, now),
            server: Session::new(&settings(server), Role::Server, now),
            room: vec![0; ROOM],
        }
    }

    fn say(session: &mut Session, now: Instant, room: &mut [u8]) -> Result<Said, DtlsError> {
        let mut said = Said::default();
        loop {
            match session.poll(now, room)? {
                Output::Datagram(length) => said.datagrams.push(room[..length].to_vec()),
                Output::Packet(length) => said.packets.push(room[..length].to_vec()),
                Output::Connected => said.connected += 1,
                Output::Rest(_) => return Ok(said),
                Output::Larger(_) | Output::Closed | Output::More => {}
            }
        }
    }

    fn client_says(&mut self) -> Result<Said, DtlsError> {
        Self::say(&mut self.client, self.now, &mut self.room)
    }

    fn server_says(&mut self) -> Result<Said, DtlsError> {
        Self::say(&mut self.server, self.now, &mut self.room)
    }

    /// Exchanges datagrams until both ends are connected.
    fn shake_hands(&mut self) -> Result<(), DtlsError> {
        match self.connected()? {
            2 => Ok(()),
            _ => Err(DtlsError::NoHandshake),
        }
    }

    /// Exchanges datagrams; returns the number of connected ends.
    fn connected(&mut self) -> Result<usize, DtlsError> {
        let mut connected = 0;
        self.client.handle_timeout(self.now)?;
        self.server.handle_timeout(self.now)?;
        for _ in 0..10 {
            let said = self.client_says()?;
            connected += said.connected;
            for datagram in said.datagrams {
                self.server.handle(&datagram)?;
            }
            let said = self.server_says()?;
            connected += said.connected;
            for datagram in said.datagrams {
                self.client.handle(&datagram)?;
            }
        }
        Ok(connected)
    }
}

fn certificate() -> Dtls {
    Dtls::with_certificate(Identity::generate().unwrap())
}

#[test]
fn another_pre_shared_key_is_no_handshake() {
    let dtls = |key: &str| Dtls::with_pre_shared_key("lab", key);
    let mut pair = Pair::new(&dtls("one key, sixteen"), &dtls("another, sixteen"));
    assert!(pair.shake_hands().is_err());
}

#[test]
fn records_are_no_longer_than_told_and_a_replayed_one_is_dropped() {
    for version in [DtlsVersion::V1_2, DtlsVersion::V1_3] {
        let dtls = certificate().with_version(version);
        let mut pair = Pair::new(&dtls, &dtls);
        pair.shake_hands().unwrap();
        let packet = [7; 1200];
        pair.client.seal(&packet).unwrap();
        let records = pair.client_says().unwrap().datagrams;
        assert_eq!(records.len(), 1);
        let overhead = records[0].len() - packet.len();
        assert!(
            overhead <= usize::from(crate::dtls::RECORD_OVERHEAD),
            "{overhead}"
        );
        for (copy, arrived) in [1, 0, 0].into_iter().enumerate() {
            pair.server.handle(&records[0]).unwrap();
            let packets = pair.server_says().unwrap().packets;
            assert_eq!(packets.len(), arrived, "{version:?}, copy {copy}");
        }
    }
}

#[test]
fn a_forged_or_damaged_record_ends_no_connection() {
    for version in [DtlsVersion::V1_2, DtlsVersion::V1_3] {
        let dtls = certificate().with_version(version);
        let mut pair = Pair::new(&dtls, &dtls);
        pair.shake_hands().unwrap();
        pair.client.seal(b"first").unwrap();
        let record = pair.client_says().unwrap().datagrams.remove(0);
        for place in 0..record.len() {
            let mut damaged = record.clone();
            damaged[place] ^= 0x40;
            pair.server.handle(&damaged).unwrap();
            assert!(
                pair.server_says().unwrap().packets.is_empty(),
                "byte {place}"
            );
            pair.server.handle(&record[..place]).unwrap();
            assert!(
                pair.server_says().unwrap().packets.is_empty(),
                "cut at {place}"
            );
        }
        // An unencrypted fatal alert, which anyone can send.
        let alert = [21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40];
        pair.server.handle(&alert).unwrap();
        pair.server.handle(&record).unwrap();
        assert_eq!(pair.server_says().unwrap().packets, [b"first"]);
    }
}

/// The first datagram of an answer arrives late, after others and after records of a forgotten
/// connection.
#[test]
fn what_comes_before_the_first_answer_ends_no_handshake() {
    for version in [DtlsVersion::Newest, DtlsVersion::V1_2, DtlsVersion::V1_3] {
        let dtls = certificate().with_version(version);
        let mut pair = Pair::new(&dtls, &dtls);
        pair.client.handle_timeout(pair.now).unwrap();
        let certificate = [
            22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 2, 0, 13, 11, 0, 3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 7,
        ];
        for stray in [
            &[46, 1, 2, 3, 4, 5, 6, 7][..],
            &[23, 254, 253, 0, 1],
            &certificate,
        ] {
            pair.client.handle(stray).unwrap();
        }
        pair.shake_hands().unwrap();
    }
}

#[test]
fn the_secrets_of_both_versions_reach_the_key_log_by_their_names() {
    for (version, names) in [
        (DtlsVersion::V1_2, &["CLIENT_RANDOM"][..]),
        (
            DtlsVersion::V1_3,
            &[
                "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
                "SERVER_HANDSHAKE_TRAFFIC_SECRET",
                "CLIENT_TRAFFIC_SECRET_0",
                "SERVER_TRAFFIC_SECRET_0",
            ][..],
        ),
    ] {
        let path =
            std::env::temp_dir().join(format!("sheave-keys-{version:?}-{}", std::process::id()));
        let (client, server) = (path.with_extension("client"), path.with_extension("server"));
        let dtls = |path| certificate().with_version(version).logging_keys_to(path);
        Pair::new(&dtls(&client), &dtls(&server))
            .shake_hands()
            .unwrap();
        let read = |path| {
            let text = std::fs::read_to_string(path).unwrap();
            std::fs::remove_file(path).unwrap();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let (client, server) = (read(&client), read(&server));
        assert_eq!(client, server, "both ends derive the same secrets");
        for name in names {
            let line = client
                .iter()
                .find(|line| line.split(' ').next() == Some(name));
            let line = line.unwrap_or_else(|| panic!("{name} is missing in {client:?}"));
            let fields: Vec<&str> = line.split(' ').collect();
            assert_eq!(fields[1].len(), 64, "the random of the ClientHello");
            assert!(
                [64, 96].contains(&fields[2].len()),
                "a secret of 32 or 48 bytes: {line}"
            );
        }
    }
}

/// OpenSSL with an RSA certificate answers with alert 40.
#[test]
fn an_alert_for_want_of_anything_in_common_is_named() {
    for version in [DtlsVersion::Newest, DtlsVersion::V1_2, DtlsVersion::V1_3] {
        let dtls = certificate().with_version(version);
        for (alert, named) in [(40, true), (43, true), (80, false)] {
            let mut pair = Pair::new(&dtls, &dtls);
            pair.client.handle_timeout(pair.now).unwrap();
            pair.client_says().unwrap();
            let record = [21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, alert];
            let error = pair.client.handle(&record).unwrap_err();
            assert_eq!(
                error == DtlsError::NothingInCommon,
                named,
                "{version:?}: {error}"
            );
        }
    }
}
