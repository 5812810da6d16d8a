//! SIPp, Kamailio, freeDiameter and Osmocom's STP.

use super::*;

#[test]
fn sipp_makes_calls_over_one_socket() {
    needs!("sipp");
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

#[test]
fn kamailio_answers_over_sctp() {
    needs!("kamailio", "python3");
    let folder = tempfile::tempdir().unwrap();
    let configuration = "#!KAMAILIO\nlog_stderror=yes\nchildren=2\ndisable_tcp=yes\nenable_sctp=yes\n\
                         listen=sctp:127.0.0.1:5060\nloadmodule \"sctp.so\"\nloadmodule \"sl.so\"\n\
                         loadmodule \"pv.so\"\nloadmodule \"xlog.so\"\n\
                         request_route { xlog(\"L_ERR\", \"$rm over $pr\\n\"); sl_send_reply(\"200\", \"OK\"); }\n";
    fs::write(folder.path().join("kamailio.cfg"), configuration).unwrap();
    // With -DD it stays in the foreground, and its workers share one socket.
    let script = format!(
        "kamailio -DD -E -Y . -w . -f kamailio.cfg > log 2>&1 & server=$!; \
         listened 1; python3 {OPTIONS} 20; kill $server; wait; cat log"
    );
    let host = run(&free_port(), &["--verbose"], &[]);
    let (out, calls) = traced(&host, folder.path(), &script);
    assert!(out.contains("answered 20\n"), "{out}{calls}");
    assert_eq!(out.matches("OPTIONS over sctp").count(), 20, "{out}");
}

/// The configuration of one end of an M3UA association, with a terminal at that address.
fn signalling(terminal: &str, point_code: &str, role: &str) -> String {
    format!(
        "log stderr\n logging color 0\n logging level all notice\n\
         line vty\n no login\n bind {terminal}\n\
         cs7 instance 0\n point-code {point_code}\n{role}\
         as as-1 m3ua\n  asp asp-1\n  routing-key 1 0.23.4\n"
    )
}

#[test]
fn osmo_stp_gets_an_active_asp() {
    needs!("osmo-stp", "ncat");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // The port of its terminal is fixed, and one of the machine: the address must be our own.
    let port: u16 = free_port().parse().unwrap();
    let [high, low] = port.to_be_bytes();
    let terminals = [1, 2].map(|end| format!("127.{high}.{low}.{end}"));
    let gateway = " asp asp-1 2906 2905 m3ua\n  remote-ip 127.0.0.1\n  role sg\n  sctp-role server\n \
                   listen m3ua 2905\n  local-ip 127.0.0.1\n ";
    let server = " asp asp-1 2905 2906 m3ua\n  local-ip 127.0.0.1\n  remote-ip 127.0.0.1\n  \
                  role asp\n  sctp-role client\n ";
    let [first, second] = &terminals;
    fs::write(path.join("1.cfg"), signalling(first, "0.23.1", gateway)).unwrap();
    fs::write(path.join("2.cfg"), signalling(second, "0.23.4", server)).unwrap();
    // Its terminal forgets the answer when it is left at once. Without its host it would fill its log.
    let script = format!(
        "ulimit -f 2000; osmo-stp -c 1.cfg > 1.log 2>&1 & first=$!; listened 1; \
         osmo-stp -c 2.cfg > 2.log 2>&1 & second=$!; for terminal in {first} {second}; do \
         until echo 'show cs7 instance 0 asp' | ncat -i 500ms $terminal 4239 2> /dev/null | \
         grep ASP_ACTIVE; do sleep 0.1; done; done; kill $first $second; wait; cat 1.log 2.log"
    );
    let host = run(&free_port(), &["--verbose"], &[]);
    let (out, calls) = traced(&host, path, &script);
    for peer in ["127.0.0.1:2905", "127.0.0.1:2906"] {
        let is_active = |line: &str| line.contains("ASP_ACTIVE") && line.contains(peer);
        assert!(out.lines().any(is_active), "{peer}: {out}{calls}");
    }
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
    needs!("freeDiameterd", "openssl");
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
