//! Every way in which a payment at the sandbox ends.

use serde_json::json;

use crate::provider::{Provider, id};

const INTENTS: &str = "/sandbox/v1/payment_intents";

fn confirm(intent: &str) -> String {
    format!("{INTENTS}/{intent}/confirm")
}

fn test(intent: &str, verb: &str) -> String {
    format!("/sandbox/v1/test/payment_intents/{intent}/{verb}")
}

#[actix_web::test]
async fn a_card_is_created_by_the_server_and_confirmed_by_the_browser() {
    let provider = Provider::start().await;
    let customer = provider.customer().await;
    let card = provider.card("4242424242424242").await;
    let form = format!(
        "amount=9990&currency=brl&payment_method_types[]=card&customer={customer}&payment_method={card}\
         &setup_future_usage=off_session&metadata[paymentId]=p1"
    );
    let created = provider.post(INTENTS, &form).await;
    assert_eq!(created.json["status"], "requires_confirmation");
    assert_eq!(created.json["amount_received"], 0);
    let secret = created.json["client_secret"].as_str().unwrap();
    let intent = id(&created);

    let wrong = provider.browser(&confirm(&intent), "client_secret=pi_x_secret_y").await;
    assert_eq!((wrong.status, wrong.error("code")), (404, "resource_missing"));
    let none = provider.browser(&confirm(&intent), "").await;
    assert_eq!(none.status, 404);

    let done = provider.browser(&confirm(&intent), &format!("client_secret={secret}")).await;
    assert_eq!(done.json["status"], "succeeded", "{}", done.text);
    assert!(done.json.get("metadata").is_none(), "the payer sees no metadata");

    let read = provider
        .get(&format!("{INTENTS}/{intent}?expand[]=latest_charge&expand[]=payment_method"))
        .await;
    assert_eq!(read.json["amount_received"], 9990);
    assert_eq!(read.json["metadata"]["paymentId"], "p1");
    assert_eq!(read.json["latest_charge"]["paid"], true);
    assert_eq!(
        read.json["payment_method"]["customer"],
        customer.as_str(),
        "kept for later charges"
    );

    let again = provider.browser(&confirm(&intent), &format!("client_secret={secret}")).await;
    assert_eq!((again.status, again.error("code")), (400, "payment_intent_unexpected_state"));
    assert_eq!(again.json["error"]["payment_intent"]["status"], "succeeded");
    let other = provider.card("4000000000000002").await;
    let open = format!(
        "amount=100&currency=brl&payment_method_types[]=card&payment_method={other}&metadata[a]=b"
    );
    let open = provider.post(INTENTS, &open).await;
    let form = format!("client_secret={}", open.json["client_secret"].as_str().unwrap());
    let refused = provider.browser(&confirm(&id(&open)), &form).await;
    let seen = &refused.json["error"]["payment_intent"];
    assert!(refused.status == 402 && seen["id"].is_string() && seen.get("metadata").is_none());
}

#[actix_web::test]
async fn a_declined_intent_stays_open_for_another_card() {
    let provider = Provider::start().await;
    for (number, code, decline_code) in [
        ("4000000000000002", "card_declined", "generic_decline"),
        ("4000000000009995", "card_declined", "insufficient_funds"),
        ("4000000000009987", "card_declined", "lost_card"),
        ("4000000000006975", "card_declined", "card_velocity_exceeded"),
        ("4100000000000019", "card_declined", "fraudulent"),
        ("4000000000000069", "expired_card", "expired_card"),
        ("4000000000000127", "incorrect_cvc", "incorrect_cvc"),
        ("4000000000000119", "processing_error", "processing_error"),
        ("4000000000000341", "card_declined", "generic_decline"),
        ("4000008400001280", "card_declined", "generic_decline"),
    ] {
        let card = provider.card(number).await;
        let form = format!(
            "amount=100&currency=brl&payment_method_types[]=card&confirm=true&payment_method={card}"
        );
        let refused = provider.post(INTENTS, &form).await;
        assert_eq!(refused.status, 402, "{number}");
        assert_eq!((refused.error("code"), refused.error("decline_code")), (code, decline_code));
        assert_eq!(refused.error("type"), "card_error");
        let intent = &refused.json["error"]["payment_intent"];
        assert_eq!(intent["status"], "requires_payment_method");
        assert_eq!(intent["last_payment_error"]["code"], code);
        assert!(intent["payment_method"].is_null());

        let intent = intent["id"].as_str().unwrap();
        let paid = provider.post(&confirm(intent), "payment_method=pm_card_visa").await;
        assert_eq!(paid.json["status"], "succeeded", "{number}: {}", paid.text);
        assert!(paid.json["last_payment_error"].is_null());
    }
}

