//! Limits of the machine: copying, checksums, packets through the kernel.

use std::hint::black_box;
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use quinn_udp::{RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use sheave_wire::crc32c;

use crate::cpu_time;
use crate::pair::PACKET;

/// User data in a full packet, bytes.
const PAYLOAD: usize = PACKET - 28;
/// Packets of a train.
const TRAIN: usize = 44;
/// Offset of a copy within its page, bytes. At the original's offset, false dependencies of the
/// processor (4K aliasing) would slow the copy.
const ASIDE: usize = 2000;
/// Minimum CPU time per measurement.
const SAMPLE: Duration = Duration::from_millis(50);

/// Copying speed of one core, bytes per CPU-second, in packet-sized pieces between two buffers that
/// fit in the second-level cache.
#[must_use]
pub fn copying() -> f64 {
    let (from, mut to) = (vec![7; TRAIN * PACKET], vec![0; TRAIN * PACKET + ASIDE]);
    rate(TRAIN * PACKET, || {
        let aside = to.get_mut(ASIDE..).unwrap_or_default();
        for (from, to) in black_box(&from)
            .chunks(PACKET)
            .zip(aside.chunks_mut(PACKET))
        {
            to.copy_from_slice(from);
        }
        black_box(&mut to);
    })
}

/// CRC32c speed of one core, bytes per CPU-second, packet by packet.
#[must_use]
pub fn checksums() -> f64 {
    let packets = vec![7; TRAIN * PACKET];
    rate(TRAIN * PACKET, || {
        for packet in black_box(&packets).chunks(PACKET) {
            black_box(crc32c(packet));
        }
    })
}

/// User bytes per CPU-second of an SCTP that only copies each payload into and out of a packet and
/// computes both checksums: an upper bound for any software SCTP on one core.
#[must_use]
pub fn packets() -> f64 {
    let message = vec![7; TRAIN * PAYLOAD];
    let (mut train, mut arrived) = (vec![0; TRAIN * PACKET], vec![0; TRAIN * PAYLOAD]);
    rate(TRAIN * PAYLOAD, || {
        for (packet, payload) in train.chunks_mut(PACKET).zip(message.chunks(PAYLOAD)) {
            if let Some(body) = packet.get_mut(28..) {
                body.copy_from_slice(payload);
            }
        }
        for packet in black_box(&train).chunks(PACKET) {
            black_box(crc32c(packet));
        }
        for (packet, payload) in train.chunks(PACKET).zip(arrived.chunks_mut(PAYLOAD)) {
            black_box(crc32c(packet));
            payload.copy_from_slice(packet.get(28..).unwrap_or_default());
        }
        black_box(&mut arrived);
    })
}

/// CPU-seconds to send a gigabyte of user data between two UDP sockets on the loopback interface,
/// in trains of 44 packets (GSO, GRO).
pub fn udp() -> io::Result<f64> {
    let (from, to) = (socket()?, socket()?);
    let (sender, receiver) = (
        UdpSocketState::new(UdpSockRef::from(&from))?,
        UdpSocketState::new(UdpSockRef::from(&to))?,
    );
    let segments = TRAIN.min(sender.max_gso_segments());
    let train = vec![7; segments * PACKET];
    let transmit = Transmit {
        destination: to.local_addr()?,
        ecn: None,
        contents: &train,
        segment_size: (segments > 1).then_some(PACKET),
        src_ip: None,
    };
    let mut buffer = vec![0; 1 << 16];
    let mut failure = None;
    let speed = rate(segments * PAYLOAD, || {
        let outcome = sender
            .try_send(UdpSockRef::from(&from), &transmit)
            .and_then(|()| drain(&receiver, &to, &mut buffer, train.len()));
        failure = failure.take().or(outcome.err());
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(1e9 / speed),
    }
}

fn socket() -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket2::SockRef::from(&socket).set_recv_buffer_size(4 << 20)?;
    socket.set_read_timeout(Some(Duration::from_secs(1)))?;
    Ok(socket)
}

/// Receives `missing` bytes.
fn drain(
    state: &UdpSocketState,
    socket: &UdpSocket,
    buffer: &mut [u8],
    mut missing: usize,
) -> io::Result<()> {
    // The sockets are non-blocking; on the loopback interface, sent data arrives at once.
    while missing > 0 {
        let mut slices = [IoSliceMut::new(buffer)];
        let mut metas = [RecvMeta::default()];
        let count = state.recv(UdpSockRef::from(socket), &mut slices, &mut metas)?;
        let got: usize = metas.iter().take(count).map(|meta| meta.len).sum();
        missing = missing.saturating_sub(got);
    }
    Ok(())
}

/// Bytes per CPU-second of this thread, if each call of `work` moves `bytes`.
fn rate(bytes: usize, mut work: impl FnMut()) -> f64 {
    work();
    let begin = cpu_time();
    let mut turns = 0_u32;
    loop {
        for _ in 0..16 {
            work();
        }
        turns += 16;
        let spent = cpu_time() - begin;
        if spent >= SAMPLE {
            return f64::from(turns) * bytes as f64 / spent.as_secs_f64();
        }
    }
}
