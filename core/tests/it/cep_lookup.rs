//! The look-up of postal codes against a peer that answers, lies, is slow, broken or gone.

use std::time::Duration;

use bipe_core::brazil::postal::Cep;
use bipe_core::cep_lookup::{CepLookup, FoundAddress};
use bipe_core::clock::Clock;
use bipe_core::error::{Code, Result};
use bipe_core::testing::{HttpPeer, START};
use serde_json::json;
use tokio::time::timeout;

const PAULISTA: &str = r#"{"cep": "01310-100", "logradouro": " Avenida Paulista ", "complemento": "de 612 a 1510 - lado par",
    "unidade": "", "bairro": "Bela Vista", "localidade": "São Paulo", "uf": "SP", "ibge": "3550308"}"#;

fn clock() -> Clock {
    Clock::fixed(START.parse().unwrap(), 7)
}

fn lookup(peer: &HttpPeer, clock: &Clock) -> CepLookup {
    CepLookup::new(&format!("http://{}/ws/{{cep}}/json/", peer.address), clock.clone()).unwrap()
}

/// Nobody waits longer, whatever the peer does.
async fn find(lookup: &CepLookup, cep: &str) -> Result<FoundAddress> {
    let cep = Cep::parse(cep).unwrap();
    timeout(Duration::from_secs(10), lookup.find(&cep)).await.expect("an answer in time")
}

async fn refusal(lookup: &CepLookup) -> Code {
    find(lookup, "01310-100").await.unwrap_err().code()
}

#[tokio::test]
async fn a_postal_code_is_asked_for_by_its_digits_and_known_for_an_hour() {
    let (peer, clock) = (HttpPeer::with_json(PAULISTA).await, clock());
    let lookup = lookup(&peer, &clock);
    let found = find(&lookup, "01310-100").await.unwrap();
    let told = json!({"postalCode": "01310100", "street": "Avenida Paulista", "district": "Bela Vista",
        "city": "São Paulo", "state": "SP"});
    assert_eq!(
        serde_json::to_value(&found).unwrap(),
        told,
        "the street's numbers are nobody's door"
    );
    assert_eq!(peer.request_lines(), ["GET /ws/01310100/json/ HTTP/1.1"]);
    clock.advance(3_599);
    assert_eq!(find(&lookup, "01310100").await.unwrap(), found);
    assert_eq!(peer.request_lines().len(), 1);
    clock.advance(1);
    assert_eq!(find(&lookup, "01310100").await.unwrap(), found);
    assert_eq!(peer.request_lines().len(), 2);
}

#[tokio::test]
async fn a_town_of_one_postal_code_has_a_city_alone() {
    let town = r#"{"cep": "35588-000", "logradouro": "", "bairro": "", "localidade": "Arcos", "uf": "MG"}"#;
    let peer = HttpPeer::with_json(town).await;
    let found = find(&lookup(&peer, &clock()), "35588000").await.unwrap();
    assert_eq!((found.street, found.district, found.city.as_str()), (None, None, "Arcos"));
}

#[tokio::test]
async fn a_postal_code_that_does_not_exist_is_unknown_and_asked_for_once() {
    for answer in [r#"{"erro": true}"#, r#"{"erro": "true"}"#] {
        let peer = HttpPeer::with_json(answer).await;
        let lookup = lookup(&peer, &clock());
        for _ in 0..2 {
            assert_eq!(refusal(&lookup).await, Code::CepNotFound, "{answer}");
        }
        assert_eq!(peer.request_lines().len(), 1);
    }
}

#[tokio::test]
async fn whatever_is_no_answer_is_unavailable_and_asked_for_again() {
    let endless = format!("HTTP/1.1 200 OK\r\n\r\n{PAULISTA}{}", " ".repeat(64 * 1024));
    let answers = [
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n{".to_owned(),
        "no HTTP at all\r\n\r\n".to_owned(),
        endless,
    ];
    for answer in answers {
        let peer = HttpPeer::answering(answer.clone()).await;
        let lookup = lookup(&peer, &clock());
        for asked in 1..=2 {
            assert_eq!(refusal(&lookup).await, Code::CepUnavailable, "{answer:.60}");
            assert_eq!(peer.request_lines().len(), asked, "{answer:.60}");
        }
    }
    let other = PAULISTA.replace("01310-100", "04538-133");
    let nowhere = PAULISTA.replace("\"SP\"", "\"XX\"");
    for answer in ["", "[]", "<html>", "{}", "{\"cep\": 5}", &other, &nowhere] {
        let peer = HttpPeer::with_json(answer).await;
        assert_eq!(refusal(&lookup(&peer, &clock())).await, Code::CepUnavailable, "{answer}");
    }
}

#[tokio::test]
async fn a_redirect_leads_nowhere() {
    let target = HttpPeer::with_json(PAULISTA).await;
    let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation";
    let peer = HttpPeer::answering(format!("{head}: http://{}/\r\n\r\n", target.address)).await;
    assert_eq!(refusal(&lookup(&peer, &clock())).await, Code::CepUnavailable);
    assert_eq!(target.request_lines(), Vec::<String>::new());
}

#[tokio::test]
async fn a_peer_that_says_nothing_is_waited_for_two_seconds_and_takes_sixteen_calls_at_once() {
    let peer = HttpPeer::answering("").await;
    let lookup = lookup(&peer, &clock());
    let calls = (0..20).map(|_| refusal(&lookup));
    let codes = timeout(Duration::from_secs(4), futures_util::future::join_all(calls)).await;
    assert_eq!(codes.expect("two seconds at the most"), [Code::CepUnavailable; 20]);
    assert_eq!(peer.request_lines().len(), 16);
}

#[tokio::test]
async fn a_peer_that_is_gone_or_was_never_set_is_unavailable() {
    let peer = HttpPeer::with_json(PAULISTA).await;
    let lookup = lookup(&peer, &clock());
    drop(peer);
    assert_eq!(refusal(&lookup).await, Code::CepUnavailable);
    let none = CepLookup::new("", clock()).unwrap();
    assert_eq!(refusal(&none).await, Code::CepUnavailable);
}
