//! The program's sockets, by the pointers that identify them.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_int, c_void};

use sheave_sockets::{Errno, SocketId};

use crate::addresses::SockStore;
use crate::border::Opaque;

/// `struct socket`, an opaque type used only behind pointers.
#[repr(C)]
pub struct Socket {
    _nothing: [u8; 0],
}

/// `struct sctp_rcvinfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RcvInfo {
    pub(crate) stream: u16,
    pub(crate) ssn: u16,
    pub(crate) flags: u16,
    pub(crate) ppid: u32,
    pub(crate) tsn: u32,
    pub(crate) cumulative_tsn: u32,
    pub(crate) context: u32,
    pub(crate) assoc: u32,
}

/// The callback for received messages.
pub type ReceiveCallback = unsafe extern "C" fn(
    socket: *mut Socket,
    address: SockStore,
    data: *mut c_void,
    length: usize,
    info: RcvInfo,
    flags: c_int,
    ulp_info: *mut c_void,
) -> c_int;

/// The callback for free send buffer.
pub type SendCallback =
    unsafe extern "C" fn(socket: *mut Socket, free: u32, ulp_info: *mut c_void) -> c_int;

/// The callback for socket changes.
pub type Upcall = unsafe extern "C" fn(socket: *mut Socket, argument: *mut c_void, flags: c_int);

/// The stack of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Half {
    Internet,
    Connections,
}

/// Whether calls on a socket block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blocking {
    Waits,
    ReturnsAtOnce,
}

/// Whether a callback is pending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Due {
    #[default]
    No,
    Yes,
}

/// Callbacks of a socket, inherited by its accepted and peeled-off sockets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callbacks {
    pub(crate) receive: Option<ReceiveCallback>,
    pub(crate) send: Option<SendCallback>,
    /// Free bytes in the send buffer that trigger the callback.
    pub(crate) threshold: u32,
    pub(crate) ulp_info: Opaque,
}

#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) half: Half,
    pub(crate) id: SocketId,
    pub(crate) callbacks: Callbacks,
    pub(crate) upcall: Option<(Upcall, Opaque)>,
    pub(crate) blocking: Blocking,
    pub(crate) receive_due: Due,
    pub(crate) upcall_due: Due,
    pub(crate) room_due: Due,
    /// Ended associations already reported to the program.
    pub(crate) ends_told: u32,
    /// The listener in whose accept queue the socket is; its callbacks are used meanwhile.
    pub(crate) waits_at: Option<Number>,
    /// Free send buffer at the last check, bytes.
    pub(crate) room: usize,
    /// Counter of changes, for blocked calls.
    pub(crate) changes: u64,
}

impl Handle {
    pub(crate) fn new(half: Half, id: SocketId, callbacks: Callbacks) -> Self {
        Self {
            half,
            id,
            callbacks,
            upcall: None,
            blocking: Blocking::Waits,
            receive_due: Due::No,
            upcall_due: Due::No,
            room_due: Due::No,
            ends_told: 0,
            waits_at: None,
            room: 0,
            changes: 0,
        }
    }

    /// A handle of a socket that derives from this one.
    pub(crate) fn offspring(&self, id: SocketId) -> Self {
        Self {
            blocking: self.blocking,
            ..Self::new(self.half, id, self.callbacks)
        }
    }

    /// Whether sending may block; never with a receive callback.
    pub(crate) const fn sending(&self) -> Blocking {
        match self.callbacks.receive {
            Some(_) => Blocking::ReturnsAtOnce,
            None => self.blocking,
        }
    }
}

/// The number behind a `struct socket *`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number(u64);

/// Distance between numbers, so that pointers look aligned.
const STEP: u64 = 16;
/// The first number, an address that is never mapped.
const FIRST: u64 = STEP;

impl Number {
    /// The number in a pointer passed by the program.
    ///
    /// # Errors
    /// `EBADF` for NULL.
    pub(crate) fn of(socket: *const Socket) -> Result<Self, Errno> {
        match Opaque::of(socket).number() {
            0 => Err(Errno::EBADF),
            number => Ok(Self(number)),
        }
    }

    pub(crate) fn pointer(self) -> *mut Socket {
        Opaque::from_number(self.0).pointer()
    }
}

/// Every socket of the program. Numbers are never reused, even after another initialisation.
#[derive(Debug)]
pub(crate) struct Handles {
    handles: BTreeMap<Number, Handle>,
    numbers: HashMap<(Half, SocketId), Number>,
    next: u64,
}

impl Handles {
    pub(crate) fn new(after: Option<Number>) -> Self {
        Self {
            handles: BTreeMap::new(),
            numbers: HashMap::new(),
            next: after.map_or(FIRST, |number| number.0),
        }
    }

    pub(crate) fn insert(&mut self, handle: Handle) -> Number {
        let number = Number(self.next);
        self.next += STEP;
        self.numbers.insert((handle.half, handle.id), number);
        self.handles.insert(number, handle);
        number
    }

    /// The number of the next socket.
    pub(crate) const fn upcoming(&self) -> Number {
        Number(self.next)
    }

    pub(crate) fn remove(&mut self, number: Number) -> Option<Handle> {
        let handle = self.handles.remove(&number)?;
        self.numbers.remove(&(handle.half, handle.id));
        Some(handle)
    }

    /// Removes sockets in the accept queue of a listener.
    pub(crate) fn remove_waiting_at(&mut self, listener: Number) {
        let waiting = self.handles.iter();
        let waiting: Vec<Number> = waiting
            .filter(|(_, handle)| handle.waits_at == Some(listener))
            .map(|(number, _)| *number)
            .collect();
        for number in waiting {
            self.remove(number);
        }
    }

    pub(crate) fn get(&self, number: Number) -> Option<&Handle> {
        self.handles.get(&number)
    }

    pub(crate) fn get_mut(&mut self, number: Number) -> Option<&mut Handle> {
        self.handles.get_mut(&number)
    }

    pub(crate) fn number(&self, half: Half, id: SocketId) -> Option<Number> {
        self.numbers.get(&(half, id)).copied()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Number, &mut Handle)> {
        self.handles
            .iter_mut()
            .map(|(number, handle)| (*number, handle))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }
}
