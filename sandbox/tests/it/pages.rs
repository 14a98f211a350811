//! The hosted pages, as a payer's browser walks through them.

use crate::provider::{Provider, Reply, id};

const INTENTS: &str = "/sandbox/v1/payment_intents";

/// A page of the sandbox by its address, without a key.
async fn open(provider: &Provider, url: &str) -> Reply {
    let path = url.strip_prefix(provider.origin()).unwrap();
    provider.send("GET", path, "", &[]).await
}

#[actix_web::test]
async fn the_banks_page_asks_and_sends_the_payer_back_to_the_shop() {
    let provider = Provider::start().await;
    let form = |card: &str| {
        format!(
            "amount=100&currency=brl&payment_method_types[]=card&confirm=true&payment_method={card}\
             &return_url=http%3A%2F%2Flocalhost%3A5173%2Fvolta%3Fx%3D1"
        )
    };
    for (outcome, status) in [("succeeded", "succeeded"), ("failed", "requires_payment_method")] {
        let card = provider.card("4000002760003184").await;
        let waiting = provider.post(INTENTS, &form(&card)).await;
        let action = &waiting.json["next_action"];
        assert_eq!(action["type"], "redirect_to_url");
        let url = action["redirect_to_url"]["url"].as_str().unwrap();
        let page = open(&provider, url).await;
        let title = "<title>Autenticação do banco · Ambiente de testes</title>";
        assert!(page.text.contains(title) && page.text.contains("Autorizar"));
        assert!(!page.text.contains("<script"));

        let path = url.strip_prefix(provider.origin()).unwrap();
        let stranger = provider.send("POST", path, "outcome=succeeded&client_secret=x", &[]).await;
        assert_eq!(stranger.status, 404);
        let secret = waiting.json["client_secret"].as_str().unwrap();
        let answer = format!("outcome={outcome}&client_secret={secret}");
        let back = provider.send("POST", path, &answer, &[]).await;
        assert_eq!(back.status, 303);
        let target = format!("http://localhost:5173/volta?x=1&payment_intent={}", id(&waiting));
        assert!(back.header("location").starts_with(&target), "{}", back.header("location"));
        assert!(back.header("location").ends_with(&format!("redirect_status={outcome}")));
        let read = provider.get(&format!("{INTENTS}/{}", id(&waiting))).await;
        assert_eq!(read.json["status"], status);
        assert!(open(&provider, url).await.text.contains("Nada a pagar"));
    }
    let bad = provider
        .post(INTENTS, &form("pm_card_visa").replace("http%3A%2F%2F", "javascript%3A"))
        .await;
    assert_eq!(bad.error("code"), "url_invalid");
}

#[actix_web::test]
async fn a_paid_or_unknown_voucher_shows_nothing_to_pay() {
    let provider = Provider::start().await;
    let form = "amount=100&currency=brl&confirm=true&payment_method_types[]=pix&payment_method_data[type]=pix";
    let pix = provider.post(INTENTS, form).await;
    let url =
        pix.json["next_action"]["pix_display_qr_code"]["hosted_instructions_url"].as_str().unwrap();
    assert!(open(&provider, url).await.text.contains("pix.example.com"));
    let path = format!("/sandbox/v1/test/payment_intents/{}/settle", id(&pix));
    provider.control(&path, r#"{"outcome":"succeeded"}"#).await;
    let paid = open(&provider, url).await;
    assert!(paid.status == 200 && !paid.text.contains("pix.example.com"));
    let unknown = format!("{}/sandbox/pages/pix/pi_nobody", provider.origin());
    assert_eq!(open(&provider, &unknown).await.status, 404);
}
