//! Form-encoded parameters.

use bipe_sandbox::form::{Metadata, Params};

fn params(text: &str) -> Params {
    Params::parse(text.as_bytes()).unwrap()
}

#[test]
fn nested_names_lists_and_metadata_are_read() {
    let p = params("card%5Bnumber%5D=4242+4242&expand[]=a&expand[]=b&expand[3]=c&metadata[k]=v&x=");
    assert_eq!(p.text("card[number]"), Some("4242 4242"));
    assert_eq!(p.list("expand"), ["a", "b", "c"]);
    assert!(p.has("card") && !p.has("car") && p.text("x").is_none());
    let mut metadata = Metadata::new();
    p.merge_metadata(&mut metadata).unwrap();
    assert_eq!(metadata.get("k").map(String::as_str), Some("v"));
    params("metadata[k]=").merge_metadata(&mut metadata).unwrap();
    assert!(metadata.is_empty());
}

#[test]
fn unknown_and_malformed_names_are_refused() {
    assert!(params("amount=1&amout=2").only(&["amount"]).is_err());
    assert!(Params::parse(b"a[b=1").is_err() && Params::parse(b"[a]=1").is_err());
    assert!(Params::parse(&[b'a', b'=', 0xff]).is_err());
    assert!(Params::parse(b"a=%FF").is_err() && Params::parse(b"a%C3=1").is_err());
    assert!(Params::parse("a=%EF%BF%BD&b=\u{fffd}".as_bytes()).is_ok());
}

#[test]
fn what_a_known_root_does_not_hold_is_refused_too() {
    let roots = ["card", "payment_method_data", "metadata", "payment_method_types", "amount"];
    for known in [
        "card[number]=1",
        "payment_method_data[billing_details][address][city]=x",
        "metadata[any]=1",
        "payment_method_types[]=card&payment_method_types[1]=pix",
    ] {
        assert!(params(known).only(&roots).is_ok(), "{known}");
    }
    for unknown in [
        "card[nmber]=1",
        "card[number][x]=1",
        "payment_method_data[billing_details][city]=x",
        "payment_method_data[frob]=x",
        "metadata[a][b]=1",
        "amount[x]=1",
        "payment_method_types[a]=card",
    ] {
        assert!(params(unknown).only(&roots).is_err(), "{unknown}");
    }
}

#[test]
fn the_order_of_parameters_does_not_change_their_canonical_text() {
    assert_eq!(params("b=2&a=1").canonical(), params("a=1&b=2").canonical());
    assert_ne!(params("a=1").canonical(), params("a=2").canonical());
}
