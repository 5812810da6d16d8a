//! The clock: milliseconds counted by the processor's own timer.

use core::cell::Cell;

use cortex_m::interrupt::{self, Mutex};
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use sheave_engine::Time;

/// Clock rate of the processor, Hz.
const RATE: u32 = 25_000_000;

static MILLIS: Mutex<Cell<u64>> = Mutex::new(Cell::new(0));

/// Starts the clock at 0.
pub fn start(timer: &mut SYST) {
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(RATE / 1000 - 1);
    timer.clear_current();
    timer.enable_counter();
    timer.enable_interrupt();
}

/// The time since the start.
pub fn now() -> Time {
    Time::from_millis(interrupt::free(|cs| MILLIS.borrow(cs).get()))
}

#[exception]
fn SysTick() {
    interrupt::free(|cs| {
        let millis = MILLIS.borrow(cs);
        millis.set(millis.get() + 1);
    });
}
