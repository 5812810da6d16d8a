//! The seccomp filter of a program: traps calls that create SCTP sockets and calls on descriptors
//! that may be SCTP sockets.

use libc::sock_filter;

/// The smallest descriptor number that may be an SCTP socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Base(pub(crate) u32);

impl Base {
    /// Above the files of most programs, below `FD_SETSIZE`.
    pub(crate) const HIGH: Self = Self(512);
    /// Above standard input, output and error.
    pub(crate) const LOW: Self = Self(3);
}

/// Whether `close` is trapped; needed if the host cannot see the last close of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    Trapped,
    Free,
}

/// The architecture that this is compiled for (`linux/audit.h`).
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// The bit that marks x32 system calls.
const X32: u32 = 0x4000_0000;

/// The protocol number of SCTP.
const IPPROTO_SCTP: u32 = 132;

/// Offsets in `seccomp_data`; `low_half` relies on little-endian arguments.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const fn low_half(arg: u32) -> u32 {
    16 + 8 * arg
}

/// Trapped calls with a descriptor as the first argument.
const ON_SOCKET: &[libc::c_long] = &[
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_setsockopt,
    libc::SYS_getsockopt,
    libc::SYS_shutdown,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvmmsg,
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    // With offset -1 these act as `readv` and `writev`.
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    // The copy may get a number outside the trapped range.
    libc::SYS_dup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    libc::SYS_dup3,
];

/// Calls with two descriptors, and the indices of these arguments.
const ON_TWO: &[(libc::c_long, u32, u32)] = &[(libc::SYS_sendfile, 0, 1), (libc::SYS_splice, 0, 2)];

const FIONREAD: u32 = 0x541b;
/// Unsent bytes; without a trap, the kernel would report those of the socket pair.
pub(crate) const SIOCOUTQ: u32 = 0x5411;

/// Jump targets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Allow,
    Trap,
    /// Checks the first argument.
    Descriptor,
    /// The next instruction.
    Next,
    /// A label of its own.
    Label(usize),
}

#[derive(Default)]
struct Assembler {
    code: Vec<(u16, u32, To, To)>,
    labels: Vec<usize>,
}

impl Assembler {
    fn load(&mut self, offset: u32) {
        let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        self.push(load, offset, To::Next, To::Next);
    }

    fn jump_if(&mut self, test: u32, value: u32, yes: To, no: To) {
        self.push(libc::BPF_JMP | test | libc::BPF_K, value, yes, no);
    }

    fn push(&mut self, code: u32, value: u32, yes: To, no: To) {
        let code = u16::try_from(code).unwrap_or(0);
        self.code.push((code, value, yes, no));
    }

    fn label(&mut self) -> usize {
        self.labels.push(usize::MAX);
        self.labels.len() - 1
    }

    fn place(&mut self, label: usize) {
        self.labels[label] = self.code.len();
    }

    /// Appends the common tail and resolves jumps.
    fn finish(mut self, base: Base) -> Vec<sock_filter> {
        let descriptor = self.code.len();
        self.load(low_half(0));
        // A negative number is not a descriptor.
        self.jump_if(libc::BPF_JGE, 1 << 31, To::Allow, To::Next);
        self.jump_if(libc::BPF_JGE, base.0, To::Trap, To::Allow);
        let allow = self.code.len();
        self.push(libc::BPF_RET, libc::SECCOMP_RET_ALLOW, To::Next, To::Next);
        let trap = self.code.len();
        let notify = libc::SECCOMP_RET_USER_NOTIF;
        self.push(libc::BPF_RET, notify, To::Next, To::Next);
        let labels = self.labels;
        let distance = |from: usize, to: To| {
            let target = match to {
                To::Allow => allow,
                To::Trap => trap,
                To::Descriptor => descriptor,
                To::Next => from + 1,
                To::Label(label) => labels[label],
            };
            u8::try_from(target - from - 1).expect("the program is shorter than 256 instructions")
        };
        let instruction = |(at, (code, k, yes, no)): (usize, (u16, u32, To, To))| sock_filter {
            code,
            jt: distance(at, yes),
            jf: distance(at, no),
            k,
        };
        self.code.into_iter().enumerate().map(instruction).collect()
    }
}

