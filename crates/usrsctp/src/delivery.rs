//! Delivers packets and callbacks to the program without holding the lock.
//!
//! Only one thread at a time runs callbacks, and one passes packets. These threads also deliver
//! what other threads, or callbacks, add meanwhile. Packets of a connection therefore stay in
//! order, and callbacks do not overlap.
//!
//! Callbacks run on the library's thread and in calls that handle packets or timers; in other calls
//! only if the library has no thread.

use std::ffi::{c_int, c_void};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use sheave_sockets::{Errno, Incoming, Limits};

use crate::addresses::{SockStore, abi};
use crate::border::{self, Opaque};
use crate::calls::received;
use crate::connections::Packet;
use crate::handles::{Due, Number, RcvInfo, ReceiveCallback, Socket};
use crate::host::{self, Host};

/// Longest wait for a running callback when a socket or connection ends.
const PATIENCE: Duration = Duration::from_secs(1);
/// Largest message passed to a callback, bytes.
const MOST: usize = 1 << 30;
/// Size of the buffer for a message's description, bytes.
const CONTROL: usize = 256;
/// The flag of an upcall: do not block.
const DONT_WAIT: c_int = 1;

/// A pending callback.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    Receive(Number),
    Upcall(Number),
    Room(Number),
}

/// A running call into the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errand {
    thread: ThreadId,
    about: About,
}

/// The subject of a call into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    Socket(Number),
    Address(Opaque),
}

/// A callback with its arguments.
enum Call {
    Receive(ReceiveCallback, Number, Box<Delivery>),
    Upcall(crate::handles::Upcall, Number, Opaque),
    Room(crate::handles::SendCallback, Number, u32, Opaque),
}

/// Arguments of the receive callback; no data at end of stream.
struct Delivery {
    address: SockStore,
    data: Option<bytes::Bytes>,
    info: RcvInfo,
    flags: c_int,
    ulp_info: Opaque,
}

/// Delivers pending packets and callbacks.
pub(crate) fn deliver() {
    carry();
    call_back();
}

/// Delivers after a call of the program: packets at once, callbacks on the library's thread if it
/// exists, because the program may hold a lock that its callbacks also take.
pub(crate) fn deliver_after_call() {
    carry();
    if !is_left_to_worker() {
        call_back();
    }
}

/// Wakes the library's thread if callbacks are pending and nobody runs them; returns whether the
/// thread exists.
fn is_left_to_worker() -> bool {
    let mut guard = host::lock();
    let Some(host) = guard.as_mut() else {
        return false;
    };
    let is_due = host.calling.is_none() && !host.tasks.is_empty();
    let Some(worker) = &mut host.worker else {
        return false;
    };
    if is_due {
        worker.hurry(Some(Duration::ZERO));
    }
    true
}

fn carry() {
    let mut guard = host::lock();
    let Some(host) = guard.as_mut() else { return };
    if host.carrying.is_some() {
        return;
    }
    while let Some(host) = guard.as_mut() {
        let (Some(packet), Some(output)) = (
            host.connections.packets.pop_front(),
            host.connections.output,
        ) else {
            break;
        };
        host.carrying = Some(Errand {
            thread: thread::current().id(),
            about: About::Address(packet.address),
        });
        drop(guard);
        give(output, packet);
        guard = host::lock();
    }
    if let Some(host) = guard.as_mut() {
        host.carrying = None;
    }
    host::changed().notify_all();
}

fn give(output: crate::connections::OutputCallback, mut packet: Packet) {
    let buffer = packet.bytes.as_mut_ptr().cast::<c_void>();
    let length = packet.bytes.len();
    // SAFETY: the program's own function, with its registered address and an exclusive buffer. A
    // packet that the program fails to send counts as lost.
    let _ = unsafe {
        output(
            packet.address.pointer(),
            buffer,
            length,
            packet.tos,
            packet.set_df,
        )
    };
}

fn call_back() {
    let mut guard = host::lock();
    let Some(host) = guard.as_mut() else { return };
    if host.calling.is_some() || host.tasks.is_empty() {
        return;
    }
    while let Some(host) = guard.as_mut() {
        let Some(task) = host.tasks.pop_front() else {
            break;
        };
        let Some((number, call)) = host.prepare(task) else {
            continue;
        };
        host.settle(None);
        host.calling = Some(Errand {
            thread: thread::current().id(),
            about: About::Socket(number),
        });
        drop(guard);
        carry();
        make(call);
        guard = host::lock();
    }
    if let Some(host) = guard.as_mut() {
        host.calling = None;
    }
    host::changed().notify_all();
}

/// Calls the program.
fn make(call: Call) {
    match call {
        Call::Receive(callback, number, delivery) => {
            let (data, length) = match &delivery.data {
                Some(bytes) => (border::allocate(bytes), bytes.len()),
                None => (std::ptr::null_mut(), 0),
            };
            let socket: *mut Socket = number.pointer();
            // SAFETY: the program's own function; ownership of the data passes to the program.
            unsafe {
                callback(
                    socket,
                    delivery.address,
                    data,
                    length,
                    delivery.info,
                    delivery.flags,
                    delivery.ulp_info.pointer(),
                );
            }
        }
        Call::Upcall(callback, number, argument) => {
            // SAFETY: the program's own function, with the argument that it gave.
            unsafe { callback(number.pointer(), argument.pointer(), DONT_WAIT) };
        }
        Call::Room(callback, number, room, ulp_info) => {
            // SAFETY: as above.
            unsafe { callback(number.pointer(), room, ulp_info.pointer()) };
        }
    }
}

