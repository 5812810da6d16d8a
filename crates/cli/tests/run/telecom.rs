//! SIPp and freeDiameter.

use super::*;

#[test]
fn sipp_makes_calls_over_one_socket() {
    if !has(&["sipp"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "sipp -sn uas -t s1 -i 127.0.0.1 -p 5060 -nostdin > uas.log 2>&1 & server=$!; listened 1; \
                  sipp -sn uac -t s1 -i 127.0.0.1 -p 5061 -m 20 -r 40 -nostdin -timeout 150 \
                  127.0.0.1:5060 > uac.log 2>&1; echo code $?; kill -9 $server; \
                  tail -40 uac.log; tail -40 uas.log";
    let host = run(&free_port(), &["--verbose"], &[]);
    let (out, _) = traced(&host, folder.path(), script);
    // Its code is 0 if all calls have succeeded.
    assert!(out.contains("code 0"), "{out}");
}

/// The configuration of a daemon that speaks SCTP alone.
fn daemon(folder: &Path, number: u8) -> String {
    let (key, certificate) = (format!("key{number}.pem"), format!("cert{number}.pem"));
    let mut openssl = Command::new("openssl");
    openssl
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args(["-keyout", &key, "-out", &certificate])
        .args(["-subj", &format!("/CN=peer{number}.localdomain")])
        .current_dir(folder);
    output(openssl);
    format!(
        "Identity = \"peer{number}.localdomain\";\nRealm = \"localdomain\";\n\
         Port = 387{number};\nSecPort = 0;\nNo_TCP;\nNo_IPv6;\nTwTimer = 6;\n\
         ListenOn = \"127.0.0.1\";\nTLS_Cred = \"{certificate}\", \"{key}\";\n\
         TLS_CA = \"{certificate}\";\n"
    )
}

#[test]
fn free_diameter_opens_a_peer_and_watches_over_it() {
    if !has(&["freeDiameterd", "openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let list = path.join("acl.conf");
    fs::write(&list, "ALLOW_IPSEC *.localdomain\n").unwrap();
    let first =
        daemon(path, 1) + &format!("LoadExtension = \"acl_wl.fdx\" : \"{}\";\n", list.display());
    let second = daemon(path, 2)
        + "ConnectPeer = \"peer1.localdomain\" { ConnectTo = \"127.0.0.1\"; No_TLS; Port = 3871; };\n";
    fs::write(path.join("1.conf"), first).unwrap();
    fs::write(path.join("2.conf"), second).unwrap();
    // The watchdog speaks after 6 s, give or take 2: a request of it has 80 bytes, its answer 92.
    let script = "freeDiameterd -c 1.conf > 1.log 2>&1 & first=$!; listened 1; \
                  freeDiameterd -c 2.conf > 2.log 2>&1 & second=$!; \
                  for length in 80 92; do \
                  until grep -q \"recvmsg(.*= $length\\$\" trace; do sleep 0.1; done; done; \
                  kill $first; wait $first; kill -9 $second; cat 1.log 2.log";
    let host = run(&free_port(), &["--verbose"], &[]);
    let (out, calls) = traced(&host, path, script);
    let opened = out.matches("-> 'STATE_OPEN'").count();
    assert!(
        opened == 2 && out.contains("DIAMETER_SUCCESS"),
        "{out}{calls}"
    );
    assert!(out.contains("(SCTP,soc#"), "{out}");
    let answered = |length: &str| {
        let is_one = |line: &&str| line.contains("recvmsg(") && line.ends_with(length);
        calls.lines().filter(is_one).count()
    };
    assert!(answered("= 80") > 0 && answered("= 92") > 0, "{calls}");
    assert!(out.contains("sent a DPR"), "{out}");
}
