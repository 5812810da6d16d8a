//! QUIC end for `sheave bench loopback`, with the crate `quinn` and the same line protocol.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use quinn::crypto::rustls::QuicClientConfig;
use quinn::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use quinn::rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use quinn::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use quinn::rustls::{self, DigitallySignedStruct, SignatureScheme};
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig, VarInt};
use serde_json::json;
use sheave_measure::pair::UserData;
use sheave_measure::process_cpu_time;

/// A QUIC end for `sheave bench loopback`.
#[derive(Debug, Parser)]
struct QuinnEnd {
    /// Only `stream`
    #[arg(long)]
    work: String,
    /// Bytes of a message
    #[arg(long)]
    size: usize,
    /// Connections at the same time
    #[arg(long)]
    connections: u16,
    /// Duration of the transfer, in milliseconds.
    #[arg(long)]
    amount: u64,
    /// The server's port, for a client
    #[arg(long)]
    port: Option<u16>,
}

/// Runs an end; its arguments follow the first one on the command line.
///
/// # Errors
/// A socket failed.
pub fn run_quinn_end() -> io::Result<()> {
    let end = QuinnEnd::parse_from(std::env::args().skip(1));
    if end.work != "stream" {
        return Err(io::Error::other("this end only knows streams"));
    }
    // One thread drives the stack, as for Sheave.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let told = runtime.block_on(async {
        match end.port {
            None => serve(&end).await,
            Some(port) => call(&end, port).await,
        }
    })?;
    println!("{told}");
    Ok(())
}

async fn serve(end: &QuinnEnd) -> io::Result<serde_json::Value> {
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".into()]);
    let certified = certified.map_err(io::Error::other)?;
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let config = ServerConfig::with_single_cert(vec![certified.cert.der().clone()], key.into());
    let config = config.map_err(io::Error::other)?;
    let endpoint = Endpoint::server(config, SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), 0)))?;
    println!("{}", json!({ "port": endpoint.local_addr()?.port() }));
    io::stdout().flush()?;
    let mut readers = Vec::new();
    for _ in 0..end.connections {
        let incoming = endpoint.accept().await;
        let incoming = incoming.ok_or_else(|| io::Error::other("the endpoint ended"))?;
        let connection = incoming.await?;
        readers.push(tokio::spawn(take_in(connection)));
    }
    let mut bytes = 0;
    for reader in readers {
        bytes += reader.await??;
    }
    endpoint.wait_idle().await;
    Ok(json!({ "bytes": bytes, "cpu": process_cpu_time().as_secs_f64() }))
}

async fn take_in(connection: Connection) -> io::Result<u64> {
    let mut stream = connection.accept_uni().await?;
    let mut bytes = 0;
    while let Some(chunk) = stream.read_chunk(usize::MAX, true).await? {
        bytes += chunk.bytes.len() as u64;
    }
    // Wait until the peer knows that everything arrived.
    connection.closed().await;
    Ok(bytes)
}

async fn call(end: &QuinnEnd, port: u16) -> io::Result<serde_json::Value> {
    let mut endpoint = Endpoint::client(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    endpoint.set_default_client_config(trusting()?);
    let to = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), port));
    let mut connections = Vec::new();
    for _ in 0..end.connections {
        let connecting = endpoint.connect(to, "localhost");
        connections.push(connecting.map_err(io::Error::other)?.await?);
    }
    let begin = Instant::now();
    let span = Duration::from_millis(end.amount);
    let mut writers = Vec::new();
    for connection in connections {
        let mut message = vec![0_u8; end.size];
        writers.push(tokio::spawn(async move {
            let mut stream = connection.open_uni().await?;
            let mut data = UserData::fresh(message.len());
            while begin.elapsed() < span {
                data.write_next(&mut message);
                stream.write_all(&message).await?;
            }
            stream.finish()?;
            stream.stopped().await?;
            connection.close(VarInt::from_u32(0), b"");
            io::Result::Ok(())
        }));
    }
    for writer in writers {
        writer.await??;
    }
    let seconds = begin.elapsed().as_secs_f64();
    endpoint.wait_idle().await;
    Ok(json!({ "seconds": seconds, "cpu": process_cpu_time().as_secs_f64() }))
}

/// A client configuration that accepts any server certificate; the only server is ours.
fn trusting() -> io::Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Trust(provider)))
        .with_no_client_auth();
    let config = QuicClientConfig::try_from(config).map_err(io::Error::other)?;
    Ok(ClientConfig::new(Arc::new(config)))
}

#[derive(Debug)]
struct Trust(Arc<CryptoProvider>);

impl Trust {
    fn algorithms(&self) -> &WebPkiSupportedAlgorithms {
        &self.0.signature_verification_algorithms
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, certificate, signed, self.algorithms())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signed, self.algorithms())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms().supported_schemes()
    }
}