/// Builds the filter.
pub(crate) fn program(base: Base, closing: Closing) -> Vec<sock_filter> {
    let mut asm = Assembler::default();
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
    asm.load(ARCH);
    asm.jump_if(libc::BPF_JEQ, ARCHITECTURE, To::Next, To::Allow);
    asm.load(NUMBER);
    asm.jump_if(libc::BPF_JGE, X32, To::Allow, To::Next);
    for &call in ON_SOCKET {
        asm.jump_if(libc::BPF_JEQ, number(call), To::Descriptor, To::Next);
    }
    // Calls through io_uring bypass the filter, so the user is warned.
    let ring = number(libc::SYS_io_uring_setup);
    asm.jump_if(libc::BPF_JEQ, ring, To::Trap, To::Next);
    if closing == Closing::Trapped {
        asm.jump_if(
            libc::BPF_JEQ,
            number(libc::SYS_close),
            To::Descriptor,
            To::Next,
        );
        asm.jump_if(
            libc::BPF_JEQ,
            number(libc::SYS_close_range),
            To::Trap,
            To::Next,
        );
    }
    let on_two: Vec<_> = ON_TWO.iter().map(|call| (call, asm.label())).collect();
    for ((call, ..), label) in &on_two {
        asm.jump_if(libc::BPF_JEQ, number(*call), To::Label(*label), To::Next);
    }
    let [socket, fcntl, ioctl] = [(); 3].map(|()| asm.label());
    asm.jump_if(
        libc::BPF_JEQ,
        number(libc::SYS_socket),
        To::Label(socket),
        To::Next,
    );
    asm.jump_if(
        libc::BPF_JEQ,
        number(libc::SYS_fcntl),
        To::Label(fcntl),
        To::Next,
    );
    asm.jump_if(
        libc::BPF_JEQ,
        number(libc::SYS_ioctl),
        To::Label(ioctl),
        To::Allow,
    );

    asm.place(socket);
    asm.load(low_half(2));
    asm.jump_if(libc::BPF_JEQ, IPPROTO_SCTP, To::Trap, To::Next);
    // For SOCK_SEQPACKET, protocol 0 also means SCTP.
    asm.jump_if(libc::BPF_JEQ, 0, To::Next, To::Allow);
    asm.load(low_half(0));
    let inet = asm.label();
    asm.jump_if(
        libc::BPF_JEQ,
        number(libc::AF_INET.into()),
        To::Label(inet),
        To::Next,
    );
    asm.jump_if(
        libc::BPF_JEQ,
        number(libc::AF_INET6.into()),
        To::Next,
        To::Allow,
    );
    asm.place(inet);
    asm.load(low_half(1));
    asm.push(
        libc::BPF_ALU | libc::BPF_AND | libc::BPF_K,
        15,
        To::Next,
        To::Next,
    );
    asm.jump_if(libc::BPF_JEQ, 5, To::Trap, To::Allow);

    asm.place(fcntl);
    asm.load(low_half(1));
    asm.jump_if(
        libc::BPF_JEQ,
        libc::F_DUPFD.unsigned_abs(),
        To::Descriptor,
        To::Next,
    );
    let to_close_on_exec = libc::F_DUPFD_CLOEXEC.unsigned_abs();
    asm.jump_if(libc::BPF_JEQ, to_close_on_exec, To::Descriptor, To::Allow);

    for ((_, first, second), label) in on_two {
        asm.place(label);
        asm.load(low_half(*first));
        let next = asm.label();
        asm.jump_if(libc::BPF_JGE, 1 << 31, To::Label(next), To::Next);
        asm.jump_if(libc::BPF_JGE, base.0, To::Trap, To::Next);
        asm.place(next);
        asm.load(low_half(*second));
        asm.jump_if(libc::BPF_JGE, 1 << 31, To::Allow, To::Next);
        asm.jump_if(libc::BPF_JGE, base.0, To::Trap, To::Allow);
    }

    asm.place(ioctl);
    asm.load(low_half(1));
    asm.jump_if(libc::BPF_JEQ, FIONREAD, To::Descriptor, To::Next);
    asm.jump_if(libc::BPF_JEQ, SIOCOUTQ, To::Descriptor, To::Allow);
    asm.finish(base)
}

#[cfg(test)]
mod tests;
