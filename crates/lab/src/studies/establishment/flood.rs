use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;
use std::time::Instant;

use sheave_engine::{AssocId, Endpoint, Node, Time};
use sheave_sim::{Random, tcp};
use sheave_wire::{Chunk, CommonHeader, Init, PacketWriter, Parameters, Tsn, Vtag};

use super::memory;
use super::pair::{self, CLIENT, LISTENER, PORT};
use crate::Measured;

/// Half-open connections that the TCP listener holds.
const BACKLOG: usize = 128;
/// Honest clients that come in the course of a flood, evenly spread; the first one after a share
/// of it.
pub(super) const HONEST: u16 = 10;
/// From one hostile packet to the next: a million a second.
const BEAT: Duration = Duration::from_micros(1);

/// An address that nobody answers from.
fn spoofed(random: &mut Random) -> IpAddr {
    let [a, b, c, ..] = random.u64().to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(198, a, b, c.max(1)))
}

/// Whether an honest client comes at that packet of the flood.
fn is_honest(number: u64, packets: u64) -> bool {
    let honest = u64::from(HONEST);
    let share = packets / (honest + 1);
    share > 0 && number > 0 && number.is_multiple_of(share) && number / share <= honest
}

/// INITs from everywhere. In between honest clients come.
pub(super) fn sctp(packets: u64, seed: u64) -> Result<Measured, String> {
    let mut random = Random::new(seed).fork("flood");
    let mut listener = pair::listener(&mut random)?;
    let mut client = pair::endpoint(CLIENT, &mut random);
    let (mut now, mut packet, mut reply) = (Time::ZERO, Vec::new(), Vec::new());
    let (mut replies, mut most, mut honest) = (0_u64, 0, 0);
    let mut busy = Duration::ZERO;
    let before = memory::resident();
    for number in 0..packets {
        now = now + BEAT;
        if is_honest(number, packets) {
            honest += usize::from(pair::associate(now, &mut client, &mut listener).is_some());
        }
        write_init(&mut packet, &mut random);
        let from = spoofed(&mut random);
        let began = Instant::now();
        pair::hand_over(&mut listener, now, (from, LISTENER), &packet);
        while listener.poll_transmit(now, &mut reply, 1).is_some() {
            replies += 1;
            reply.clear();
        }
        busy += began.elapsed();
        most = most.max(listener.stats().associations.saturating_sub(honest));
    }
    let measured = Measured::new()
        .with("half_open", most as f64)
        .with("state_bytes", state(&mut listener) as f64)
        .with("honest_connected", honest as f64 / f64::from(HONEST));
    Ok(memory::growth(before, measured)
        .with("replies", replies as f64)
        .with("ns_per_packet", busy.as_nanos() as f64 / packets as f64))
}

/// Bytes that the listener holds for associations beside those of the honest clients, with what
/// users have sent on them.
fn state(listener: &mut Endpoint) -> usize {
    let names: Vec<AssocId> = listener.associations().collect();
    let mut sizes = Vec::new();
    for name in names {
        sizes.extend(listener.assoc(name).map(|assoc| assoc.footprint()));
    }
    sizes.sort_unstable();
    let others = sizes.len().saturating_sub(HONEST.into());
    sizes[..others].iter().sum::<usize>() + listener.stats().buffered
}

fn write_init(packet: &mut Vec<u8>, random: &mut Random) {
    packet.clear();
    let header = CommonHeader {
        source_port: word(random) | 1,
        destination_port: PORT,
        vtag: Vtag(0),
    };
    let init = Init {
        initiate_tag: Vtag(long(random) | 1),
        a_rwnd: 65_536,
        outbound_streams: 10,
        inbound_streams: 10,
        initial_tsn: Tsn(long(random)),
        parameters: Parameters::EMPTY,
    };
    let mut writer = PacketWriter::new(packet, header, 1480);
    writer.push(&Chunk::Init(init));
    writer.finish();
}

/// SYNs from everywhere. In between honest clients come.
pub(super) fn tcp(packets: u64, seed: u64) -> Result<Measured, String> {
    let mut random = Random::new(seed).fork("flood");
    let mut listener = tcp::Stack::new(random.u64());
    let mut client = tcp::Stack::new(random.u64());
    listener
        .listen(PORT, tcp::Options::default(), BACKLOG)
        .map_err(|error| error.to_string())?;
    let (mut now, mut packet, mut reply) = (Time::ZERO, Vec::new(), Vec::new());
    let (mut replies, mut most, mut honest) = (0_u64, 0, 0);
    let mut busy = Duration::ZERO;
    let before = memory::resident();
    for number in 0..packets {
        now = now + BEAT;
        if is_honest(number, packets) {
            honest += u32::from(connects(now, &mut client, &mut listener)?);
        }
        let from = spoofed(&mut random);
        write_syn(&mut packet, from, &mut random);
        let began = Instant::now();
        pair::hand_over(&mut listener, now, (from, LISTENER), &packet);
        while listener.poll_transmit(now, &mut reply, 1).is_some() {
            replies += 1;
            reply.clear();
        }
        busy += began.elapsed();
        most = most.max(listener.len());
    }
    let measured = Measured::new()
        .with("half_open", most as f64)
        .with("honest_connected", f64::from(honest) / f64::from(HONEST));
    Ok(memory::growth(before, measured)
        .with("replies", replies as f64)
        .with("dropped", listener.stats().backlog_drops as f64)
        .with("ns_per_packet", busy.as_nanos() as f64 / packets as f64))
}

fn connects(now: Time, client: &mut tcp::Stack, listener: &mut tcp::Stack) -> Result<bool, String> {
    let options = tcp::Options::default();
    client
        .connect(CLIENT, (LISTENER, PORT), &options)
        .map_err(|error| error.to_string())?;
    pair::settle(now, client, listener);
    let mut connected = false;
    while let Some(event) = client.poll_event() {
        connected |= matches!(event, tcp::Event::Connected(_));
    }
    Ok(connected)
}

fn write_syn(packet: &mut Vec<u8>, from: IpAddr, random: &mut Random) {
    packet.clear();
    let header = tcp::Header {
        source_port: word(random) | 1,
        destination_port: PORT,
        seq: tcp::Seq(long(random)),
        flags: tcp::Flags::SYN,
        window: u16::MAX,
        mss: Some(1460),
        ..tcp::Header::default()
    };
    header.write(packet);
    tcp::seal(packet, from, LISTENER);
}

/// 16 random bits.
fn word(random: &mut Random) -> u16 {
    let [.., a, b] = random.u64().to_be_bytes();
    u16::from_be_bytes([a, b])
}

/// 32 random bits.
fn long(random: &mut Random) -> u32 {
    let [a, b, c, d, ..] = random.u64().to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}
