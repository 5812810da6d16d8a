//! A pipe over QUIC: `pipe receive` outputs the input of `pipe send CERTIFICATE REMOTE...
//! LOCAL...`. The receiver first prints its port and certificate; the sender prints "open" once all
//! paths are open.

mod paths;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use quic::rustls::RootCertStore;
use quic::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use quic::{ClientConfig, Endpoint, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt, stdin, stdout};

pub type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let mut words = std::env::args().skip(1);
    match (words.next().as_deref(), words.next()) {
        (Some("send"), Some(certificate)) => {
            let addresses = words.map(|word| word.parse());
            let addresses: Vec<SocketAddr> = addresses.collect::<Result<_, _>>()?;
            let (remote, local) = addresses.split_at(addresses.len() / 2);
            send(&certificate, remote, local).await
        }
        _ => receive().await,
    }
}

async fn receive() -> Outcome {
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".into()])?;
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let certificate = certified.cert.der().clone();
    let mut config = ServerConfig::with_single_cert(vec![certificate.clone()], key.into())?;
    config.transport_config(Arc::new(paths::transport()));
    let endpoint = Endpoint::server(config, ANY)?;
    let hex: String = certificate
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let mut output = stdout();
    let first = format!("{} {hex}\n", endpoint.local_addr()?.port());
    output.write_all(first.as_bytes()).await?;
    output.flush().await?;
    let incoming = endpoint.accept().await.ok_or("the endpoint ended")?;
    let connection = incoming.await?;
    let mut stream = connection.accept_uni().await?;
    let mut buffer = vec![0; 65536];
    while let Some(count) = stream.read(&mut buffer).await? {
        output.write_all(&buffer[..count]).await?;
        output.flush().await?;
    }
    Ok(())
}

async fn send(certificate: &str, remote: &[SocketAddr], local: &[SocketAddr]) -> Outcome {
    let bytes = certificate.as_bytes().chunks(2);
    let bytes = bytes.map(|hex| u8::from_str_radix(str::from_utf8(hex)?, 16).map_err(Box::from));
    let bytes = bytes.collect::<Result<Vec<u8>, Box<dyn Error + Send + Sync>>>()?;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(bytes))?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
    config.transport_config(Arc::new(paths::transport()));
    #[allow(unused_mut, reason = "noq takes it by reference")]
    let mut endpoint = Endpoint::client(ANY)?;
    endpoint.set_default_client_config(config);
    let first = *remote.first().ok_or("no remote address")?;
    let connection = endpoint.connect(first, "localhost")?.await?;
    let mut stream = connection.open_uni().await?;
    paths::keep_open(&connection, remote, local).await?;
    println!("open");
    let (mut input, mut buffer) = (stdin(), vec![0; 65536]);
    loop {
        match input.read(&mut buffer).await? {
            0 => break,
            count => stream.write_all(&buffer[..count]).await?,
        }
    }
    Ok(())
}
