use super::*;

/// The shape of a browser's offer with a microphone beside the data channels.
const OFFER: &str = "v=0\r\no=- 4611 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\n\
    a=extmap-allow-mixed\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111 63\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\n\
    m=application 51234 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 192.0.2.7\r\n\
    a=candidate:1 1 udp 2113937151 192.0.2.7 51234 typ host generation 0\r\n\
    a=candidate:2 1 udp 2113939711 0f3.local 51235 typ host\r\n\
    a=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=ice-options:trickle\r\n\
    a=fingerprint:sha-256 00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13:14:15:16:17:18:19:1A:1B:1C:1D:1E:1F\r\n\
    a=setup:actpass\r\na=mid:data\r\na=sctp-port:5000\r\na=max-message-size:262144\r\n";

#[test]
fn a_browsers_offer_is_understood() {
    let offer: Description = OFFER.parse().unwrap();
    assert_eq!((offer.ufrag.as_str(), offer.ice), ("abcd", IceMode::Full));
    assert_eq!((offer.setup, offer.sctp_port), (Setup::ActPass, 5000));
    assert_eq!(offer.max_message_size, 262_144);
    assert_eq!(offer.candidates.len(), 2);
    assert_eq!(offer.fingerprints[0].as_bytes()[31], 0x1f);
    assert_eq!(offer.mid(), Some("data"));
}

#[test]
fn a_description_survives_its_text() {
    let mut offer: Description = OFFER.parse().unwrap();
    offer.ice = IceMode::Lite;
    offer.sctp_init = Some(vec![1, 0, 0, 20]);
    assert_eq!(offer.to_string().parse::<Description>(), Ok(offer));
}

#[test]
fn other_sections_are_refused_in_their_places() {
    let text = OFFER.parse::<Description>().unwrap().to_string();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("m=")).collect();
    assert!(lines[0].starts_with("m=audio 0 "), "{lines:?}");
    assert!(lines[1].starts_with("m=application 9 "), "{lines:?}");
}

#[test]
fn each_section_keeps_its_protocol() {
    let second = "m=application 9 TCP/DTLS/SCTP webrtc-datachannel\r\na=mid:2\r\n";
    let over_tcp = OFFER.replace("UDP/DTLS/SCTP", "TCP/DTLS/SCTP");
    for (offer, data) in [(OFFER, "UDP"), (over_tcp.as_str(), "TCP")] {
        let offer: Description = format!("{offer}{second}").parse().unwrap();
        let text = offer.to_string();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("m=")).collect();
        let data = format!("m=application 9 {data}/DTLS/SCTP webrtc-datachannel");
        assert_eq!(lines[1], data);
        assert_eq!(lines[2], "m=application 0 TCP/DTLS/SCTP webrtc-datachannel");
    }
}

#[test]
fn a_description_without_data_channels_is_refused() {
    let refused = OFFER.replace("m=application 51234", "m=application 0");
    for text in ["", "v=0\r\n", &refused, &OFFER[..150]] {
        let error = text.parse::<Description>().unwrap_err();
        assert_eq!(error, DescriptionError::NoDataChannels);
    }
}

#[test]
fn the_missing_or_broken_attribute_is_named() {
    let missing = OFFER
        .replace("a=ice-pwd", "a=no-pwd")
        .parse::<Description>();
    assert_eq!(missing, Err(DescriptionError::Missing("ice-pwd")));
    let broken = OFFER.replace(":262144", ":many").parse::<Description>();
    assert_eq!(broken, Err(DescriptionError::Bad("max-message-size")));
    let text = OFFER.to_owned() + "a=sctp-init:no base64\r\n";
    let broken = text.parse::<Description>();
    assert_eq!(broken, Err(DescriptionError::Bad("sctp-init")));
    let other = OFFER.replace("sha-256", "sha-1").parse::<Description>();
    assert_eq!(other, Err(DescriptionError::Missing("fingerprint:sha-256")));
}

#[test]
fn a_message_size_of_any_length_is_a_limit() {
    let largest = OFFER.replace(":262144", ":99999999999999999999999");
    let largest: Description = largest.parse().unwrap();
    assert_eq!(largest.max_message_size, usize::MAX);
}

#[test]
fn an_endless_description_is_not_read() {
    let endless = format!("{OFFER}{}", "a=candidate:x\r\n".repeat(10_000));
    assert_eq!(
        endless.parse::<Description>(),
        Err(DescriptionError::TooLong)
    );
}

#[test]
fn a_peer_that_says_nothing_takes_64_kib_on_port_5000() {
    let short = OFFER.replace("a=max-message-size:262144\r\n", "");
    let short: Description = short.replace("a=sctp-port:5000\r\n", "").parse().unwrap();
    assert_eq!((short.max_message_size, short.sctp_port), (65_536, 5000));
}
