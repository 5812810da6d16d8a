//! What the library has for the program: packets to carry and callbacks, given without the lock.
//!
//! One thread at a time calls back, and one at a time gives packets; what other threads add
//! meanwhile, or the program itself from a callback, the same thread goes on with. So packets of a
//! connection stay in order, and nothing is called twice at once.
//!
//! Callbacks come from the library's thread, and from calls that take in packets or run timers. Other
//! calls make them only where the library has no thread.

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

/// Longest time that the end of a socket or a connection waits for a callback that is under way.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes that a callback for a message takes at most.
const MOST: usize = 1 << 30;
/// Room for what describes a message.
const CONTROL: usize = 256;
/// The flag of an upcall: it must not wait.
const DONT_WAIT: c_int = 1;

/// A callback that is due.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    Receive(Number),
    Upcall(Number),
    Room(Number),
}

/// A call of the program that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errand {
    thread: ThreadId,
    about: About,
}

/// The thing that a call of the program is about.
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

/// The arguments of a callback for a message; no data for the end.
struct Delivery {
    address: SockStore,
    data: Option<bytes::Bytes>,
    info: RcvInfo,
    flags: c_int,
    ulp_info: Opaque,
}

/// Gives the program what there is for it.
pub(crate) fn deliver() {
    carry();
    call_back();
}

/// Gives the program what a call of its own has left: the packets at once, the callbacks by the library's
/// thread where it has one. The program may hold a lock over the call that it takes in its callbacks.
pub(crate) fn deliver_after_call() {
    carry();
    if !is_left_to_worker() {
        call_back();
    }
}

/// Wakes the library's thread where callbacks are due that nobody is making; whether there is that thread.
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
    // SAFETY: the program's own function, with the address that it has registered and a buffer that
    // is the call's alone. A packet that it cannot send is lost, as on any network.
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
            // SAFETY: the program's own function; the data is its own from now on.
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
    /// The call that a task amounts to now; `None` where its reason is gone.
    fn prepare(&mut self, task: Task) -> Option<(Number, Call)> {
        match task {
            Task::Receive(number) => self.next_delivery(number),
            Task::Upcall(number) => {
                let open = self.open(number).ok()?;
                open.handle.upcall_due = Due::No;
                let (callback, argument) = open.handle.upcall?;
                // A program accepts when it is told that somebody calls, and may end where nobody does.
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
        // Errors stay where they are: no callback tells of them, but `SO_ERROR` and the events do.
        if open.stack.next_length(now, id).unwrap_or(0) == 0 {
            open.handle.receive_due = Due::No;
            // An end is told once, when nothing is left of the association.
            if open.stack.ended(id) == open.handle.ends_told {
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
        let assoc = open.stack.next_assoc(id).map_or(0, i32::cast_unsigned);
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
            // Of a notification there is nothing else to say.
            info: RcvInfo {
                assoc,
                ..received::info(&control)
            },
            flags,
            ulp_info,
        };
        // More may follow; it waits behind what is due already.
        self.tasks.push_back(Task::Receive(number));
        Some((number, Call::Receive(callback, number, Box::new(delivery))))
    }

    /// Whether another thread is calling the program about that.
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

/// Waits until no other thread is calling the program about that, a second at most: the program may
/// free what belongs to it.
pub(crate) fn await_end_of_calls(about: About) {
    await_that(|host| !host.is_busy_with(about));
}

/// Gives the program the packets for an address that wait, or waits until the thread has that gives
/// packets already, a second at most: they may be the last of an association.
pub(crate) fn carry_what_waits_for(address: Opaque) {
    carry();
    await_that(|host| {
        let own = thread::current().id();
        let is_own = host.carrying.is_none_or(|errand| errand.thread == own);
        let mut waiting = host.connections.packets.iter();
        is_own || waiting.all(|packet| packet.address != address)
    });
}

/// Waits until something is so, a second at most.
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

/// The code with which a call fails that would have to wait.
pub(crate) const WOULD_BLOCK: Errno = Errno::EAGAIN;
