//! The documents of payments: what they freeze, how they are listed and searched, mailed once more, and to whom they are
//! shown.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use bipe_core::mailer;
use bipe_testkit::Answer;
use serde_json::{Value, json};
use zip::ZipArchive;

use super::shop::{PROCESS, Shop};
use crate::isolation::world::billing_profile;

impl Shop {
    fn invoices_path(&self, rest: &str) -> String {
        format!("/api/companies/{}/invoices{rest}", self.company)
    }

    async fn invoices(&self, query: &str) -> Answer {
        self.server.get_as(&self.ana, &self.invoices_path(query)).await
    }

    /// `number kind total`, newest first.
    async fn numbered(&self, query: &str) -> Vec<String> {
        let answer = self.invoices(query).await;
        let rows = answer.data(200)["invoices"].as_array().unwrap().clone();
        let text = |row: &Value| {
            format!("{} {} {}", row["number"], row["kind"].as_str().unwrap(), row["total"])
        };
        rows.iter().map(text).collect()
    }

    async fn file(&self, rest: &str) -> reqwest::Response {
        let url = self.server.url(&self.invoices_path(rest));
        reqwest::Client::new().get(url).bearer_auth(&self.ana.token).send().await.unwrap()
    }

    /// The files of an archive by their names.
    async fn packed(&self, query: &str) -> BTreeMap<String, Vec<u8>> {
        let answer = self.file(&format!("/zip{query}")).await;
        assert_eq!(answer.headers()["content-type"], "application/zip");
        let mut archive = ZipArchive::new(Cursor::new(answer.bytes().await.unwrap())).unwrap();
        let mut files = BTreeMap::new();
        for index in 0..archive.len() {
            let (mut file, mut content) = (archive.by_index(index).unwrap(), Vec::new());
            file.read_to_end(&mut content).unwrap();
            files.insert(file.name().unwrap().into_owned(), content);
        }
        files
    }

    /// Subjects of the mail that this address got, in the order of the alphabet.
    async fn subjects_to(&self, address: &str) -> Vec<String> {
        let mail = mailer::mailbox(&self.server.database.db, Some(address)).await.unwrap();
        let mut subjects: Vec<String> = mail.into_iter().map(|mail| mail.subject).collect();
        subjects.sort();
        subjects
    }

    /// Saves a billing profile with the address nf@example.com.
    async fn save_billing_profile(&self) {
        let path = format!("/api/companies/{}/billing-profile", self.company);
        self.server.put_as(&self.ana, &path, &billing_profile()).await.data(200);
    }

    async fn pay_by_card(&self) -> Value {
        let (payment, secret) = self.begin(&self.card("4242424242424242").await).await;
        self.confirm(&payment, &secret.unwrap(), None).await;
        self.server.run().await;
        payment
    }

    async fn pay_by_pix(&self) -> Value {
        let (payment, _) = self.begin(&self.pix()).await;
        self.settle(&payment, "succeeded").await;
        self.server.run().await;
        payment
    }
}

