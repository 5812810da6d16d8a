//! Copies memory that a call names into the shared region, and results back.

use crate::kernel::{self, number};
use crate::lent::{Access, Lent};
use crate::words::Request;

/// The smallest page size; access rights hold for a whole page.
const PAGE: usize = 4096;
/// Sizes of a socket address, a number, a `struct iovec` and a `struct msghdr`.
const NAME: usize = 128;
const NUMBER: usize = 4;
const IOVEC: usize = 16;
const HEADER: usize = 56;
/// Largest lent part, bytes: enough for a message in one packet.
const MOST: usize = 2048;
/// Most lent buffers of a vector.
const BUFFERS: usize = 4;
/// Number of cached pages.
const SEEN: usize = 4;

/// Lends the memory that the call names, as far as it is accessible and fits.
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

/// Writes the host's results to the program's memory.
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
    /// Index of the first free word.
    first: usize,
    /// Pages known to be accessible, and how.
    seen: [(usize, Access); SEEN],
    next: usize,
}

impl<'a> Lender<'a> {
    fn new(lent: &'a Lent) -> Self {
        let here = 0_u8;
        // The thread's own stack, which holds most arguments, is writable.
        let stack = (&raw const here) as usize / PAGE;
        Self {
            lent,
            first: 0,
            seen: [(stack, Access::Both); SEEN],
            next: 0,
        }
    }

    /// Lends a part completely, unless it is too large.
    fn whole(&mut self, at: usize, length: usize, access: Access) {
        if length <= MOST {
            self.part(at, length, access);
        }
    }

    /// Lends the beginning of a part.
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

    /// Lends a 32-bit number that the host may change, and returns it.
    fn number(&mut self, at: usize) -> Option<usize> {
        self.part(at, NUMBER, Access::Both)?;
        // SAFETY: it was lent.
        let number = unsafe { word_at(at, NUMBER) };
        Some(number as usize)
    }

    /// Lends an address buffer whose length is at `length_at`.
    fn name(&mut self, at: usize, length_at: usize) {
        if at != 0
            && let Some(room) = self.number(length_at)
        {
            self.beginning(at, room.min(NAME), Access::Write);
        }
    }

    /// Lends an array of `struct iovec` and its buffers.
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

    /// Lends a `struct msghdr` and its buffers.
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

    /// Whether the program has this access to the memory.
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

    /// Whether the program has this access to one page, which contains `at`.
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
            // Writable memory is also readable.
            Access::Write | Access::Both => kernel::is_writable(at),
        };
        if has && let Some(place) = self.seen.get_mut(self.next % SEEN) {
            *place = (page, access);
            self.next += 1;
        }
        has
    }
}

/// Reads up to eight bytes as a word.
///
/// # Safety
/// The program has this memory.
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
