//! The memory that each call lends the host, and what comes back.

use crate::kernel::{self, number};
use crate::lent::{Access, Lent};
use crate::words::Request;

/// No page is smaller, and a process may read or write all of one or nothing.
const PAGE: usize = 4096;
/// Bytes of a socket address, a number, a `struct iovec` and a `struct msghdr`.
const NAME: usize = 128;
const NUMBER: usize = 4;
const IOVEC: usize = 16;
const HEADER: usize = 56;
/// Bytes of a part: enough for a message in a packet.
const MOST: usize = 2048;
/// Buffers of a vector that are lent.
const BUFFERS: usize = 4;
/// Pages that are known at once.
const SEEN: usize = 4;

/// Lends what the call names, as far as the program has it and there is room.
pub(crate) fn lend(request: &Request, lent: &Lent) {
    lent.clear();
    let mut lender = Lender::new(lent);
    let [_, second, third, fourth, fifth, sixth] = request.args.map(|arg| arg as usize);
    match request.number {
        number::WRITE => lender.whole(second, third, Access::Read),
        number::READ => lender.beginning(second, third, Access::Write),
        number::SENDTO => {
            lender.whole(second, third, Access::Read);
            lender.whole(fifth, low_half(sixth), Access::Read);
        }
        number::RECVFROM => {
            lender.beginning(second, third, Access::Write);
            lender.name(fifth, sixth);
        }
        number::SENDMSG => lender.message(second, Access::Read),
        number::RECVMSG => lender.message(second, Access::Write),
        number::WRITEV => lender.vector(second, third, Access::Read),
        number::READV => lender.vector(second, third, Access::Write),
        number::BIND | number::CONNECT => lender.whole(second, low_half(third), Access::Read),
        number::GETSOCKNAME | number::GETPEERNAME | number::ACCEPT | number::ACCEPT4 => {
            lender.name(second, third);
        }
        number::SETSOCKOPT => lender.whole(fourth, low_half(fifth), Access::Read),
        number::GETSOCKOPT => {
            if let Some(room) = lender.number(fifth) {
                lender.whole(fourth, room, Access::Both);
            }
        }
        _ => {}
    }
}

/// Writes what the host has for the program.
pub(crate) fn take_back(lent: &Lent) {
    lent.take(|at, bytes| {
        for (index, byte) in bytes.iter().enumerate() {
            let at = (at as usize).wrapping_add(index) as *mut u8;
            // SAFETY: the host writes to memory that this call has lent it for that, and the program waits
            // for the call's results there.
            unsafe { at.write_volatile(*byte) };
        }
    });
}

fn low_half(arg: usize) -> usize {
    arg & 0xffff_ffff
}

struct Lender<'a> {
    lent: &'a Lent,
    /// The first of the words that are left.
    first: usize,
    /// Pages that the program was seen to have, and with what access.
    seen: [(usize, Access); SEEN],
    next: usize,
}

impl<'a> Lender<'a> {
    fn new(lent: &'a Lent) -> Self {
        let here = 0_u8;
        // The thread has its own stack, where much of what calls name lies.
        let stack = (&raw const here) as usize / PAGE;
        Self {
            lent,
            first: 0,
            seen: [(stack, Access::Both); SEEN],
            next: 0,
        }
    }

    /// Lends a part with all its bytes, unless these are too many.
    fn whole(&mut self, at: usize, length: usize, access: Access) {
        if length <= MOST {
            self.part(at, length, access);
        }
    }

    /// Lends as much of a part as can be.
    fn beginning(&mut self, at: usize, length: usize, access: Access) {
        self.part(at, length.min(MOST), access);
    }

    fn part(&mut self, at: usize, length: usize, access: Access) -> Option<()> {
        if at == 0 || length == 0 || !self.has(at, length, access) {
            return None;
        }
        let word = |index: usize| {
            let offset = 8 * index;
            // SAFETY: the program has just been seen to have that memory.
            unsafe { word_at(at + offset, (length - offset).min(8)) }
        };
        let part = (at as u64, length as u64);
        self.first = self.lent.lend(self.first, part, access, word)?;
        Some(())
    }

    /// Lends a number of 32 bits that the host changes; the number.
    fn number(&mut self, at: usize) -> Option<usize> {
        self.part(at, NUMBER, Access::Both)?;
        // SAFETY: it was lent.
        let number = unsafe { word_at(at, NUMBER) };
        Some(number as usize)
    }

    /// Lends the room for an address, whose length lies elsewhere.
    fn name(&mut self, at: usize, length_at: usize) {
        if at != 0
            && let Some(room) = self.number(length_at)
        {
            self.beginning(at, room.min(NAME), Access::Write);
        }
    }

    /// Lends an array of `struct iovec`, and the buffers that it names.
    fn vector(&mut self, at: usize, count: usize, access: Access) {
        if count > BUFFERS || self.part(at, count * IOVEC, Access::Read).is_none() {
            return;
        }
        for index in 0..count {
            // SAFETY: the array was lent.
            let [buffer, length] =
                [0, 8].map(|offset| unsafe { word_at(at + index * IOVEC + offset, 8) } as usize);
            match access {
                Access::Read => self.whole(buffer, length, access),
                Access::Write | Access::Both => self.beginning(buffer, length, access),
            }
        }
    }

    /// Lends a `struct msghdr`, and what it names.
    fn message(&mut self, at: usize, access: Access) {
        let header = match access {
            Access::Read => Access::Read,
            Access::Write | Access::Both => Access::Both,
        };
        if self.part(at, HEADER, header).is_none() {
            return;
        }
        // SAFETY: the header was lent.
        let word = |offset: usize| unsafe { word_at(at + offset, 8) } as usize;
        self.vector(word(16), word(24), access);
        self.whole(word(0), low_half(word(8)).min(NAME), access);
        self.beginning(word(32), word(40), access);
    }

    /// Whether the program has that memory, and may use it so.
    fn has(&mut self, at: usize, length: usize, access: Access) -> bool {
        let Some(last) = at.checked_add(length - 1) else {
            return false;
        };
        let (mut page, last) = (at / PAGE, last / PAGE);
        while page <= last {
            if !self.has_page(page, (page * PAGE).max(at), access) {
                return false;
            }
            page += 1;
        }
        true
    }

    /// The same for one page, in which `at` lies.
    fn has_page(&mut self, page: usize, at: usize, access: Access) -> bool {
        let suits = |seen: Access| access == Access::Read || seen != Access::Read;
        if self
            .seen
            .iter()
            .any(|&(seen, with)| seen == page && suits(with))
        {
            return true;
        }
        let has = match access {
            Access::Read => kernel::is_readable(at),
            // What may be written to may be read.
            Access::Write | Access::Both => kernel::is_writable(at),
        };
        if has && let Some(place) = self.seen.get_mut(self.next % SEEN) {
            *place = (page, access);
            self.next += 1;
        }
        has
    }
}

/// Up to eight bytes as a word in memory.
///
/// # Safety
/// The program has that memory.
unsafe fn word_at(at: usize, length: usize) -> u64 {
    let mut bytes = [0_u8; 8];
    if length == 8 {
        // SAFETY: as the caller says. Others may write there meanwhile, as in a call of the kernel.
        bytes = unsafe { (at as *const [u8; 8]).read_volatile() };
    } else {
        for (index, byte) in bytes.iter_mut().enumerate().take(length) {
            // SAFETY: as above.
            *byte = unsafe { ((at + index) as *const u8).read_volatile() };
        }
    }
    u64::from_ne_bytes(bytes)
}
