use super::*;

/// Runs the program on a call, as the kernel would.
fn verdict(program: &[sock_filter], arch: u32, call: libc::c_long, args: [u64; 3]) -> u32 {
    let mut seen = [0_u8; 64];
    seen[0..4].copy_from_slice(&u32::try_from(call).unwrap().to_le_bytes());
    seen[4..8].copy_from_slice(&arch.to_le_bytes());
    for (index, arg) in args.iter().enumerate() {
        seen[16 + 8 * index..24 + 8 * index].copy_from_slice(&arg.to_le_bytes());
    }
    let (mut at, mut accumulator) = (0, 0_u32);
    loop {
        let instruction = program[at];
        let code = u32::from(instruction.code);
        at += 1;
        let jump = |yes: bool| usize::from(if yes { instruction.jt } else { instruction.jf });
        match code {
            _ if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS => {
                let offset = usize::try_from(instruction.k).unwrap();
                let bytes = seen[offset..offset + 4].try_into().unwrap();
                accumulator = u32::from_le_bytes(bytes);
            }
            _ if code == libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K => {
                at += jump(accumulator == instruction.k);
            }
            _ if code == libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K => {
                at += jump(accumulator >= instruction.k);
            }
            _ if code == libc::BPF_ALU | libc::BPF_AND | libc::BPF_K => {
                accumulator &= instruction.k;
            }
            _ if code == libc::BPF_RET => return instruction.k,
            _ => panic!("an instruction that the program should not have: {code:#x}"),
        }
    }
}

fn traps(call: libc::c_long, args: [u64; 3]) -> bool {
    let program = program(Base(512), Closing::Free);
    verdict(&program, ARCHITECTURE, call, args) == libc::SECCOMP_RET_USER_NOTIF
}

#[test]
fn sockets_of_sctp_are_trapped_and_others_are_not() {
    assert!(traps(libc::SYS_socket, [2, 1, 132]));
    assert!(traps(libc::SYS_socket, [10, 5 | 0o2_000_000, 132]));
    assert!(traps(libc::SYS_socket, [2, 5, 0]));
    assert!(!traps(libc::SYS_socket, [2, 1, 0]));
    assert!(!traps(libc::SYS_socket, [1, 5, 0]));
    assert!(!traps(libc::SYS_socket, [2, 2, 17]));
}

#[test]
fn calls_on_descriptors_from_the_base_on_are_trapped() {
    for &call in ON_SOCKET {
        assert!(traps(call, [512, 0, 0]), "{call}");
        assert!(!traps(call, [511, 0, 0]), "{call}");
        assert!(!traps(call, [u64::from(u32::MAX), 0, 0]), "{call}");
    }
}

#[test]
fn a_ring_that_is_set_up_is_trapped_whatever_its_arguments() {
    assert!(traps(libc::SYS_io_uring_setup, [1, 3, 3]));
}

#[test]
fn calls_on_two_descriptors_are_trapped_for_either() {
    let with = |place: u32, number: u64| {
        let mut args = [3; 3];
        args[usize::try_from(place).unwrap()] = number;
        args
    };
    for &(call, first, second) in ON_TWO {
        for place in [first, second] {
            assert!(traps(call, with(place, 512)), "{call}");
            assert!(!traps(call, with(place, 511)), "{call}");
            assert!(!traps(call, with(place, u64::from(u32::MAX))), "{call}");
        }
    }
}

#[test]
fn the_kernel_looks_at_32_bits_of_a_descriptor_and_so_does_the_filter() {
    assert!(traps(libc::SYS_read, [512 | 1 << 32, 0, 0]));
    assert!(!traps(libc::SYS_read, [3 | 1 << 40, 0, 0]));
}

#[test]
fn waiting_and_closing_are_never_trapped() {
    for call in [
        libc::SYS_ppoll,
        libc::SYS_epoll_ctl,
        libc::SYS_epoll_pwait,
        libc::SYS_pselect6,
        libc::SYS_close,
        libc::SYS_execve,
    ] {
        assert!(!traps(call, [600, 600, 600]), "{call}");
    }
}

#[test]
fn of_fcntl_and_ioctl_only_what_the_host_must_answer_is_trapped() {
    assert!(traps(libc::SYS_fcntl, [512, 0, 0]));
    assert!(traps(libc::SYS_fcntl, [512, 1030, 0]));
    assert!(!traps(libc::SYS_fcntl, [512, 4, 0]));
    assert!(traps(libc::SYS_ioctl, [512, 0x541b, 0]));
    assert!(traps(libc::SYS_ioctl, [512, 0x5411, 0]));
    assert!(!traps(libc::SYS_ioctl, [512, 0x5421, 0]));
}

#[test]
fn close_is_trapped_where_that_is_asked_for() {
    let program = program(Base(512), Closing::Trapped);
    let trapped =
        |call, args| verdict(&program, ARCHITECTURE, call, args) == libc::SECCOMP_RET_USER_NOTIF;
    assert!(trapped(libc::SYS_close, [512, 0, 0]));
    assert!(!trapped(libc::SYS_close, [4, 0, 0]));
    assert!(trapped(libc::SYS_close_range, [3, 0xffff_ffff, 0]));
}

#[test]
fn calls_of_another_architecture_pass() {
    let program = program(Base(3), Closing::Free);
    let seen = verdict(&program, 0x4000_0003, libc::SYS_read, [512, 0, 0]);
    assert_eq!(seen, libc::SECCOMP_RET_ALLOW);
}