#[actix_web::test]
async fn a_payment_gets_a_document_that_says_what_was_bought_by_whom_and_how() {
    let shop = Shop::open().await;
    let payment = shop.pay_by_card().await;
    let id = payment["id"].as_str().unwrap();
    let invoice = shop.invoices(&format!("/{id}")).await.data(200)["invoice"].clone();
    let at = "2026-11-21T15:00:00Z";
    assert_eq!((&invoice["number"], &invoice["kind"]), (&json!(1), &json!("payment")));
    assert_eq!((&invoice["id"], &invoice["issuedAt"]), (&payment["id"], &json!(at)));
    assert_eq!(invoice["payer"], json!({"name": "Ponto Central", "taxId": null, "address": null}));
    assert_eq!((&invoice["paidBy"], &invoice["planName"]), (&json!("ana"), &json!("Profissional")));
    assert_eq!(invoice["period"], json!({"start": at, "end": "2026-12-21T15:00:00Z"}));
    assert_eq!(invoice["lines"], json!([{"kind": "plan", "amount": 9990}]));
    assert_eq!((&invoice["total"], &invoice["taxes"]), (&json!(9990), &json!(0)));
    let means = json!({"id": payment["id"], "method": "CREDIT_CARD", "provider": "stripe",
        "card": {"brand": "visa", "last4": "4242"}, "reference": payment["transactionId"]});
    assert_eq!(invoice["payment"], means);

    let file = shop.file(&format!("/{id}/pdf")).await;
    assert_eq!(file.headers()["content-type"], "application/pdf");
    let named = "attachment; filename=\"fatura-000001.pdf\"";
    assert_eq!(file.headers()["content-disposition"], named);
    let bytes = file.bytes().await.unwrap();
    assert!(bytes.starts_with(b"%PDF-") && bytes.len() <= 100_000, "{} bytes", bytes.len());

    // The receipt's mail has number, period and card, and leads to the document.
    let db = &shop.server.database.db;
    let mail = mailer::mailbox(db, Some(&shop.ana.email)).await.unwrap().swap_remove(0);
    assert_eq!(mail.subject, "Pagamento aprovado: recibo 000001");
    let page = format!("/invoices/{id}?companyId={}", shop.company);
    for part in ["Período: 21/11/2026 a 21/12/2026", "Visa 4242", "nota fiscal", &page] {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
    let told = "SELECT data FROM events WHERE name = 'invoice.issued' AND finance_only";
    let told: Value = serde_json::from_str(&shop.texts(told).await[0]).unwrap();
    assert_eq!(told, json!({"id": payment["id"], "kind": "payment", "number": 1}));
}

#[actix_web::test]
async fn refunds_are_documented_and_the_list_adds_up_what_its_filter_finds() {
    let shop = Shop::open().await;
    let payment = shop.pay_by_pix().await;
    for amount in ["990", "1000"] {
        shop.refund(&payment, amount).await;
        shop.server.run().await;
    }
    let all = ["3 refund 1000", "2 refund 990", "1 payment 9990"];
    assert_eq!(shop.numbered("").await, all);
    let answer = shop.invoices("?limit=1&page=2").await;
    let data = answer.data(200);
    assert_eq!((&data["total"], &data["page"]), (&json!(3), &json!(2)));
    assert_eq!((&data["paid"], &data["refunded"]), (&json!(9990), &json!(1990)));
    assert_eq!(data["invoices"][0]["lines"], json!([{"kind": "refunded", "amount": 990}]));
    assert_eq!(data["invoices"][0]["payment"]["id"], payment["id"]);
    for (query, expected) in [
        ("?kind=refund", &all[..2]),
        ("?kind=change", &[]),
        ("?from=2026-11-21&to=2026-11-21", &all[..]),
        ("?from=2026-11-22", &[]),
        ("?to=2026-11-20", &[]),
        ("?search=000001", &all[2..]),
        ("?search=profissional%20mensal%20pag", &all[2..]),
        ("?search=99%2C90", &all[2..]),
        ("?search=REEMBOLSO", &all[..2]),
        ("?search=recibo%20de%20reembolso", &all[..2]),
        ("?search=recibo", &all[..]),
        ("?search=cobranca", &[]),
        ("?search=visa", &[]),
        ("?kind=&from=&to=&search=", &all[..]),
    ] {
        assert_eq!(shop.numbered(query).await, expected, "{query}");
    }
    for (query, field) in [
        ("?kind=receipt", "kind"),
        ("?from=21%2F11%2F2026", "from"),
        ("?to=2026-02-30", "to"),
        ("?from=2026-11-22&to=2026-11-21", "to"),
        (&*format!("?search={}", "a".repeat(101)), "search"),
        ("?limit=101", "limit"),
    ] {
        let refused = shop.invoices(query).await;
        refused.refused(422, "VALIDATION_ERROR");
        let fields = refused.body["error"]["fields"].as_object().unwrap();
        assert!(fields.len() == 1 && fields.contains_key(field), "{query}: {fields:?}");
    }
}

#[actix_web::test]
async fn money_that_became_credit_and_a_plan_that_it_pays_are_documented() {
    let shop = Shop::open().await;
    shop.save_billing_profile().await;
    let (boleto, _) = shop.begin(&shop.boleto()).await;
    // Another payment takes its place, and then both are paid.
    let mut pix = shop.pix();
    pix["replace"] = json!(true);
    let (payment, _) = shop.begin(&pix).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    shop.settle(&boleto, "succeeded").await;
    shop.server.run().await;
    let id = boleto["id"].as_str().unwrap();
    let credited = shop.invoices(&format!("/{id}")).await.data(200)["invoice"].clone();
    assert_eq!(credited["becameCredit"], true);
    assert_eq!(credited["lines"], json!([{"kind": "creditKept", "amount": 9990}]));
    assert_eq!(credited["period"], Value::Null);

    // The credit pays the next period: a document of nothing that was charged.
    let mut shop = shop;
    shop.pass(31 * 86_400).await;
    assert_eq!(shop.numbered("").await[0], "3 change 0");
    let change = shop.invoices("?kind=change").await.data(200)["invoices"][0].clone();
    let lines = [("plan", 9990), ("creditUsed", -9990)];
    let lines = lines.map(|(kind, amount)| json!({"kind": kind, "amount": amount}));
    assert_eq!(change["lines"], json!(lines));
    assert_eq!((&change["payment"], &change["paidBy"]), (&Value::Null, &Value::Null));
    assert_eq!(change["period"]["start"], "2026-12-21T15:00:00Z");
    let copies = shop.subjects_to("nf@example.com").await;
    let renewal = "Demonstrativo 000003 do Bipe";
    assert_eq!(copies, [renewal, "Recibo 000001 do Bipe", "Recibo 000002 do Bipe"]);
    let db = &shop.server.database.db;
    for (to, greeting) in [(shop.ana.email.as_str(), "Olá, ana!"), ("nf@example.com", "Olá!")] {
        let mail = mailer::mailbox(db, Some(to)).await.unwrap();
        let mail = mail.iter().find(|mail| mail.subject == renewal).unwrap();
        assert!(mail.text.starts_with(greeting), "{}", mail.text);
    }
}

#[actix_web::test]
async fn a_receipt_goes_to_who_pays_for_the_company_when_its_payer_was_removed() {
    let shop = Shop::open().await;
    let fabi = shop.server.person("fabi@example.com").await;
    shop.server.join(&fabi, shop.company, "finance").await;
    let mut boleto = shop.boleto();
    boleto["customer"]["id"] = json!(fabi.id);
    let begun = shop.server.post_as(&fabi, PROCESS, &boleto).await;
    let payment = begun.data(201)["payment"].clone();
    shop.server.run().await;
    shop.owner.execute("DELETE FROM members WHERE user_id = $1", &[&fabi.id]).await.unwrap();
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let pending = "Pagamento pendente: plano Profissional";
    assert_eq!(shop.subjects_to(&fabi.email).await, [pending]);
    let approved = "Pagamento aprovado: recibo 000001";
    assert_eq!(shop.subjects_to(&shop.ana.email).await, [approved]);
}

#[actix_web::test]
async fn the_document_of_a_refund_is_mailed_once_to_the_billing_addresses_alone() {
    let shop = Shop::open().await;
    shop.save_billing_profile().await;
    let payment = shop.pay_by_pix().await;
    let told = shop.subjects_to(&shop.ana.email).await;
    for amount in ["990", "1000"] {
        shop.refund(&payment, amount).await;
        shop.server.run().await;
    }
    shop.server.pass(3600).await;
    let copies = shop.subjects_to("nf@example.com").await;
    let refunds = [2, 3].map(|number| format!("Recibo de reembolso 00000{number} do Bipe"));
    assert_eq!(copies[0], "Recibo 000001 do Bipe");
    assert_eq!(copies[1..], refunds);
    assert_eq!(shop.subjects_to(&shop.ana.email).await, told);
}

#[actix_web::test]
async fn a_document_is_mailed_once_for_a_key_and_ten_times_an_hour() {
    let shop = Shop::open().await;
    let payment = shop.pay_by_pix().await;
    let path = shop.invoices_path(&format!("/{}/send", payment["id"].as_str().unwrap()));
    let before = shop.mail().await.len();
    let send = async |key: &str| {
        let request = reqwest::Client::new().post(shop.server.url(&path));
        let request = request.bearer_auth(&shop.ana.token).header("idempotency-key", key);
        bipe_testkit::answer(request).await
    };
    for replayed in [false, true] {
        let sent = send("one").await;
        assert_eq!(sent.data(200), &json!({"sentTo": ["ana@example.com"]}));
        assert_eq!(sent.headers.contains_key("idempotent-replayed"), replayed);
    }
    shop.server.run().await;
    let mail = shop.mail().await;
    assert_eq!(mail.len(), before + 1);
    assert!(mail.contains(&"Recibo 000001 do Bipe".to_owned()), "{mail:?}");
    let audited = "SELECT target FROM audit_entries WHERE action = 'invoice.send'";
    assert_eq!(shop.texts(audited).await, [payment["id"].as_str().unwrap()]);
    for turn in 2..=10 {
        send(&format!("key {turn}")).await.data(200);
    }
    for _ in 0..2 {
        let refused = send("one more").await;
        refused.refused(429, "RATE_LIMITED");
        assert_eq!(refused.headers["retry-after"], "360");
    }
    // An answer that was lost is told again, whatever is left.
    let again = send("one").await;
    assert_eq!(again.data(200), &json!({"sentTo": ["ana@example.com"]}));
    shop.server.database.db.clock().advance(360);
    send("one more").await.data(200);
}

#[actix_web::test]
async fn a_year_of_documents_is_one_archive_with_exactly_the_files_of_that_year() {
    let mut shop = Shop::open().await;
    let payment = shop.pay_by_pix().await;
    shop.refund(&payment, "990").await;
    shop.server.run().await;
    shop.pass(60 * 86_400).await;
    // The next year has another document.
    shop.refund(&payment, "1000").await;
    shop.server.run().await;
    let named = shop.file("/zip?year=2026").await;
    let named = named.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert_eq!(named, "attachment; filename=\"faturas-2026.zip\"");

    let files = shop.packed("?year=2026").await;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["fatura-000001.pdf", "fatura-000002.pdf", "faturas.csv"]);
    let pdf = shop.file(&format!("/{}/pdf", payment["id"].as_str().unwrap())).await;
    assert_eq!(files["fatura-000001.pdf"], pdf.bytes().await.unwrap());
    let table = String::from_utf8(files["faturas.csv"].clone()).unwrap();
    let rows: Vec<&str> = table.split("\r\n").skip(1).collect();
    assert!(rows[0].starts_with("000001;Pagamento;21/11/2026 12:00;"), "{table}");
    assert!(
        rows[0].contains(
            ";Ponto Central;;;;Profissional · Mensal;21/11/2026;21/12/2026;PIX;99,90;BRL;"
        )
    );
    assert!(rows.len() == 2 && rows[1].starts_with("000002;Reembolso;"), "{table}");
    assert!(rows[1].contains(";PIX;-9,90;BRL;"), "{table}");

    let running = shop.packed("").await;
    assert_eq!(running.keys().collect::<Vec<_>>(), ["fatura-000003.pdf", "faturas.csv"]);
    let newest = shop.invoices("?limit=1").await.data(200)["invoices"][0]["id"].clone();
    let pdf = shop.file(&format!("/{}/pdf", newest.as_str().unwrap())).await;
    assert_eq!(running["fatura-000003.pdf"], pdf.bytes().await.unwrap());
    assert_eq!(shop.packed("?year=2025").await.keys().collect::<Vec<_>>(), ["faturas.csv"]);
    for wrong in ["1999", "9999", "26", "%2B2026", "dois"] {
        let refused = shop.invoices(&format!("/zip?year={wrong}")).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], json!({"year": "INVALID"}), "{wrong}");
    }
    let noted = "SELECT count(*) FROM audit_entries WHERE action = 'invoice.export' AND company_id IS NOT NULL";
    assert_eq!(shop.number(noted).await, 4, "each archive");
}

