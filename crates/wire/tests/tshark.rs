//! A second opinion: what is written is decoded by `tshark` without a complaint, to the same
//! values, in raw IP and over UDP.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use sheave_wire::{
    Abort, Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Auth, Cause, Causes, Chunk,
    CommonHeader, CookieEcho, Data, DataFlags, ErrorChunk, ForwardTsn, GapBlock, Heartbeat, Init,
    List, PacketWriter, Parameter, Parameters, Ppid, RawChunk, RawParameter, Sack, Shutdown,
    ShutdownComplete, SkippedStream, Ssn, StreamId, TagReflection, TlvList, Tsn, Vtag,
};

/// A packet and a display filter that matches it.
struct Frame {
    sctp: Vec<u8>,
    filter: &'static str,
}

/// Packets of different associations, since `tshark` follows TSNs from packet to packet.
struct Capture {
    name: &'static str,
    frames: Vec<Frame>,
}

impl Capture {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            frames: Vec::new(),
        }
    }

    fn add(&mut self, filter: &'static str, chunks: &[Chunk<'_>]) {
        let number = u16::try_from(self.frames.len()).unwrap() + 1;
        let header = CommonHeader {
            source_port: 40_000 + number,
            destination_port: 5001,
            vtag: Vtag(0x0102_0000 + u32::from(number)),
        };
        let mut sctp = Vec::new();
        let mut writer = PacketWriter::new(&mut sctp, header, 1452);
        for chunk in chunks {
            assert!(writer.fits(chunk));
            writer.push(chunk);
        }
        writer.finish();
        self.frames.push(Frame { sctp, filter });
    }

    /// The capture file that holds every packet inside `carrier`.
    fn write(&self, carrier: Carrier) -> CaptureFile {
        // pcap 2.4, microseconds, packets of up to 65535 bytes that begin with an IP header.
        let mut bytes = Vec::new();
        for number in [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 65535, 101] {
            bytes.extend(number.to_be_bytes());
        }
        for (index, frame) in (0_u32..).zip(&self.frames) {
            let packet = carrier.wrap(&frame.sctp);
            let len = u32::try_from(packet.len()).unwrap();
            for number in [index, 0, len, len] {
                bytes.extend(number.to_be_bytes());
            }
            bytes.extend(packet);
        }
        let name = format!("sheave-{}-{}-{carrier:?}.pcap", process::id(), self.name);
        let file = CaptureFile(env::temp_dir().join(name));
        fs::write(&file.0, bytes).unwrap();
        file
    }
}

/// The protocol that carries an SCTP packet.
#[derive(Clone, Copy, Debug)]
enum Carrier {
    /// IPv4, protocol 132.
    RawIp,
    /// IPv4, UDP port 9899 (RFC 6951).
    Udp,
}

impl Carrier {
    fn wrap(self, sctp: &[u8]) -> Vec<u8> {
        match self {
            Self::RawIp => ipv4(132, sctp),
            Self::Udp => {
                let len = u16::try_from(8 + sctp.len()).unwrap().to_be_bytes();
                let port = 9899_u16.to_be_bytes();
                ipv4(17, &[&port[..], &port, &len, &[0, 0], sctp].concat())
            }
        }
    }
}

fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(20 + payload.len()).unwrap().to_be_bytes();
    let mut packet = vec![0x45, 0, high, low, 0, 0, 0x40, 0, 64, protocol, 0, 0];
    packet.extend([192, 0, 2, 1, 192, 0, 2, 2]);
    packet.extend(payload);
    packet
}

/// A file that is removed when it is no longer needed.
struct CaptureFile(PathBuf);

