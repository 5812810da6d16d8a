use core::net::IpAddr;

use sheave_engine::{Checksum, EndpointOptions, Options, Time};

use super::flow::{FlowKeys, FlowKind, first, keys};
use super::section::Section;
use super::{CustomAlgorithms, ScenarioError, Watching, quantity, sctp, tcp_options};
use crate::tcp::{self, Framing, Tcp};
use crate::{
    Agent, FileReceiver, FileSender, Files, FtpClient, FtpServer, HttpClient, HttpServer, Program,
    Requests, Sctp,
};

/// Number of streams over which `sheave send` spreads files.
const STREAMS: u16 = 8;

/// The protocol that carries files. The host that starts the flow downloads files over FTP and
/// HTTP, and uploads files over SCTP, as `sheave send` does.
#[derive(Clone, Debug, PartialEq)]
pub enum FileProtocol {
    /// FTP in passive mode, with TCP parameters for both ends.
    Ftp(Box<tcp::Options>),
    /// HTTP/1.1 over one TCP connection.
    Http {
        /// The parameters of both ends.
        options: Box<tcp::Options>,
        /// When the client requests the next file.
        requests: Requests,
    },
    /// The protocol of `sheave send` over one association.
    Sheave {
        /// The parameters of both ends; the number of streams follows from `streams`.
        options: Box<Options>,
        /// Number of streams for files.
        streams: u16,
        /// The keys of a protected association.
        keys: Option<FlowKeys>,
    },
}

pub(super) fn ftp(section: &mut Section<'_>) -> Result<FlowKind, ScenarioError> {
    let options = section.table("tcp", tcp_options::options)?;
    kind(
        section,
        FileProtocol::Ftp(options.unwrap_or_default().into()),
    )
}

pub(super) fn http(section: &mut Section<'_>) -> Result<FlowKind, ScenarioError> {
    let options = section.table("tcp", tcp_options::options)?;
    let words = [
        ("one-by-one", Requests::OneByOne),
        ("pipelined", Requests::Pipelined),
    ];
    let requests = section.choice("requests", &words, Requests::default())?;
    let options = options.unwrap_or_default().into();
    kind(section, FileProtocol::Http { options, requests })
}

pub(super) fn sheave(
    section: &mut Section<'_>,
    own: &CustomAlgorithms,
) -> Result<FlowKind, ScenarioError> {
    let options = section.table("sctp", |table| sctp::options(table, &own.policies))?;
    let options = options.unwrap_or_default();
    let protocol = FileProtocol::Sheave {
        keys: keys(section, &options, own.keys)?,
        options: options.into(),
        streams: section.or("streams", quantity::count, STREAMS)?,
    };
    kind(section, protocol)
}

fn kind(section: &mut Section<'_>, protocol: FileProtocol) -> Result<FlowKind, ScenarioError> {
    let files = section.required_table("files", |section| {
        Ok(Files {
            count: section.required("count", quantity::count)?,
            len: section.required("len", quantity::bytes)?,
        })
    })?;
    Ok(FlowKind::Files { files, protocol })
}

impl FileProtocol {
    /// The agent that starts the flow.
    pub(super) fn client(
        &self,
        files: Files,
        (local, remote): (&[IpAddr], (&[IpAddr], u16)),
        start: Time,
        (checksum, watching): (Checksum, Watching),
        seed: [u8; 32],
    ) -> Box<dyn Agent> {
        let ends = (first(local), (first(remote.0), remote.1));
        match self {
            Self::Ftp(options) => {
                let client = FtpClient::new(ends, files, options.as_ref().clone(), start, seed);
                Box::new(client.with_checksum(checksum))
            }
            Self::Http { options, requests } => {
                let tcp = Tcp::client(ends.0, ends.1, options.as_ref().clone(), seed)
                    .with_framing(Framing::Stream)
                    .with_checksum(checksum);
                let workload = HttpClient::new(files, *requests);
                Box::new(Program::new(tcp, workload, start))
            }
            Self::Sheave {
                options,
                streams,
                keys,
            } => {
                let options = spread(options, *streams);
                let sctp = Sctp::client(local, remote, options, endpoint(checksum), seed);
                let sctp = FlowKeys::protect(*keys, sctp);
                let workload = FileSender::new(files, *streams);
                Box::new(Program::new(watching.over(sctp), workload, start))
            }
        }
    }

    /// The agent that waits for the flow.
    pub(super) fn server(
        &self,
        files: Files,
        (local, port): (&[IpAddr], u16),
        (checksum, watching): (Checksum, Watching),
        seed: [u8; 32],
    ) -> Box<dyn Agent> {
        match self {
            Self::Ftp(options) => {
                let address = (first(local), port);
                let server = FtpServer::new(address, files, options.as_ref().clone(), seed);
                Box::new(server.with_checksum(checksum))
            }
            Self::Http { options, .. } => {
                let tcp = Tcp::server(port, options.as_ref().clone(), seed)
                    .with_framing(Framing::Stream)
                    .with_checksum(checksum);
                Box::new(Program::new(tcp, HttpServer::new(files), Time::ZERO))
            }
            Self::Sheave {
                options,
                streams,
                keys,
            } => {
                let options = spread(options, *streams);
                let sctp = Sctp::server(local, port, options, endpoint(checksum), seed);
                let sctp = FlowKeys::protect(*keys, sctp);
                let sctp = watching.over(sctp);
                Box::new(Program::new(sctp, FileReceiver::new(files), Time::ZERO))
            }
        }
    }
}

/// Options with one stream more than the files need, for control.
fn spread(options: &Options, streams: u16) -> Options {
    Options {
        outbound_streams: streams.saturating_add(1),
        ..options.clone()
    }
}

fn endpoint(checksum: Checksum) -> EndpointOptions {
    EndpointOptions {
        checksum,
        ..EndpointOptions::default()
    }
}
