//! An SCTP echo server on a Cortex-M4 without an operating system.
//!
//! Packets travel in SLIP frames over a serial line, as in the UDP datagrams of RFC 6951. The engine
//! gets time, packets and a seed from the board, and hands out packets and events.
#![no_std]
#![no_main]

extern crate alloc;

mod clock;
mod echo;
mod entropy;
mod frame;
mod heap;
mod slip;
mod stack;
mod uart;

use alloc::vec::Vec;

use cortex_m_rt::entry;
use cortex_m_semihosting::hprintln;
use panic_semihosting as _;
use sheave_engine::{Datagram, Ecn, Node};

use echo::EchoServer;

/// Longest packet that is read, bytes: the header of a frame and 1500 bytes.
const LONGEST: usize = frame::HEADER + 1500;

#[entry]
fn main() -> ! {
    heap::start();
    let mut board = cortex_m::Peripherals::take().expect("taken once");
    clock::start(&mut board.SYST);
    uart::start();
    let mut server = EchoServer::new(entropy::seed());
    let mut arriving = slip::Decoder::new(LONGEST);
    let mut leaving = Vec::new();
    hprintln!(
        "listening on SCTP port {}; heap: {} bytes in use",
        echo::PORT,
        heap::used()
    );
    loop {
        let byte = uart::received();
        let frame = byte.and_then(|byte| arriving.push(byte));
        let now = clock::now();
        if let Some((remote, payload)) = frame.and_then(frame::parse) {
            let datagram = Datagram {
                local: echo::ADDRESS,
                remote,
                ecn: Ecn::NotEct,
                payload,
            };
            server.endpoint.handle_datagram(now, datagram);
        } else if server.endpoint.poll_timeout().is_some_and(|due| due <= now) {
            server.endpoint.handle_timeout(now);
        } else {
            if byte.is_none() {
                // Until the next byte or tick.
                cortex_m::asm::wfi();
            }
            continue;
        }
        server.echo(now);
        while let Some(transmit) = server.endpoint.poll_transmit(now, &mut leaving, 1) {
            if let Some(header) = frame::header(transmit.remote) {
                slip::write(header.iter().chain(&leaving), uart::send);
            }
        }
    }
}