#[actix_web::test]
async fn three_d_secure_waits_for_the_payer_and_follows_the_card() {
    let provider = Provider::start().await;
    for (number, outcome, status, code) in [
        ("4000002760003184", "succeeded", "succeeded", ""),
        (
            "4000002760003184",
            "failed",
            "requires_payment_method",
            "payment_intent_authentication_failure",
        ),
        ("4000000000003220", "succeeded", "succeeded", ""),
        ("4000008260003178", "succeeded", "requires_payment_method", "card_declined"),
        ("4000008400001629", "succeeded", "requires_payment_method", "card_declined"),
    ] {
        let card = provider.card(number).await;
        let form = format!(
            "amount=100&currency=brl&payment_method_types[]=card&confirm=true&payment_method={card}"
        );
        let waiting = provider.post(INTENTS, &form).await;
        assert_eq!(waiting.json["status"], "requires_action", "{}", waiting.text);
        assert_eq!(waiting.json["next_action"]["type"], "use_stripe_sdk");
        let intent = id(&waiting);
        let foreign =
            provider.control(&test(&intent, "authenticate"), r#"{"outcome":"succeeded"}"#).await;
        assert_eq!(foreign.status, 404, "only the payer, who has the client secret");
        let secret = waiting.json["client_secret"].as_str().unwrap();
        let json = format!(r#"{{"client_secret":"{secret}","outcome":"{outcome}"}}"#);
        let done = provider.control(&test(&intent, "authenticate"), &json).await;
        assert_eq!((done.status, done.json["status"].as_str()), (200, Some(status)), "{number}");
        assert_eq!(done.json["last_payment_error"]["code"].as_str().unwrap_or_default(), code);
        let twice = provider.control(&test(&intent, "authenticate"), &json).await;
        assert_eq!(twice.error("code"), "payment_intent_unexpected_state");
    }
}

#[actix_web::test]
async fn off_session_charges_need_a_card_that_was_set_up() {
    let provider = Provider::start().await;
    let customer = provider.customer().await;
    for (number, set_up, expected) in [
        ("4000002500003155", false, 402),
        ("4000002500003155", true, 200),
        ("4000002760003184", true, 402),
        ("4000003800000446", false, 200),
        ("4000008260003178", true, 402),
    ] {
        let card = provider.card(number).await;
        if set_up {
            let form = format!(
                "customer={customer}&payment_method={card}&payment_method_types[]=card&confirm=true"
            );
            let setup = provider.post("/sandbox/v1/setup_intents", &form).await;
            if setup.json["status"] == "requires_action" {
                let path = format!("/sandbox/v1/test/setup_intents/{}/authenticate", id(&setup));
                let done = provider.post(&path, "outcome=succeeded").await;
                assert_eq!(done.json["status"], "succeeded");
            }
        } else {
            provider
                .post(
                    &format!("/sandbox/v1/payment_methods/{card}/attach"),
                    &format!("customer={customer}"),
                )
                .await;
        }
        let form = format!(
            "amount=100&currency=brl&payment_method_types[]=card&customer={customer}&payment_method={card}\
             &confirm=true&off_session=true"
        );
        let charged = provider.post(INTENTS, &form).await;
        assert_eq!(charged.status, expected, "{number} set up: {set_up}: {}", charged.text);
    }
}

#[actix_web::test]
async fn a_pix_carries_its_code_and_is_paid_after_three_minutes() {
    let provider = Provider::start().await;
    let form = "amount=9990&currency=brl&confirm=true&payment_method_types[]=pix&payment_method_data[type]=pix\
                &payment_method_data[billing_details][email]=ana%40example.com\
                &payment_method_options[pix][expires_after_seconds]=86400";
    let open = provider.post(INTENTS, form).await;
    assert_eq!(open.json["next_action"]["type"], "pix_display_qr_code", "{}", open.text);
    let code = &open.json["next_action"]["pix_display_qr_code"];
    let read = bipe_core::testing::parsers::read_pix(code["data"].as_str().unwrap()).unwrap();
    assert_eq!((read.amount.unwrap().0, read.name.as_str()), (9990, "BIPE SANDBOX"));
    assert_eq!(code["expires_at"], provider.clock.now().as_second() + 86_400);

    let page = code["hosted_instructions_url"].as_str().unwrap();
    let page = provider
        .get(
            page.split_once("/sandbox")
                .map(|(_, rest)| format!("/sandbox{rest}"))
                .unwrap()
                .as_str(),
        )
        .await;
    assert!(page.status == 200 && page.text.contains("Ambiente de testes"));

    provider.clock.advance(179);
    assert_eq!(provider.sandbox.run_due().await, 1, "the event that payment is awaited");
    provider.clock.advance(1);
    assert!(provider.sandbox.run_due().await > 0);
    let paid = provider.get(&format!("{INTENTS}/{}", id(&open))).await;
    assert_eq!(paid.json["status"], "succeeded");
}

#[actix_web::test]
async fn a_pix_expires_within_two_weeks() {
    let provider = Provider::start().await;
    let now = provider.clock.now().as_second();
    let form = "amount=100&currency=brl&confirm=true&payment_method_types[]=pix&payment_method_data[type]=pix\
                &payment_method_options[pix][expires_at]=";
    for (at, status) in [
        (now + 9, 400),
        (now + 10, 200),
        (now + 1_209_600, 200),
        (now + 1_209_601, 400),
        (i64::MAX, 400),
        (i64::MIN, 400),
    ] {
        let opened = provider.post(INTENTS, &format!("{form}{at}")).await;
        assert_eq!(opened.status, status, "{at}: {}", opened.text);
    }
}

#[actix_web::test]
async fn the_billing_email_and_the_tester_decide_how_a_pix_ends() {
    let provider = Provider::start().await;
    let open = async |email: &str| {
        let form = format!(
            "amount=100&currency=brl&confirm=true&payment_method_types[]=pix&payment_method_data[type]=pix\
             &payment_method_data[billing_details][email]={email}\
             &payment_method_options[pix][expires_after_seconds]=600"
        );
        id(&provider.post(INTENTS, &form).await)
    };
    let status = async |intent: &str| {
        provider.sandbox.run_due().await;
        provider.get(&format!("{INTENTS}/{intent}")).await.json["status"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (soon, never) =
        (open("succeed_immediately%40x.com").await, open("fill_never%40x.com").await);
    let (expired, late) =
        (open("expire_immediately%40x.com").await, open("expire_with_delay%40x.com").await);
    provider.clock.advance(5);
    assert_eq!(status(&soon).await, "succeeded");
    assert_eq!(status(&expired).await, "requires_payment_method");
    assert_eq!(
        (status(&late).await, status(&never).await),
        ("requires_action".into(), "requires_action".into())
    );
    provider.clock.advance(175);
    assert_eq!(status(&late).await, "requires_payment_method");
    provider.clock.advance(419);
    assert_eq!(status(&never).await, "requires_action");
    provider.clock.advance(1);
    assert_eq!(status(&never).await, "requires_payment_method");

    let refused = open("fill_never%40x.com").await;
    let failed = provider.control(&test(&refused, "settle"), r#"{"outcome":"failed"}"#).await;
    assert_eq!(failed.json["last_payment_error"]["code"], "payment_intent_payment_attempt_failed");
    let paid_late = provider.control(&test(&never, "settle"), r#"{"outcome":"succeeded"}"#).await;
    assert_eq!(paid_late.json["status"], "succeeded", "late money arrives");
    let twice = provider.control(&test(&never, "settle"), r#"{"outcome":"expired"}"#).await;
    assert_eq!((twice.status, twice.error("code")), (400, "payment_intent_unexpected_state"));
}

#[actix_web::test]
async fn a_boleto_needs_its_fields_and_cannot_be_cancelled_once_issued() {
    let provider = Provider::start().await;
    let short = "amount=9990&currency=brl&confirm=true&payment_method_types[]=boleto&payment_method_data[type]=boleto\
                 &payment_method_data[boleto][tax_id]=000.000.000-00";
    let missing = provider.post(INTENTS, short).await;
    assert_eq!((missing.status, missing.error("code")), (400, "parameter_missing"));
    let listed = provider.get(INTENTS).await;
    assert_eq!(
        listed.json["data"].as_array().unwrap().len(),
        0,
        "what fails validation leaves nothing"
    );

    let details = "&payment_method_data[billing_details][name]=Ana%20Lima\
                   &payment_method_data[billing_details][email]=fill_never%40example.com\
                   &payment_method_data[billing_details][address][line1]=Rua%20A%201\
                   &payment_method_data[billing_details][address][city]=Sao%20Paulo\
                   &payment_method_data[billing_details][address][state]=SP\
                   &payment_method_data[billing_details][address][postal_code]=01000-000\
                   &payment_method_data[billing_details][address][country]=BR\
                   &payment_method_options[boleto][expires_after_days]=6";
    let issued = provider.post(INTENTS, &format!("{short}{details}")).await;
    let voucher = &issued.json["next_action"]["boleto_display_details"];
    let today = bipe_core::brazil::local_date(provider.clock.now());
    let line = bipe_core::testing::parsers::read_boleto(voucher["number"].as_str().unwrap(), today)
        .unwrap();
    assert_eq!((line.bank.as_str(), line.amount.0), ("000", 9990));
    assert_eq!(line.due_date.unwrap().to_string(), "2026-11-24");
    assert_eq!(
        voucher["expires_at"],
        "2026-11-25T02:59:59Z".parse::<jiff::Timestamp>().unwrap().as_second()
    );

    let cancel = format!("{INTENTS}/{}/cancel", id(&issued));
    let refused = provider.post(&cancel, "").await;
    assert_eq!((refused.status, refused.error("code")), (400, "payment_intent_unexpected_state"));
    provider.control(&test(&id(&issued), "settle"), r#"{"outcome":"expired"}"#).await;
    let canceled = provider.post(&cancel, "cancellation_reason=abandoned").await;
    assert_eq!(canceled.json["status"], "canceled");
    let late = provider.control(&test(&id(&issued), "settle"), r#"{"outcome":"succeeded"}"#).await;
    assert_eq!(late.status, 400, "a canceled intent takes no money");

    let small = format!("{short}{details}").replace("amount=9990", "amount=499");
    assert_eq!(provider.post(INTENTS, &small).await.error("code"), "amount_too_small");
    let cpf = format!("{short}{details}").replace("000.000.000-00", "111.444.777-36");
    assert_eq!(provider.post(INTENTS, &cpf).await.error("code"), "tax_id_invalid");
    let cnpj = format!("{short}{details}").replace("000.000.000-00", "12ABC34501DE35");
    assert_eq!(provider.post(INTENTS, &cnpj).await.json["status"], "requires_action");
}

#[actix_web::test]
async fn a_refund_never_gives_back_more_than_was_paid() {
    let provider = Provider::start().await;
    let form = "amount=1000&currency=brl&payment_method_types[]=card&confirm=true&payment_method=pm_card_visa";
    let intent = id(&provider.post(INTENTS, form).await);
    let refund = async |amount: u32| {
        provider
            .post("/sandbox/v1/refunds", &format!("payment_intent={intent}&amount={amount}"))
            .await
    };
    assert_eq!(refund(400).await.json["status"], "succeeded");
    assert_eq!(refund(601).await.status, 400);
    assert_eq!(refund(600).await.status, 200);
    assert_eq!(refund(1).await.error("code"), "charge_already_refunded");
    let read = provider.get(&format!("{INTENTS}/{intent}?expand[]=latest_charge")).await;
    assert_eq!(read.json["latest_charge"]["amount_refunded"], 1000);
    assert_eq!(read.json["latest_charge"]["refunded"], true);
}

#[actix_web::test]
async fn a_refund_of_one_card_is_given_and_fails_minutes_later_also_after_a_restart() {
    let mut provider = Provider::start().await;
    let form = "amount=1000&currency=brl&payment_method_types[]=card&confirm=true&payment_method=pm_card_refundFail";
    let intent = id(&provider.post(INTENTS, form).await);
    let form = format!("payment_intent={intent}&amount=400");
    let refund = id(&provider.post("/sandbox/v1/refunds", &form).await);
    let stands = async |provider: &Provider| {
        provider.sandbox.run_due().await;
        let refund = provider.get(&format!("/sandbox/v1/refunds/{refund}")).await.json;
        let read = provider.get(&format!("{INTENTS}/{intent}?expand[]=latest_charge")).await.json;
        let refunded = &read["latest_charge"]["amount_refunded"];
        json!([refund["status"], refund["failure_reason"], refunded])
    };
    provider.clock.advance(179);
    assert_eq!(stands(&provider).await, json!(["succeeded", null, 400]));
    provider.restart().await;
    provider.clock.advance(1);
    let failed = json!(["failed", "expired_or_canceled_card", 0]);
    assert_eq!(stands(&provider).await, failed);
    assert_eq!(stands(&provider).await, failed, "once");
    let events = provider.get("/sandbox/v1/events?types[]=refund.failed").await;
    let told = events.json["data"].as_array().unwrap();
    assert_eq!((told.len(), &told[0]["data"]["object"]["id"]), (1, &json!(refund)));
}