impl Host {
    /// The call for a task; `None` if its reason has vanished.
    fn prepare(&mut self, task: Task) -> Option<(Number, Call)> {
        match task {
            Task::Receive(number) => self.next_delivery(number),
            Task::Upcall(number) => {
                let open = self.open(number).ok()?;
                open.handle.upcall_due = Due::No;
                let (callback, argument) = open.handle.upcall?;
                // Programs call `accept` in the upcall and may block if nothing is pending.
                let now = open.stack.readiness(open.id());
                let happened = now.readable > 0 || now.writable || now.error.is_some();
                happened.then_some((number, Call::Upcall(callback, number, argument)))
            }
            Task::Room(number) => {
                let handle = self.handles.get_mut(number)?;
                handle.room_due = Due::No;
                let room = u32::try_from(handle.room).unwrap_or(u32::MAX);
                let callback = handle.callbacks.send?;
                let ulp_info = handle.callbacks.ulp_info;
                Some((number, Call::Room(callback, number, room, ulp_info)))
            }
        }
    }

    fn next_delivery(&mut self, number: Number) -> Option<(Number, Call)> {
        let open = self.open(number).ok()?;
        let callback = open.handle.callbacks.receive?;
        let (half, id, now) = (open.handle.half, open.id(), open.now);
        let limits = Limits {
            payload: MOST,
            control: CONTROL,
            flags: DONT_WAIT_FLAG,
        };
        let ulp_info = open.handle.callbacks.ulp_info;
        // No callback reports errors; `SO_ERROR` and the events do.
        if open.stack.next_length(now, id).unwrap_or(0) == 0 {
            open.handle.receive_due = Due::No;
            // The end is reported once, after all data of the association.
            if open.stack.find(id).ok()?.ended() == open.handle.ends_told {
                return None;
            }
            open.handle.ends_told += 1;
            open.handle.receive_due = Due::Yes;
            self.tasks.push_back(Task::Receive(number));
            let delivery = Delivery {
                address: SockStore::NONE,
                data: None,
                info: RcvInfo::default(),
                flags: 0,
                ulp_info,
            };
            return Some((number, Call::Receive(callback, number, Box::new(delivery))));
        }
        let assoc = open.stack.find(id).ok()?.next_assoc();
        let assoc = assoc.map_or(0, i32::cast_unsigned);
        let incoming = open.stack.peek(now, id, limits).ok()?;
        open.stack.consume(now, id, incoming.token);
        let Incoming {
            payload,
            name,
            control,
            flags,
            ..
        } = incoming;
        let address = name.map(|name| SockStore::of(&abi(half).address_bytes(name)));
        let delivery = Delivery {
            address: address.unwrap_or(SockStore::NONE),
            data: Some(payload),
            // A notification has no other description.
            info: RcvInfo {
                assoc,
                ..received::info(&control)
            },
            flags,
            ulp_info,
        };
        // Queues the next message after other pending callbacks.
        self.tasks.push_back(Task::Receive(number));
        Some((number, Call::Receive(callback, number, Box::new(delivery))))
    }

    /// Whether another thread is running a callback about this subject.
    fn is_busy_with(&self, about: About) -> bool {
        let own = thread::current().id();
        [self.calling, self.carrying]
            .into_iter()
            .flatten()
            .any(|errand| errand.thread != own && errand.about == about)
    }
}

/// `MSG_DONTWAIT`.
const DONT_WAIT_FLAG: i32 = libc::MSG_DONTWAIT;

/// Waits up to a second until no other thread runs a callback about this subject, since the program
/// may then free its objects.
pub(crate) fn await_end_of_calls(about: About) {
    await_that(|host| !host.is_busy_with(about));
}

/// Sends the waiting packets for an address, or waits up to a second for the thread that does; they
/// may be an association's last.
pub(crate) fn carry_what_waits_for(address: Opaque) {
    carry();
    await_that(|host| {
        let own = thread::current().id();
        let is_own = host.carrying.is_none_or(|errand| errand.thread == own);
        let mut waiting = host.connections.packets.iter();
        is_own || waiting.all(|packet| packet.address != address)
    });
}

/// Waits up to a second for a condition.
fn await_that(is_so: impl Fn(&Host) -> bool) {
    let began = Instant::now();
    let mut guard = host::lock();
    while guard.as_ref().is_some_and(|host| !is_so(host)) {
        let left = PATIENCE.saturating_sub(began.elapsed());
        if left.is_zero() {
            return;
        }
        guard = match host::changed().wait_timeout(guard, left) {
            Ok((guard, _)) => guard,
            Err(poisoned) => poisoned.into_inner().0,
        };
    }
}

/// The error code of a call that would block.
pub(crate) const WOULD_BLOCK: Errno = Errno::EAGAIN;
