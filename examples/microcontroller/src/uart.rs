//! The serial line: the board's first UART (Arm Cortex-M System Design Kit, APB UART).

use core::cell::RefCell;

use cortex_m::interrupt::{self, InterruptNumber, Mutex};
use cortex_m::peripheral::NVIC;
use cortex_m_rt::exception;
use heapless::Deque;

const DATA: *mut u32 = 0x4000_4000 as *mut u32;
const STATE: *mut u32 = 0x4000_4004 as *mut u32;
const CONTROL: *mut u32 = 0x4000_4008 as *mut u32;
const INTERRUPTS: *mut u32 = 0x4000_400c as *mut u32;
const DIVISOR: *mut u32 = 0x4000_4010 as *mut u32;

/// Bits of `STATE`.
const SENDER_FULL: u32 = 1;
const RECEIVER_FULL: u32 = 1 << 1;
/// Bits of `CONTROL`: sender, receiver, and the interrupt of the receiver.
const ON: u32 = 1 | 1 << 1 | 1 << 3;
/// The bit of `INTERRUPTS`.
const RECEIVED: u32 = 1 << 1;
/// The least divisor, thus the fastest line.
const FASTEST: u32 = 16;

/// Bytes that have arrived and were not read. If they are too many, a packet is lost.
static ARRIVED: Mutex<RefCell<Deque<u8, 4096>>> = Mutex::new(RefCell::new(Deque::new()));

#[derive(Clone, Copy)]
struct Arrival;

// SAFETY: the board has this interrupt.
unsafe impl InterruptNumber for Arrival {
    fn number(self) -> u16 {
        0
    }
}

/// Starts the line.
pub fn start() {
    write(DIVISOR, FASTEST);
    write(CONTROL, ON);
    // SAFETY: no critical section relies on the interrupt being masked.
    unsafe { NVIC::unmask(Arrival) };
}

/// The next byte that has arrived.
pub fn received() -> Option<u8> {
    interrupt::free(|cs| ARRIVED.borrow(cs).borrow_mut().pop_front())
}

/// Sends a byte, after those before it.
pub fn send(byte: u8) {
    while read(STATE) & SENDER_FULL != 0 {}
    write(DATA, byte.into());
}

/// The interrupts of the board; `Arrival` is the only one in use.
#[exception]
unsafe fn DefaultHandler(_: i16) {
    // Before the byte is read: the next one can arrive from then on.
    write(INTERRUPTS, RECEIVED);
    if read(STATE) & RECEIVER_FULL != 0 {
        let [byte, ..] = read(DATA).to_le_bytes();
        let _ = interrupt::free(|cs| ARRIVED.borrow(cs).borrow_mut().push_back(byte));
    }
}

fn read(register: *mut u32) -> u32 {
    // SAFETY: the callers' registers exist and only this file uses them.
    unsafe { register.read_volatile() }
}

fn write(register: *mut u32, value: u32) {
    // SAFETY: the callers' registers exist and only this file uses them.
    unsafe { register.write_volatile(value) }
}
