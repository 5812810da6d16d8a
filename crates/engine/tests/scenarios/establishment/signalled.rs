//! Associations whose INIT chunks travelled in the signalling (draft-hancke-tsvwg-snap).

use crate::prelude::*;

use super::{assert_works, each_has_one_association, quiet};

fn init(options: &Options, seed: u8) -> Vec<u8> {
    Endpoint::init_chunk(options, [seed; 32]).expect("options in range")
}

fn begin(
    world: &mut World,
    host: HostId,
    options: &Options,
    (ours, theirs): (&[u8], &[u8]),
) -> Result<AssocId, ConnectError> {
    let to = calling_from_port(address(host.other(), 1), options);
    let now = world.now();
    let inits = Inits::new(ours, theirs).expect("two chunks");
    let id = (world.endpoint(host)).connect_with_inits(now, to, inits)?;
    world.set_current(host, id);
    Ok(id)
}

fn both_begin(a: &Options, z: &Options) -> World {
    let mut world = Setup::with(quiet()).world();
    let (from_a, from_z) = (init(a, 1), init(z, 2));
    begin(&mut world, A, a, (&from_a, &from_z)).expect("an association");
    begin(&mut world, Z, z, (&from_z, &from_a)).expect("an association");
    world
}

#[test]
fn an_association_is_up_without_a_packet() {
    let mut world = both_begin(&quiet(), &quiet());
    world.run_for(secs(1));
    assert!(each_has_one_association(&mut world));
    assert!(world.log().is_empty(), "nothing was sent");
    assert_works(&mut world);
    let types: Vec<_> = world.log().iter().flat_map(Record::types).collect();
    assert!(!types.contains(&ChunkType::INIT) && !types.contains(&ChunkType::COOKIE_ECHO));
}

#[test]
fn extensions_and_streams_are_agreed_on_as_in_a_handshake() {
    let modern = parsed("profile=modern,outbound_streams=7");
    let few = parsed("profile=modern,max_inbound_streams=3,partial_reliability=off");
    let mut world = both_begin(&modern, &few);
    world.run_for(secs(1));
    let streams = world.events(A).into_iter().find_map(|event| match event {
        Event::Established {
            outbound_streams, ..
        } => Some(outbound_streams),
        _ => None,
    });
    assert_eq!(streams, Some(3));
    for host in [A, Z] {
        let agreed = world.assoc(host).partial_reliability();
        assert_eq!(agreed, PartialReliability::Off);
    }
    assert_works(&mut world);
}

#[test]
fn an_init_is_one_chunk_that_lists_no_address() {
    let bytes = init(&Profile::Modern.options(), 1);
    let Ok(Chunk::Init(init)) = Chunk::parse(&bytes) else {
        panic!("no INIT");
    };
    assert_ne!(init.initiate_tag.0, 0);
    assert!(bytes.len() < 100, "{} bytes", bytes.len());
}

#[test]
fn a_broken_init_is_refused_and_our_own_is_none_of_the_peers() {
    let mut world = Setup::with(quiet()).world();
    let (ours, theirs) = (init(&quiet(), 1), init(&quiet(), 2));
    let mut other = theirs.clone();
    other[0] = ChunkType::DATA.0;
    assert!(Inits::new(&ours, &ours).is_none());
    let nameless = [&theirs[..4], &[0; 4], &theirs[8..]].concat();
    let pairs: [(&[u8], &[u8]); 5] = [
        (&ours, &[]),
        (&[], &theirs),
        (&ours, &theirs[..theirs.len() / 2]),
        (&ours, &other),
        (&ours, &nameless),
    ];
    for pair in pairs {
        let refused = begin(&mut world, A, &quiet(), pair);
        assert_eq!(refused, Err(ConnectError::BadInit), "{pair:?}");
    }
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

#[test]
fn packets_leave_from_the_one_address_that_the_peer_knows() {
    let options = parsed("profile=modern,path_max_retrans=0");
    let mut world = Setup::with(options.clone()).paths(2).world();
    let (from_a, from_z) = (init(&options, 1), init(&options, 2));
    begin(&mut world, A, &options, (&from_a, &from_z)).expect("an association");
    begin(&mut world, Z, &options, (&from_z, &from_a)).expect("an association");
    world.drop_next(A, ChunkType::HEARTBEAT, 3);
    world.run_for(secs(300));
    assert!(world.is_open(A) && world.is_open(Z));
    for host in [A, Z] {
        let mut sent = world.sent(host);
        assert!(sent.all(|record| record.from == address(host, 1)));
    }
    assert_works(&mut world);
}

/// pion sends such packets: RFC 9653 §5.3 asks for no announcement of its own.
#[test]
fn a_zero_checksum_is_taken_as_announced_whatever_the_peer_announces() {
    let a = quiet_but(|options| options.zero_checksum = ZeroChecksum::Dtls);
    let mut world = both_begin(&a, &quiet());
    world.drop_next(Z, ChunkType::DATA, 1);
    world.send(Z, text(0, "hello"));
    let mut log = world.log().iter();
    let sent = log.rfind(|it| it.has(ChunkType::DATA)).expect("a packet");
    let (from, to, mut bytes) = (sent.from, sent.to, sent.bytes.to_vec());
    bytes[8..12].fill(0);
    world.inject(from, to, None, bytes);
    // Less than the time after which the packet is sent again.
    world.run_for(ms(100));
    assert_eq!(world.messages(A).len(), 1);
}

// Its COOKIE ECHO comes behind AUTH, with keys that the association did not have before.
#[test]
fn an_association_without_keys_takes_a_peer_back_that_restarts_with_keys() {
    let mut chunks = ChunkSet::all();
    chunks.insert(ChunkType::COOKIE_ECHO);
    let options = quiet_but(|it| it.authentication = Authentication::with_key("secret", chunks));
    let mut world = both_begin(&options, &options);
    world.run_for(secs(1));
    let setup = Setup::with(options);
    let fresh = setup.engine(&mut world, &setup.z_addresses);
    world.reboot(Z, fresh);
    world.connect(Z, calling_from_port(address(A, 1), &setup.z));
    world.run_for(secs(5));
    assert!(world.saw(A, &Event::Restarted));
    assert_works(&mut world);
}
