//! `sheave certificate`: makes a certificate of its own for `--secure`.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use sheave::secure::Identity;

use crate::failure::{Exit, Failure, While};
use crate::screen::{Output, Screen};

/// Makes a self-signed certificate, or shows the fingerprint of one.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../help/certificate.txt").trim_end())]
pub struct CertificateArgs {
    /// PEM file of the certificate; made if missing
    certificate: PathBuf,

    /// PEM file of the private key; made if missing
    key: PathBuf,

    /// Name that the certificate holds; may be repeated
    #[arg(long, value_name = "NAME", default_value = "sheave")]
    name: Vec<String>,
}

/// Runs the command.
pub fn run(args: &CertificateArgs, output: Output) -> Result<Exit, Failure> {
    let identity = match (args.certificate.exists(), args.key.exists()) {
        (false, false) => make(args)?,
        _ => Identity::from_files(&args.certificate, &args.key).while_doing("the certificate")?,
    };
    let fingerprint = identity.fingerprint().to_string();
    let fields = json!({ "fingerprint": fingerprint });
    Screen::new(output).event("certificate", fields, || fingerprint.clone());
    Ok(Exit::Success)
}

fn make(args: &CertificateArgs) -> Result<Identity, Failure> {
    let identity = Identity::generate(args.name.iter().cloned()).while_doing("--name")?;
    if let Some([certificate, key]) = identity.to_pem() {
        let open = |path: &Path, mode| -> std::io::Result<File> {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).mode(mode);
            options.open(path)
        };
        let key_path = args.key.display();
        let mut file = open(&args.key, 0o600).while_doing(&key_path)?;
        file.write_all(key.as_bytes()).while_doing(&key_path)?;
        let path = args.certificate.display();
        let written = open(&args.certificate, 0o644)
            .and_then(|mut file| file.write_all(certificate.as_bytes()));
        if written.is_err() {
            // A key without its certificate is of no use.
            let _ = fs::remove_file(&args.key);
        }
        written.while_doing(path)?;
    }
    Ok(identity)
}
