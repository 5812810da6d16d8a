use libc::sock_filter;

use super::program::*;
use super::*;

/// Runs the program as the kernel would, on a UDP payload after an IP header.
fn chosen(program: &[sock_filter], ip: &[u8], payload: &[u8]) -> u32 {
    let bytes = |k: u32| match k.checked_sub(IP) {
        Some(at) => &ip[at as usize..],
        None => &payload[k as usize..],
    };
    let (mut a, mut x, mut pc) = (0_u32, 0_u32, 0_usize);
    loop {
        let sock_filter { code, jt, jf, k } = program[pc];
        pc += 1;
        match code {
            LDW => a = u32::from_be_bytes(bytes(k)[..4].try_into().unwrap()),
            LDB => a = bytes(k)[0].into(),
            TAX => x = a,
            XOR_X => a ^= x,
            MUL => a = a.wrapping_mul(k),
            RSH => a >>= k,
            MOD => a %= k,
            JA => pc += k as usize,
            JEQ => pc += usize::from(if a == k { jt } else { jf }),
            RET_A => return a,
            other => panic!("instruction {other:#x}"),
        }
    }
}

fn header(source: IpAddr) -> Vec<u8> {
    match source {
        IpAddr::V4(ip) => [&[0x45; 12][..], &ip.octets(), &[127, 0, 0, 1]].concat(),
        IpAddr::V6(ip) => [&[0x60; 8][..], &ip.octets(), &[1; 16]].concat(),
    }
}

fn packet(ports: (u16, u16), tag: u32) -> Vec<u8> {
    let words = [ports.0.to_be_bytes(), ports.1.to_be_bytes()];
    [words.as_flattened(), &tag.to_be_bytes()].concat()
}

#[test]
fn a_tag_alone_chooses_the_shard() {
    let program = program(3);
    for tag in [1, 2, 3, 0xFFFF_FFFF] {
        for source in ["192.0.2.1", "2001:db8::7"] {
            let ip = header(source.parse().unwrap());
            assert_eq!(chosen(&program, &ip, &packet((1, 2), tag)), tag % 3);
        }
    }
}

#[test]
fn an_init_reaches_the_shard_chosen_by_its_source_and_ports() {
    let mut met = [0; 4];
    for source in ["192.0.2.1", "127.0.0.1", "2001:db8::7", "::1", "fe80::1:2"] {
        let source: IpAddr = source.parse().unwrap();
        for port in 49_152..49_252 {
            let ports = (port, 5001);
            let told = shard_of_init(source, ports, 4);
            let program = program(4);
            assert_eq!(
                chosen(&program, &header(source), &packet(ports, 0)),
                u32::from(told)
            );
            met[usize::from(told)] += 1;
        }
    }
    assert!(met.iter().all(|count| *count > 75), "{met:?}");
}
