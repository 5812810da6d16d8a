#!/usr/bin/env bash
# rsip 0.4.0 (crate): a challenge with qop="auth,auth-int", as RFC 3261 prints it, is an error, and counts of nonces are decimal.
#
# Guess: qop in a challenge is a list in quotes (RFC 3261, §25.1: qop-value *("," qop-value)), from which the client chooses; nc is eight hexadecimal
#   digits (RFC 2617, §3.2.2), so that the tenth request has 0000000a; an algorithm's name is as in RFC 8760.
# Seen: the whole list is looked up as one quality: the example of RFC 3261, §22.4, is a ParseError for the whole header, and who has it cannot register. The
#   tenth request goes out with nc=00000010, which is sixteen, and one that counts right is an error from 0000000a on; from 256 on there
#   is no number. "SHA-256" is no algorithm, while "SHA256", which no RFC has, is one, and is written so.
# Source: src/headers/auth/qop.rs (AuthQop: nc u8, nc={:08}), algorithm.rs; src/headers/typed/www_authenticate.rs, authorization.rs.
# Output seen: 'qop="auth": ok', 'qop="auth,auth-int": error', "algorithm=MD5: ok", "algorithm=SHA-256: error", "algorithm=SHA256: ok", "tenth: nc=00000010",
#   "nc=00000009: ok", "nc=0000000a: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
rsip = "=0.4.0"
TOML
cat >src/main.rs <<'RUST'
use rsip::headers::auth::AuthQop;
use rsip::headers::{Authorization, UntypedHeader, WwwAuthenticate};
use rsip::prelude::ToTypedHeader;

fn verdict<T, E>(result: Result<T, E>) -> &'static str {
    if result.is_ok() { "ok" } else { "error" }
}

fn main() {
    for parameter in ["qop=\"auth\"", "qop=\"auth,auth-int\"", "algorithm=MD5", "algorithm=SHA-256", "algorithm=SHA256"] {
        let challenge = format!("Digest realm=\"example.com\", nonce=\"1\", {parameter}");
        println!("{parameter}: {}", verdict(WwwAuthenticate::new(challenge).typed()));
    }
    let qop = AuthQop::Auth { cnonce: "1".into(), nc: 10 }.to_string();
    println!("tenth: {}", qop.split(", ").find(|part| part.starts_with("nc=")).unwrap());
    for count in ["nc=00000009", "nc=0000000a"] {
        let answer = format!(
            "Digest username=\"alice\", realm=\"example.com\", nonce=\"1\", uri=\"sip:example.com\", \
             response=\"6629fae49393a05397450978507c4ef1\", qop=auth, {count}, cnonce=\"1\""
        );
        println!("{count}: {}", verdict(Authorization::new(answer).typed()));
    }
}
RUST
seen=$(nice -n 10 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = 'qop="auth": ok
qop="auth,auth-int": error
algorithm=MD5: ok
algorithm=SHA-256: error
algorithm=SHA256: ok
tenth: nc=00000010
nc=00000009: ok
nc=0000000a: error' ] || { echo "changed" >&2; exit 1; }
