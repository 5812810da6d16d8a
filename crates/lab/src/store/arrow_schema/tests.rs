use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::DataType;
use base64ct::{Base64, Encoding};

use super::key_value;
use crate::{Column, Values};

fn numbers(name: &str) -> Column {
    Column {
        name: name.to_owned(),
        values: Values::Numbers(Vec::new()),
    }
}

#[test]
fn arrow_reads_types_and_units() {
    let texts = Column {
        name: "transport".to_owned(),
        values: Values::Texts(Vec::new()),
    };
    let columns = [
        texts,
        numbers("seed"),
        numbers("delay_ms"),
        numbers("size_bytes"),
    ];
    let entry = key_value(&columns);
    assert_eq!(entry.key, "ARROW:schema");
    let bytes = Base64::decode_vec(&entry.value.expect("a value")).expect("Base64");
    let schema = try_schema_from_ipc_buffer(&bytes).expect("a schema");
    let fields = schema.fields().iter().map(|field| {
        let unit = field.metadata().get("unit").map(String::as_str);
        (field.name().as_str(), field.data_type(), unit)
    });
    let expected = [
        ("transport", &DataType::Utf8, None),
        ("seed", &DataType::Float64, None),
        ("delay_ms", &DataType::Float64, Some("ms")),
        ("size_bytes", &DataType::Float64, Some("bytes")),
    ];
    assert_eq!(fields.collect::<Vec<_>>(), expected);
    assert!(schema.fields().iter().all(|field| field.is_nullable()));
}
