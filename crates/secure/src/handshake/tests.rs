use serde_json::Value;
use sheave_engine::wire::dtls;
use sheave_engine::{KeyAgreement, KeyRole, ProtectedRestart};

use super::context;
use crate::suite::from_hex;

#[test]
fn the_contexts_of_all_exports_are_those_of_the_independent_vectors() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../tests/vectors.json")).expect("JSON");
    let exports = vectors["exporter"].as_array().expect("exports");
    assert_eq!(exports.len(), 12);
    for export in exports {
        let bytes = |name| from_hex(export[name].as_str().expect("digits")).expect("digits");
        let agreement = KeyAgreement {
            role: KeyRole::Client,
            method: dtls::METHOD_TLS,
            restart: ProtectedRestart::On,
            client_parameter: bytes("client_parameter"),
            server_parameter: bytes("server_parameter"),
        };
        let of = ["direction", "key_role", "key_type"].map(|name| export[name].as_u64());
        let of = of.map(|number| u8::try_from(number.expect("a number")).expect("a byte"));
        assert_eq!(context(of, &agreement), bytes("context"));
        assert_eq!(
            export["label"].as_str().map(str::as_bytes),
            Some(dtls::EXPORTER_LABEL)
        );
    }
}
