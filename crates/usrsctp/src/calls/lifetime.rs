//! Initialisation and shutdown of the library.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sheave_sockets::Errno;

use crate::border::{self, Opaque};
use crate::connections::{Checksums, OutputCallback};
use crate::delivery::{self, About};
use crate::handles::Number;
use crate::host::{self, Host};
use crate::internet::Way;
use crate::sysctl;
use crate::waiting::{with_events, with_host};
use crate::worker::Worker;

/// The program's `printf`.
type Print = unsafe extern "C" fn(format: *const c_char, ...);

/// The number of the next socket after another initialisation.
static UPCOMING: Mutex<Option<Number>> = Mutex::new(None);

/// Whether the library has threads of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Threads {
    One,
    None,
}

/// Initialises the library: packets travel over UDP at `port`, or over plain IP for 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_init(
    port: u16,
    output: Option<OutputCallback>,
    print: Option<Print>,
) {
    border::status(|| init(port, output, print, Threads::One));
}

/// Initialises the library without threads: the program calls `usrsctp_handle_timers`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_init_nothreads(
    port: u16,
    output: Option<OutputCallback>,
    print: Option<Print>,
) {
    border::status(|| init(port, output, print, Threads::None));
}

fn init(
    port: u16,
    output: Option<OutputCallback>,
    print: Option<Print>,
    threads: Threads,
) -> Result<(), Errno> {
    let mut guard = host::lock();
    if guard.is_some() {
        return Ok(());
    }
    sysctl::reset();
    sysctl::UDP_TUNNELING_PORT.put(port.into());
    let way = match (port, output) {
        (0, None) => Way::RawIp,
        // The program carries packets itself; network sockets are opened when needed.
        (0, Some(_)) => Way::None,
        (port, _) => Way::Udp(port),
    };
    let after = *UPCOMING.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut host, error) = Host::start(way, output, after)?;
    if threads == Threads::One {
        let worker = Worker::start(host.internet.descriptor()).map_err(|_| Errno::ENOMEM)?;
        host.worker = Some(worker);
    }
    *guard = Some(host);
    drop(guard);
    if let (Some(error), Some(print)) = (error, print) {
        tell(print, &error);
    }
    Ok(())
}

fn tell(print: Print, error: &str) {
    let text = CString::new(format!("libusrsctp on Sheave: {error}\n")).unwrap_or_default();
    // SAFETY: the program's own printf, with a format that takes a text, and a text.
    unsafe { print(c"%s".as_ptr(), text.as_ptr()) };
}

/// Shuts down the library: 0, or -1 while sockets or associations exist.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_finish() -> c_int {
    border::status(|| {
        let mut guard = host::lock();
        let Some(host) = guard.take_if(|host| host.is_idle()) else {
            return match *guard {
                Some(_) => Err(Errno::EBUSY),
                None => Ok(()),
            };
        };
        *UPCOMING.lock().unwrap_or_else(PoisonError::into_inner) = Some(host.handles.upcoming());
        drop(guard);
        host::changed().notify_all();
        if let Some(thread) = host.worker.and_then(Worker::end) {
            // A panicked thread has also ended.
            let _ = thread.join();
        }
        Ok(())
    })
}

/// Advances timers by the given milliseconds, for programs without the library's threads.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_handle_timers(elapsed_milliseconds: u32) {
    border::status(|| {
        with_events(|host| {
            host.clock
                .pass(Duration::from_millis(elapsed_milliseconds.into()));
            host.step();
            Ok(())
        })
    });
}

/// Accepts packets to and from this address.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_register_address(address: *mut c_void) {
    border::status(|| {
        with_host(|host| {
            host.connections.register(Opaque::of(address));
            Ok(())
        })
    });
}

/// Undoes a registration: the program gets no more packets for this address.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_deregister_address(address: *mut c_void) {
    border::status(|| {
        let address = Opaque::of(address);
        delivery::carry_what_waits_for(address);
        with_host(|host| {
            host.connections.deregister(address);
            Ok(())
        })?;
        delivery::await_end_of_calls(About::Address(address));
        Ok(())
    });
}

/// Handles a packet that the program has received on a connection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn usrsctp_conninput(
    address: *mut c_void,
    buffer: *const c_void,
    length: usize,
    ecn_bits: u8,
) {
    border::status(|| {
        // SAFETY: as usrsctp.h says.
        let packet = unsafe { border::bytes(buffer, length) }?;
        with_events(|host| {
            let now = host.clock.now();
            host.connections
                .input(now, Opaque::of(address), packet, ecn_bits);
            Ok(())
        })
    });
}

/// Makes the program compute and verify checksums of `AF_CONN` packets.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_enable_crc32c_offload() {
    border::status(|| set_checksums(Checksums::Program));
}

/// Makes the library compute and verify them again.
#[unsafe(no_mangle)]
pub extern "C" fn usrsctp_disable_crc32c_offload() {
    border::status(|| set_checksums(Checksums::Library));
}

fn set_checksums(checksums: Checksums) -> Result<(), Errno> {
    with_host(|host| {
        host.connections.checksums = checksums;
        Ok(())
    })
}
