//! QUIC end for `sheave bench loopback`, with the crate `quinn` and the same line protocol.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::rustls::RootCertStore;
use quinn::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig, VarInt};
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};
use serde_json::{Value, json};
use sheave_measure::pair::UserData;
use sheave_measure::{Load, Part, Work, process_cpu_time};

/// Runs an end; its last argument is its part.
pub fn run_quinn_end() -> io::Result<()> {
    let part = std::env::args().next_back().unwrap_or_default();
    let Part { load, port } = serde_json::from_str(&part)?;
    if load.work != Work::Stream {
        return Err(io::Error::other("this end only knows streams"));
    }
    // One thread drives the stack, as for Sheave.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let told = runtime.block_on(async {
        match port {
            None => serve(load).await,
            Some(port) => call(load, port).await,
        }
    })?;
    println!("{told}");
    Ok(())
}

/// The server's certificate and key, which both ends derive from the same seed.
fn certified() -> io::Result<(CertificateDer<'static>, PrivatePkcs8KeyDer<'static>)> {
    // The ASN.1 of an Ed25519 key (RFC 8410 §7) whose 32 bytes are 7.
    let mut key = vec![
        0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
    ];
    key.extend([7; 32]);
    let key = PrivatePkcs8KeyDer::from(key);
    let pair = KeyPair::from_pkcs8_der_and_sign_algo(&key, &PKCS_ED25519);
    let pair = pair.map_err(io::Error::other)?;
    let params = CertificateParams::new(["localhost".to_owned()]);
    let signed = params.and_then(|params| params.self_signed(&pair));
    Ok((signed.map_err(io::Error::other)?.into(), key))
}

async fn serve(load: Load) -> io::Result<Value> {
    let (certificate, key) = certified()?;
    let config = ServerConfig::with_single_cert(vec![certificate], key.into());
    let config = config.map_err(io::Error::other)?;
    let endpoint = Endpoint::server(config, SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), 0)))?;
    println!("{}", json!({ "port": endpoint.local_addr()?.port() }));
    io::stdout().flush()?;
    let mut readers = Vec::new();
    for _ in 0..load.connections {
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

async fn call(load: Load, port: u16) -> io::Result<Value> {
    let mut endpoint = Endpoint::client(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let mut roots = RootCertStore::empty();
    roots.add(certified()?.0).map_err(io::Error::other)?;
    let config = ClientConfig::with_root_certificates(Arc::new(roots));
    endpoint.set_default_client_config(config.map_err(io::Error::other)?);
    let to = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), port));
    let mut connections = Vec::new();
    for _ in 0..load.connections {
        let connecting = endpoint.connect(to, "localhost");
        connections.push(connecting.map_err(io::Error::other)?.await?);
    }
    let begin = Instant::now();
    let span = Duration::from_millis(load.amount.into());
    let mut writers = Vec::new();
    for connection in connections {
        let mut message = vec![0_u8; load.size];
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
