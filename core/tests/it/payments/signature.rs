//! The golden cases of the webhook signature.

use bipe_core::gateway::webhook::{SignatureError, TOLERANCE_SECONDS, sign, verify};
use bipe_core::secret::Secret;
use bipe_core::testing::figures;
use jiff::Timestamp;
use serde_json::Value;

const VECTORS: &str = include_str!("../../vectors/webhook_signature.json");

fn body(input: &Value) -> Vec<u8> {
    if let Some(text) = input["body"].as_str() {
        return text.into();
    }
    let hex = input["bodyHex"].as_str().unwrap();
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn every_golden_signature_case_holds() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() >= 30);
    figures(&[("signatures", cases.len())]);
    for case in cases {
        let (input, name) = (&case["input"], &case["name"]);
        let expected = case["expected"].as_str().unwrap();
        if input["op"] == "sign" {
            let secret = Secret::new(input["secret"].as_str().unwrap());
            let signed = sign(&secret, input["t"].as_i64().unwrap(), &body(input));
            assert_eq!(signed, expected, "{name}");
            continue;
        }
        assert_eq!(input["toleranceSeconds"], TOLERANCE_SECONDS);
        let secrets: Vec<Secret> = input["secrets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s.as_str().unwrap().into())
            .collect();
        let now = Timestamp::from_second(input["now"].as_i64().unwrap()).unwrap();
        let header = input["header"].as_str().unwrap();
        let result = match verify(header, &body(input), &secrets, now) {
            Ok(()) => "OK",
            Err(SignatureError::Malformed) => "MALFORMED",
            Err(SignatureError::NoV1) => "NO_V1",
            Err(SignatureError::BadSignature) => "BAD_SIGNATURE",
            Err(SignatureError::TooOld) => "TOO_OLD",
            Err(SignatureError::TooNew) => "TOO_NEW",
        };
        assert_eq!(result, expected, "{name}");
    }
}

#[test]
fn without_a_secret_nothing_is_accepted() {
    let now = Timestamp::from_second(1_492_774_577).unwrap();
    let header = format!("t=1492774577,v1={}", sign(&Secret::new(""), 1_492_774_577, b"{}"));
    assert_eq!(verify(&header, b"{}", &[], now), Err(SignatureError::BadSignature));
}

#[test]
fn a_signature_is_hexadecimal_digits_and_no_sign() {
    let secret = Secret::new("whsec_1");
    let signed = |time: i64| (time, sign(&secret, time, b"{}"));
    let has_small_byte = |(_, hex): &(i64, String)| hex.starts_with('0') && !hex.starts_with("00");
    let (time, hex) = (1_492_774_577..).map(signed).find(has_small_byte).unwrap();
    let now = Timestamp::from_second(time).unwrap();
    let verdict = |hex: &str| {
        verify(&format!("t={time},v1={hex}"), b"{}", std::slice::from_ref(&secret), now)
    };
    assert_eq!(verdict(&hex), Ok(()));
    assert_eq!(verdict(&hex.to_ascii_uppercase()), Ok(()));
    // A reader of numbers takes a plus sign for the zero.
    assert_eq!(verdict(&format!("+{}", &hex[1..])), Err(SignatureError::BadSignature));
    assert_eq!(verdict(&hex[..63]), Err(SignatureError::BadSignature), "an odd count of digits");
}
