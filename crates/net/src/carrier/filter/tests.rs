use super::super::ports;
use super::*;

/// Runs the BPF program as the kernel would.
fn accepts(program: &[Instruction], packet: &[u8]) -> bool {
    let half = |at: usize| u32::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
    let (mut a, mut x, mut pc) = (0_u32, 0_usize, 0_usize);
    loop {
        let Instruction { code, jt, jf, k } = program[pc];
        pc += 1;
        let jump = |taken: bool| usize::from(if taken { jt } else { jf });
        match code {
            LDX_MSH => x = 4 * usize::from(packet[k as usize] & 15),
            LDB_IND => a = u32::from(packet[x + k as usize]),
            LDB_ABS => a = u32::from(packet[k as usize]),
            JEQ => pc += jump(a == k),
            LDH_IND => a = half(x + k as usize),
            LDH_ABS => a = half(k as usize),
            JGE => pc += jump(a >= k),
            JGT => pc += jump(a > k),
            RET => return k != 0,
            other => panic!("instruction {other:#x}"),
        }
    }
}

fn to_port(port: u16, ip_header: usize) -> Vec<u8> {
    let mut packet = vec![0; ip_header + 16];
    if ip_header > 0 {
        packet[0] = 0x40 | u8::try_from(ip_header / 4).unwrap();
    }
    packet[ip_header + 2..ip_header + 4].copy_from_slice(&port.to_be_bytes());
    packet
}

#[test]
fn a_filter_accepts_its_ports_and_no_others() {
    let owned = [1..=1, 7..=9, 5000..=5000, u16::MAX..=u16::MAX];
    for (at, header) in [
        (HeaderAt::Start, 0),
        (HeaderAt::AfterIpv4, 20),
        (HeaderAt::AfterIpv4, 60),
    ] {
        let program = instructions(at, &owned);
        for port in (0..=u16::MAX).step_by(3).chain([1, 7, 8, 5000, u16::MAX]) {
            assert_eq!(
                accepts(&program, &to_port(port, header)),
                owned.iter().any(|range| range.contains(&port)),
                "port {port}"
            );
        }
    }
}

#[test]
fn without_ports_an_init_alone_is_accepted() {
    for (at, header) in [(HeaderAt::Start, 0), (HeaderAt::AfterIpv4, 24)] {
        let program = instructions(at, &[]);
        let mut packet = to_port(80, header);
        assert!(!accepts(&program, &to_port(0, header)));
        assert!(!accepts(&program, &packet));
        packet[header + 12] = 1;
        assert!(accepts(&program, &packet));
    }
}

#[test]
fn a_filter_of_all_ranges_that_ports_come_in_is_short_enough_for_the_kernel() {
    let ranges = vec![1..=1; ports::MAX_RANGES];
    assert!(instructions(HeaderAt::AfterIpv4, &ranges).len() < 4096);
}