#[actix_web::test]
async fn an_archive_is_for_those_who_may_see_money_and_ten_times_an_hour() {
    let shop = Shop::open().await;
    shop.pay_by_pix().await;
    let path = shop.invoices_path("/zip?year=2026");
    let bia = shop.server.person("bia@example.com").await;
    shop.server.get_as(&bia, &path).await.refused(404, "NOT_FOUND");
    shop.server.join(&bia, shop.company, "operator").await;
    shop.server.get_as(&bia, &path).await.refused(403, "FORBIDDEN");
    for _ in 0..10 {
        assert_eq!(shop.file("/zip").await.status(), 200);
    }
    shop.invoices("/zip").await.refused(429, "RATE_LIMITED");
}

#[actix_web::test]
async fn a_year_of_more_than_five_hundred_documents_is_refused() {
    let shop = Shop::open().await;
    shop.pay_by_pix().await;
    let more = "INSERT INTO invoices SELECT (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), \
         'kind', 'refund', 'number', number + n))).* FROM invoices i, generate_series(1, 500) n";
    shop.owner.execute(more, &[]).await.unwrap();
    // Nobody was given anything back.
    shop.server.leave_unproven();
    let refused = shop.invoices("/zip?year=2026").await;
    refused.refused(422, "VALIDATION_ERROR");
    assert_eq!(refused.body["error"]["fields"], json!({"year": "TOO_LONG"}));
}