impl Drop for CaptureFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The numbers of the frames of which `filter` is true.
fn frames_with(file: &Path, filter: &str) -> Vec<usize> {
    let output = Command::new("tshark")
        .arg("-r")
        .arg(file)
        .args([
            "-o",
            "sctp.checksum:CRC 32c",
            "-o",
            "sctp.relative_tsns:FALSE",
        ])
        .args(["-Y", filter, "-T", "fields", "-e", "frame.number"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let numbers = String::from_utf8(output.stdout).unwrap();
    numbers
        .lines()
        .map(|number| number.parse().unwrap())
        .collect()
}

/// Asserts that `tshark` finds every frame as its filter says and has no complaint about any.
fn assert_decoded(capture: &Capture, carrier: Carrier) {
    let file = capture.write(carrier);
    let all: Vec<usize> = (1..=capture.frames.len()).collect();

    let good = frames_with(&file.0, "sctp.checksum.status == 1");
    assert_eq!(good, all, "frames whose checksum is found good");

    let complaints = frames_with(&file.0, "_ws.malformed || _ws.expert.severity >= 4194304");
    assert_eq!(
        complaints, [0; 0],
        "frames that are found malformed, or worth a remark"
    );

    let each = (1..).zip(&capture.frames);
    let filter: Vec<String> = each
        .map(|(number, frame)| format!("(frame.number=={number} && {})", frame.filter))
        .collect();
    let as_written = frames_with(&file.0, &filter.join(" || "));
    for (number, frame) in (1..).zip(&capture.frames) {
        assert!(
            as_written.contains(&number),
            "frame {number} is not {}",
            frame.filter
        );
    }
}

fn tshark_is_missing() -> bool {
    let missing = Command::new("tshark").arg("--version").output().is_err();
    if missing {
        println!("skipped: no tshark on this machine");
    }
    missing
}

#[test]
fn tshark_decodes_every_chunk_parameter_and_cause_to_what_was_written() {
    if tshark_is_missing() {
        return;
    }
    let mut capture = Capture::new("all");
    add_data(&mut capture);
    add_control(&mut capture);
    add_parameters(&mut capture);
    add_causes(&mut capture);
    add_authenticated_address_changes(&mut capture);
    assert_decoded(&capture, Carrier::RawIp);
    assert_decoded(&capture, Carrier::Udp);
}

#[test]
fn tshark_finds_a_flipped_bit() {
    if tshark_is_missing() {
        return;
    }
    let mut capture = Capture::new("flipped");
    capture.add("sctp", &[Chunk::CookieAck]);
    capture.add("sctp", &[Chunk::CookieAck]);
    capture.frames[1].sctp[5] ^= 0x10;
    let file = capture.write(Carrier::RawIp);
    assert_eq!(frames_with(&file.0, "sctp.checksum.status == 1"), [1]);
    assert_eq!(frames_with(&file.0, "sctp.checksum.status == 0"), [2]);
}

fn data(flags: DataFlags, tsn: u32, payload: &[u8]) -> Chunk<'_> {
    Chunk::Data(Data {
        flags,
        tsn: Tsn(tsn),
        stream: StreamId(0x0506),
        ssn: Ssn(0x0708),
        ppid: Ppid(0x090a_0b0c),
        payload,
    })
}

fn add_data(capture: &mut Capture) {
    let whole = DataFlags::BEGINNING.union(DataFlags::ENDING);
    capture.add(
        "sctp.chunk_type==0 && sctp.data_tsn_raw==4294967295 && sctp.data_sid==0x0506 && \
         sctp.data_ssn==0x0708 && sctp.data_payload_proto_id==0x090a0b0c && sctp.data_b_bit==1 && \
         sctp.data_e_bit==1 && sctp.data_u_bit==0 && sctp.data_i_bit==0 && data.data==68:65:6c:6c:6f",
        &[data(whole, u32::MAX, b"hello")],
    );
    capture.add(
        "sctp.data_u_bit==1 && sctp.data_i_bit==1 && sctp.data_b_bit==1 && sctp.chunk_length==17",
        &[data(
            whole
                .union(DataFlags::UNORDERED)
                .union(DataFlags::IMMEDIATE),
            1,
            b"x",
        )],
    );
    capture.add(
        "sctp.data_b_bit==1 && sctp.data_e_bit==0 && sctp.data_tsn_raw==7",
        &[data(DataFlags::BEGINNING, 7, b"a fragment")],
    );
    capture.add(
        "sctp.data_tsn_raw==1 && sctp.data_tsn_raw==2 && sctp.data_tsn_raw==3 && count(sctp.data_sid)==3",
        &[data(whole, 1, b"1"), data(whole, 2, b"22"), data(whole, 3, b"333")],
    );
}

fn add_control(capture: &mut Capture) {
    capture.add(
        "sctp.chunk_type==3 && sctp.sack_cumulative_tsn_ack_raw==100 && sctp.sack_a_rwnd==65536 && \
         sctp.sack_number_of_gap_blocks==2 && sctp.sack_gap_block_start==2 && \
         sctp.sack_gap_block_end==3 && sctp.sack_gap_block_start==5 && sctp.sack_gap_block_end==9 \
         && sctp.sack_number_of_duplicated_tsns==1 && sctp.sack_duplicate_tsn==99",
        &[Chunk::Sack(Sack {
            cumulative_tsn_ack: Tsn(100),
            a_rwnd: 65536,
            gap_blocks: List::from(&[GapBlock { start: 2, end: 3 }, GapBlock { start: 5, end: 9 }]),
            duplicates: List::from(&[Tsn(99)]),
            packets: 0,
        })],
    );
    capture.add(
        "sctp.chunk_type==4 && sctp.parameter_heartbeat_information==61:62:63:64:65",
        &[Chunk::Heartbeat(Heartbeat { info: b"abcde" })],
    );
    capture.add(
        "sctp.chunk_type==5 && sctp.parameter_heartbeat_information==61:62:63:64",
        &[Chunk::HeartbeatAck(Heartbeat { info: b"abcd" })],
    );
    capture.add(
        "sctp.chunk_type==7 && sctp.shutdown_cumulative_tsn_ack==0x01020304",
        &[Chunk::Shutdown(Shutdown {
            cumulative_tsn_ack: Tsn(0x0102_0304),
        })],
    );
    capture.add(
        "sctp.chunk_type==8 && sctp.chunk_length==4",
        &[Chunk::ShutdownAck],
    );
    capture.add(
        "sctp.chunk_type==10 && sctp.cookie==01:02:03:04:05",
        &[Chunk::CookieEcho(CookieEcho {
            cookie: &[1, 2, 3, 4, 5],
        })],
    );
    capture.add(
        "sctp.chunk_type==11 && sctp.chunk_length==4",
        &[Chunk::CookieAck],
    );
    for (filter, reflected) in [
        (
            "sctp.chunk_type==14 && sctp.shutdown_complete_t_bit==0",
            TagReflection::Own,
        ),
        (
            "sctp.chunk_type==14 && sctp.shutdown_complete_t_bit==1",
            TagReflection::Reflected,
        ),
    ] {
        capture.add(
            filter,
            &[Chunk::ShutdownComplete(ShutdownComplete { reflected })],
        );
    }
    for (filter, reflected) in [
        (
            "sctp.chunk_type==6 && sctp.abort_t_bit==0",
            TagReflection::Own,
        ),
        (
            "sctp.chunk_type==6 && sctp.abort_t_bit==1",
            TagReflection::Reflected,
        ),
    ] {
        capture.add(
            filter,
            &[Chunk::Abort(Abort {
                reflected,
                causes: Causes::EMPTY,
            })],
        );
    }
    capture.add(
        "sctp.chunk_type==0xbe && sctp.chunk_flags==0x5a && sctp.chunk_value==01:02 && \
         sctp.chunk_type==11",
        &[
            Chunk::Unknown(RawChunk::parse(&[0xbe, 0x5a, 0, 6, 1, 2]).unwrap()),
            Chunk::CookieAck,
        ],
    );
    add_forward_tsn(capture);
}

fn add_forward_tsn(capture: &mut Capture) {
    let skipped = [(3, 65_535), (700, 2)].map(|(stream, ssn)| SkippedStream {
        stream: StreamId(stream),
        ssn: Ssn(ssn),
    });
    let mut bytes = Vec::new();
    let chunk = ForwardTsn {
        new_cumulative_tsn: Tsn(0xfedc_ba98),
        skipped: List::from(&skipped),
    };
    chunk.write(&mut bytes);
    capture.add(
        "sctp.chunk_type==192 && sctp.forward_tsn_tsn==0xfedcba98 && \
         sctp.forward_tsn_sid==3 && sctp.forward_tsn_ssn==65535 && \
         sctp.forward_tsn_sid==700 && sctp.forward_tsn_ssn==2",
        &[Chunk::Unknown(RawChunk::parse(&bytes).unwrap())],
    );
}

fn add_parameters(capture: &mut Capture) {
    let init = |parameters| Init {
        initiate_tag: Vtag(0x0a0b_0c0d),
        a_rwnd: 131_072,
        outbound_streams: 10,
        inbound_streams: 65535,
        initial_tsn: Tsn(0x1112_1314),
        parameters,
    };
    let parameters = [
        Parameter::Ipv4Address([192, 0, 2, 7].into()),
        Parameter::Ipv6Address("2001:db8::7".parse().unwrap()),
        Parameter::CookiePreservative { increment: 1000 },
        Parameter::SupportedAddressTypes(List::from(&[5, 6, 11])),
        Parameter::EcnCapable,
        Parameter::Unknown(RawParameter::parse(&[0xbf, 0xfe, 0, 7, 1, 2, 3]).unwrap()),
    ];
    capture.add(
        "sctp.chunk_type==1 && sctp.init_initiate_tag==0x0a0b0c0d && sctp.init_credit==131072 && \
         sctp.init_nr_out_streams==10 && sctp.init_nr_in_streams==65535 && \
         sctp.init_initial_tsn==0x11121314 && sctp.parameter_ipv4_address==192.0.2.7 && \
         sctp.parameter_ipv6_address==2001:db8::7 && sctp.parameter_cookie_preservative_incr==1000 \
         && sctp.parameter_supported_address_type==5 && sctp.parameter_supported_address_type==6 && \
         sctp.parameter_supported_address_type==11 && sctp.parameter_type==0x8000 && \
         sctp.parameter_type==0xbffe && sctp.parameter_value==01:02:03",
        &[Chunk::Init(init(Parameters::from(&parameters)))],
    );
    let host_name = [Parameter::HostNameAddress(b"host.example\0")];
    capture.add(
        "sctp.chunk_type==1 && sctp.parameter_hostname==\"host.example\"",
        &[Chunk::Init(init(Parameters::from(&host_name)))],
    );
    let parameters = [
        Parameter::StateCookie(b"chips"),
        Parameter::UnrecognizedParameter(&[0xc0, 0xfe, 0, 8, 1, 2, 3, 4]),
    ];
    capture.add(
        "sctp.chunk_type==2 && sctp.initack_initiate_tag==0x0a0b0c0d && sctp.initack_credit==131072 \
         && sctp.initack_nr_out_streams==10 && sctp.initack_nr_in_streams==65535 && \
         sctp.initack_initial_tsn==0x11121314 && sctp.parameter_state_cookie==63:68:69:70:73 && \
         sctp.parameter_type==8 && sctp.parameter_type==0xc0fe",
        &[Chunk::InitAck(init(Parameters::from(&parameters)))],
    );
    capture.add(
        "sctp.chunk_type==1 && sctp.chunk_length==20",
        &[Chunk::Init(init(Parameters::EMPTY))],
    );
}

/// RFC 4895 and RFC 5061.
fn add_authenticated_address_changes(capture: &mut Capture) {
    let mut auth = Vec::new();
    Auth {
        key: 2,
        algorithm: 1,
        hmac: &[7; 20],
    }
    .write(&mut auth);
    let auth = Chunk::Unknown(RawChunk::parse(&auth).unwrap());
    let address = std::net::IpAddr::from([192, 0, 2, 8]);
    let requests = [
        AsconfRequest::Add { id: 77, address },
        AsconfRequest::SetPrimary { id: 78, address },
        AsconfRequest::Delete { id: 79, address },
    ];
    let mut asconf = Vec::new();
    Asconf {
        serial: 4711,
        address,
        requests: TlvList::from(&requests),
    }
    .write(&mut asconf);
    let asconf = Chunk::Unknown(RawChunk::parse(&asconf).unwrap());
    capture.add(
        "sctp.chunk_type==15 && sctp.hmac_id==1 && sctp.shared_key_id==2 && \
         sctp.chunk_type==193 && sctp.asconf_seq_nr_number==4711 && sctp.correlation_id==77 && \
         sctp.correlation_id==79 && sctp.parameter_ipv4_address==192.0.2.8 && \
         sctp.parameter_type==0xc001 && sctp.parameter_type==0xc002 && sctp.parameter_type==0xc004",
        &[auth, asconf],
    );
    let quoted = [0xc0, 0x04, 0, 16, 0, 0, 0, 78, 0, 5, 0, 8, 192, 0, 2, 8];
    let causes = [Cause::NotAuthorized(&quoted)];
    let outcomes = [
        AsconfOutcome::Success { id: 77 },
        AsconfOutcome::Failure {
            id: 78,
            causes: Causes::from(&causes),
        },
    ];
    let mut ack = Vec::new();
    AsconfAck {
        serial: 4711,
        outcomes: TlvList::from(&outcomes),
    }
    .write(&mut ack);
    let ack = Chunk::Unknown(RawChunk::parse(&ack).unwrap());
    capture.add(
        "sctp.chunk_type==128 && sctp.asconf_ack_seq_nr_number==4711 && sctp.correlation_id==77 && \
         sctp.parameter_type==0xc005 && sctp.parameter_type==0xc003",
        &[ack],
    );
    let parameters = [
        Parameter::Random(&[9; 32]),
        Parameter::ChunkList(&[0xc1, 0x80]),
        Parameter::RequestedHmacs(List::from(&[3, 1])),
        Parameter::AdaptationLayerIndication(0x0a0b_0c0d),
    ];
    capture.add(
        "sctp.parameter_type==0x8002 && sctp.random_number[0]==9 && \
         sctp.chunk_type_to_auth==193 && sctp.hmac_id==3 && \
         sctp.adaptation_layer_indication==0x0a0b0c0d",
        &[Chunk::Init(Init {
            initiate_tag: Vtag(0x0a0b_0c0d),
            a_rwnd: 131_072,
            outbound_streams: 10,
            inbound_streams: 65535,
            initial_tsn: Tsn(0x1112_1314),
            parameters: Parameters::from(&parameters),
        })],
    );
}

fn add_causes(capture: &mut Capture) {
    let ipv4 = [0, 5, 0, 8, 192, 0, 2, 9];
    let unrecognized = [0xc0, 0xfe, 0, 4, 0xc0, 0xff, 0, 5, 1];
    let causes: [(&'static str, Cause<'_>); 14] = [
        ("cause_code==1 && sctp.cause_stream_identifier==7", {
            Cause::InvalidStreamIdentifier(StreamId(7))
        }),
        (
            "cause_code==2 && sctp.cause_nr_of_missing_parameters==3 && \
             sctp.cause_missing_parameter_type==7 && sctp.cause_missing_parameter_type==6",
            Cause::MissingMandatoryParameter(List::from(&[7, 5, 6])),
        ),
        (
            "cause_code==3 && sctp.cause_measure_of_staleness==1000000",
            {
                Cause::StaleCookie {
                    staleness: 1_000_000,
                }
            },
        ),
        (
            "cause_code==4 && sctp.cause_length==4",
            Cause::OutOfResource,
        ),
        ("cause_code==5 && sctp.parameter_ipv4_address==192.0.2.9", {
            Cause::UnresolvableAddress(&ipv4)
        }),
        (
            "cause_code==6 && sctp.chunk_type==0xfe && sctp.chunk_value==01:02",
            { Cause::UnrecognizedChunkType(&[0xfe, 0, 0, 6, 1, 2]) },
        ),
        (
            "cause_code==7 && sctp.cause_length==4",
            Cause::InvalidMandatoryParameter,
        ),
        (
            "cause_code==8 && sctp.parameter_type==0xc0fe && sctp.parameter_type==0xc0ff",
            { Cause::UnrecognizedParameters(&unrecognized) },
        ),
        (
            "cause_code==9 && sctp.cause_tsn==0x01020304",
            Cause::NoUserData(Tsn(0x0102_0304)),
        ),
        (
            "cause_code==10 && sctp.cause_length==4",
            Cause::CookieReceivedWhileShuttingDown,
        ),
        (
            "cause_code==11 && sctp.parameter_ipv4_address==192.0.2.9",
            { Cause::RestartWithNewAddresses(&ipv4) },
        ),
        (
            "cause_code==12 && sctp.cause_information==62:79:65",
            Cause::UserInitiatedAbort(b"bye"),
        ),
        ("cause_code==13 && sctp.cause_information==6f:6f:70:73", {
            Cause::ProtocolViolation(b"oops")
        }),
        ("cause_code==200 && sctp.cause_information==01", {
            Cause::Unknown {
                code: 200,
                value: &[1],
            }
        }),
    ];
    for (filter, cause) in &causes {
        let filter: &'static str = Box::leak(format!("sctp.chunk_type==9 && sctp.{filter}").into());
        let causes = [*cause, Cause::OutOfResource];
        // The second cause shows that the first is padded as it must be.
        let alone = Causes::from(&causes[..1]);
        capture.add(filter, &[Chunk::Error(ErrorChunk { causes: alone })]);
        let reflected = TagReflection::Own;
        let both = Chunk::Abort(Abort {
            reflected,
            causes: Causes::from(&causes),
        });
        capture.add("sctp.chunk_type==6 && sctp.cause_code==4", &[both]);
    }
}
