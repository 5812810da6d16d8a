use super::*;

#[test]
fn addresses_of_both_families_are_read_as_they_were_written() {
    let addresses: Vec<SocketAddr> = ["192.0.2.1:5000", "[2001:db8::1]:5001"]
        .map(|text| text.parse().unwrap())
        .into();
    let bytes: Vec<u8> = addresses
        .iter()
        .flat_map(|address| Abi::LINUX.address_bytes(*address))
        .collect();
    assert_eq!(bytes.len(), 16 + 28);
    assert_eq!(Abi::LINUX.addresses(&bytes), Ok(addresses));
}

#[test]
fn every_field_lies_within_its_struct_and_touches_no_other() {
    use Struct as S;
    let all = [
        S::InitMsg,
        S::SndRcvInfo,
        S::SndInfo,
        S::RcvInfo,
        S::NxtInfo,
        S::PrInfo,
        S::AuthInfo,
        S::RtoInfo,
        S::AssocParams,
        S::Primary,
        S::PeerAddrParams,
        S::SackInfo,
        S::AssocValue,
        S::StreamValue,
        S::PeerAddrInfo,
        S::Status,
        S::PeerAddrThresholds,
        S::PeerAddrThresholdsV2,
        S::PrStatus,
        S::DefaultPrInfo,
        S::ResetStreams,
        S::AddStreams,
        S::Event,
        S::UdpEncaps,
        S::ProbeInterval,
        S::AssocStats,
        S::PlainEvent,
        S::AssocChange,
        S::PeerAddrChange,
        S::RemoteError,
        S::SendFailed,
        S::SendFailedEvent,
        S::ShutdownEvent,
        S::AdaptationEvent,
        S::PartialDeliveryEvent,
        S::AuthKeyEvent,
        S::SenderDryEvent,
        S::StreamResetEvent,
        S::AssocResetEvent,
        S::StreamChangeEvent,
    ];
    for (abi, one) in [Abi::LINUX, Abi::USRSCTP]
        .into_iter()
        .flat_map(|abi| all.map(|one| (abi, one)))
    {
        let layout = abi.layout(one);
        let mut used = vec![false; layout.size];
        for (field, offset, width) in layout.fields {
            for byte in &mut used[*offset..offset + width] {
                assert!(!*byte, "{abi:?} {one:?}: {field:?} lies on another field");
                *byte = true;
            }
        }
    }
}

#[test]
fn a_number_that_is_set_is_read_again_from_its_own_bytes() {
    let bytes = Record::new(Abi::LINUX, Struct::AssocParams)
        .set_signed(Field::Assoc, -7)
        .set(Field::CookieLife, 60_000_u32)
        .into_bytes();
    let view = View::exactly(Abi::LINUX, Struct::AssocParams, &bytes).unwrap();
    assert_eq!((view.assoc(), view.u32(Field::CookieLife)), (-7, 60_000));
    assert_eq!(bytes[16..20], 60_000_u32.to_ne_bytes());
}

#[test]
fn a_pointer_stands_in_the_address_of_a_connection() {
    let abi = Abi::USRSCTP_CONNECTIONS;
    for pointer in [0, 1, 0x7fff_1234_5678_9abc, u64::MAX] {
        let address = SocketAddr::new(Abi::connection(pointer), 5000);
        let bytes = abi.address_bytes(address);
        assert_eq!(bytes.len(), 16);
        assert_eq!(bytes[8..], pointer.to_ne_bytes());
        assert_eq!(abi.address(&bytes), Ok(address));
        assert_eq!(Abi::pointer(address.ip()), Some(pointer));
    }
    assert_eq!(Abi::pointer("fd00::1".parse().unwrap()), None);
    assert_eq!(
        abi.address(&Abi::LINUX.address_bytes("192.0.2.1:1".parse().unwrap())),
        Err(Errno::EAFNOSUPPORT)
    );
}
