//! Every mail, as its reader gets it: the texts stand in `mails.txt`, and nothing that a person typed is markup.

use bipe_core::auth::code::{IssuedCode, Purpose};
use bipe_core::auth::recovery::undo_link;
use bipe_core::company::invite_link;
use bipe_core::id::{CompanyId, InvoiceId, PaymentId};
use bipe_core::invoice::{
    Invoice, InvoiceKind, InvoicePayer, InvoicePeriod, Issuer, Line, LineKind, PaymentMeans,
};
use bipe_core::mail_pt_br::{Derived, Rendered, render};
use bipe_core::mailer::{
    InviteNotice, Message, NoticeState, PaymentNotice, SubscriptionNotice, WelcomeNotice,
};
use bipe_core::money::Cents;
use bipe_core::payment_method::{CardName, Method};
use bipe_core::plan::BillingCycle;
use bipe_core::scope::Role;
use bipe_core::subscription::state::StateKind;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

const URL: &str = "https://bipe.example";
const EXPECTED: &str = include_str!("mails.txt");

fn at() -> Timestamp {
    "2026-11-21T15:00:00Z".parse().unwrap()
}

fn payment(typed: &str, method: &str) -> PaymentNotice {
    PaymentNotice {
        name: typed.into(),
        company: typed.into(),
        plan: typed.into(),
        amount: Cents(9_990),
        method: method.into(),
        expires_at: Some(at()),
        pix_code: None,
        bank_slip_line: None,
        link: None,
        payment: Some(PaymentId(uuid::Uuid::nil())),
        receipt: None,
        has_expired: false,
        received: None,
    }
}

/// The document of a payment by card, for a month.
fn receipt(typed: &str) -> Box<Invoice> {
    let period = InvoicePeriod { start: at(), end: "2026-12-21T15:00:00Z".parse().unwrap() };
    Box::new(Invoice {
        id: InvoiceId(uuid::Uuid::nil()),
        company_id: CompanyId(uuid::Uuid::nil()),
        kind: InvoiceKind::Payment,
        number: 123,
        issuer: Issuer::default(),
        at: at(),
        issued_at: at(),
        payer: InvoicePayer { name: typed.into(), tax_id: None, address: None },
        paid_by: Some(typed.into()),
        plan_name: typed.into(),
        billing_cycle: BillingCycle::Monthly,
        period: Some(period),
        lines: vec![Line { kind: LineKind::Plan, amount: Cents(9_990) }],
        total: Cents(9_990),
        taxes: Cents::ZERO,
        currency: "brl".into(),
        became_credit: false,
        payment: Some(PaymentMeans {
            id: PaymentId(uuid::Uuid::nil()),
            method: Method::CreditCard,
            card: Some(CardName { brand: "visa".into(), last4: "4242".into() }),
            provider: "stripe".into(),
            reference: Some("pi_1".into()),
        }),
    })
}

/// The document of a refund that the provider took back.
fn undone_refund(typed: &str) -> Box<Invoice> {
    let paid = *receipt(typed);
    Box::new(Invoice { kind: InvoiceKind::Refund, total: Cents(-990), ..paid })
}

fn subscription(typed: &str) -> SubscriptionNotice {
    SubscriptionNotice {
        name: typed.into(),
        company: typed.into(),
        plan: typed.into(),
        cycle: BillingCycle::Monthly,
        amount: Cents(9_990),
        due_at: Some(at()),
        link: Some("/subscriptions?pay=renewal".into()),
        state: None,
        company_is_closed: false,
        card_expires: false,
        credit: None,
        unpaid: None,
    }
}

/// The same of a subscription that stands so, until the instant that the mail is about or `days` after it.
fn standing(typed: &str, kind: StateKind, days: i64) -> SubscriptionNotice {
    let deadline = Some(at() + SignedDuration::from_hours(24 * days));
    SubscriptionNotice { state: Some(NoticeState { kind, deadline }), ..subscription(typed) }
}

/// The same of money that became credit: it links the document, which names the company.
fn credited(typed: &str) -> SubscriptionNotice {
    let document = receipt(typed);
    let link = bipe_core::invoice::path(document.company_id, document.id);
    SubscriptionNotice { link: Some(link), ..subscription(typed) }
}

fn undo() -> Option<undo_link::UndoLink> {
    Some(undo_link::UndoLink { link_id: uuid::Uuid::nil(), issued_at: at(), key: None })
}

fn account(typed: &str) -> Vec<Message> {
    let (name, nobody) = (|| typed.to_owned(), "00000000-0000-0000-0000-000000000000");
    let code = |purpose| Message::Code {
        name: name(),
        issue: IssuedCode { user_id: nobody.parse().unwrap(), purpose, issued_at: at(), key: None },
    };
    let (network, device) = ("203.0.113.0/24".to_owned(), name());
    let undo = undo();
    vec![
        code(Purpose::Verification),
        code(Purpose::Reset),
        code(Purpose::Email),
        Message::AlreadyRegistered { name: name() },
        Message::EmailInUse { name: name() },
        Message::PasswordReset { name: name(), at: at(), undo },
        Message::PasswordChanged { name: name(), at: at(), undo },
        Message::EmailChanged { name: name(), at: at(), undo },
        Message::AccountProtected { name: name(), at: at(), factors_removed: true },
        Message::SessionEnded { name: name(), at: at(), device: name() },
        Message::AdminSignIn { at: at(), network: network.clone(), device: device.clone(), undo },
        Message::NewSignIn { name: name(), at: at(), network, device, undo },
        Message::AccountDeleted { name: name(), at: at() },
    ]
}

fn second_factor(typed: &str) -> Vec<Message> {
    let name = || typed.to_owned();
    let added = |passkey| Message::SecondFactorAdded {
        name: name(),
        at: at(),
        passkey,
        device: name(),
        undo: undo(),
    };
    vec![
        added(None),
        added(Some(name())),
        Message::SecondFactorRemoved { name: name(), at: at(), passkey: None, is_last: true },
        Message::SecondFactorRemoved {
            name: name(),
            at: at(),
            passkey: Some(name()),
            is_last: false,
        },
        Message::RecoveryCodesReplaced { name: name(), at: at() },
        Message::RecoveryCodeUsed { name: name(), at: at(), device: name(), left: 9 },
        Message::PasskeyCopied { name: name(), at: at(), passkey: name(), device: name() },
        Message::SecondFactorReset { name: name(), at: at(), company: name() },
    ]
}

fn business(typed: &str) -> Vec<Message> {
    let (name, nobody) = (|| typed.to_owned(), "00000000-0000-0000-0000-000000000000");
    vec![
        Message::Invite(InviteNotice {
            company: name(),
            inviter: name(),
            role: Role::Operator,
            issue: invite_link::InviteLink {
                invite_id: nobody.parse().unwrap(),
                issued_at: at(),
                key: None,
            },
        }),
        Message::AddedToCompany(WelcomeNotice {
            name: name(),
            company: name(),
            company_id: Some(nobody.parse().unwrap()),
            role: Role::Finance,
        }),
        Message::PaymentApproved(payment(typed, Method::CreditCard.mail_name())),
        Message::PaymentApproved(PaymentNotice {
            receipt: Some(receipt(typed)),
            ..payment(typed, Method::CreditCard.mail_name())
        }),
        Message::InvoiceCopy { name: name(), invoice: receipt(typed) },
        Message::InvoiceCopy { name: String::new(), invoice: undone_refund(typed) },
        Message::PaymentDeclined(payment(typed, Method::CreditCard.mail_name())),
        Message::PaymentDeclined(PaymentNotice {
            has_expired: true,
            ..payment(typed, Method::Pix.mail_name())
        }),
        Message::PaymentDeclined(PaymentNotice {
            received: Some(Cents(5_000)),
            ..payment(typed, Method::Pix.mail_name())
        }),
        Message::PaymentPending(PaymentNotice {
            pix_code: Some("00020126580014br.gov.bcb.pix".into()),
            ..payment(typed, Method::Pix.mail_name())
        }),
        Message::PaymentPending(PaymentNotice {
            bank_slip_line: Some("00190.50095 40144.816069 06809.350314 3 37370000000100".into()),
            link: Some("https://pay.example/boleto".into()),
            ..payment(typed, Method::BankSlip.mail_name())
        }),
    ]
}

fn subscriptions(typed: &str) -> Vec<Message> {
    vec![
        Message::RenewalCharge(standing(typed, StateKind::Renews, 0)),
        Message::RenewalCharge(SubscriptionNotice {
            card_expires: true,
            ..standing(typed, StateKind::Renews, 0)
        }),
        Message::RenewalReminder(standing(typed, StateKind::Expiring, 0)),
        Message::RenewalDue(standing(typed, StateKind::Due, 3)),
        Message::RenewalFailed(standing(typed, StateKind::Due, 3)),
        Message::RenewalFailed(standing(typed, StateKind::Suspended, 15)),
        Message::RenewalConfirmation(standing(typed, StateKind::Due, 3)),
        Message::RenewalConfirmation(SubscriptionNotice {
            company_is_closed: true,
            ..standing(typed, StateKind::Due, 3)
        }),
        Message::SubscriptionCancelled(standing(typed, StateKind::Canceled, 0)),
        Message::SubscriptionCancelled(SubscriptionNotice {
            due_at: None,
            state: Some(NoticeState { kind: StateKind::Expired, deadline: None }),
            credit: Some(Cents(6_660)),
            ..subscription(typed)
        }),
        Message::SubscriptionSuspended(standing(typed, StateKind::Suspended, 0)),
        Message::SubscriptionSuspended(SubscriptionNotice {
            company_is_closed: true,
            ..standing(typed, StateKind::Suspended, 0)
        }),
        Message::SubscriptionExpiring(standing(typed, StateKind::Suspended, 0)),
        Message::SubscriptionExpiring(standing(typed, StateKind::Canceled, 0)),
        Message::SubscriptionExpired(standing(typed, StateKind::Expired, 0)),
        Message::LatePaymentCredited(credited(typed)),
    ]
}

/// Each mail once, with `typed` wherever a person chose the words.
fn every(typed: &str) -> Vec<Message> {
    [account(typed), second_factor(typed), business(typed), subscriptions(typed)].concat()
}

fn rendered(message: &Message) -> Rendered {
    let code = if matches!(message, Message::Code { .. }) { "012345" } else { "" };
    let recipient = "ana@exemplo.com.br".to_owned();
    let attached = message.document().map(Invoice::file_name);
    let derived = Derived { code: code.into(), token: "t0k-en_".into(), recipient, attached };
    render(message, &derived, URL)
}

/// `kind` as the job stores it.
fn kind(message: &Message) -> String {
    let stored = serde_json::to_value(message).unwrap();
    stored["kind"].as_str().unwrap().to_owned()
}

#[test]
fn every_mail_reads_as_written() {
    let mut all = String::new();
    for message in every("Ana Souza") {
        let mail = rendered(&message);
        all += &format!("#### {}\nAssunto: {}\n\n{}\n", kind(&message), mail.subject, mail.text);
    }
    if all != EXPECTED {
        let path = std::env::temp_dir().join("bipe-mails.txt");
        std::fs::write(&path, &all).unwrap();
        panic!(
            "the texts changed: read {}, and copy it to core/tests/it/mails.txt",
            path.display()
        );
    }
}

#[test]
fn no_kind_of_mail_is_missing() {
    let source = include_str!("../../src/mailer/message.rs");
    let variants = source.split("pub enum Message {").nth(1).unwrap();
    let names = variants.lines().filter_map(|line| {
        let name = line.strip_prefix("    ")?.split(['(', ' ', ',']).next()?;
        name.starts_with(|c: char| c.is_ascii_uppercase()).then(|| name.to_lowercase())
    });
    let kinds: Vec<String> = every("Ana").iter().map(|m| kind(m).replace('_', "")).collect();
    let missing: Vec<String> = names.filter(|name| !kinds.contains(name)).collect();
    assert!(missing.is_empty(), "add these mails to `every`: {missing:?}");
}

#[test]
fn a_mail_that_shows_a_link_or_has_a_document_says_so() {
    for message in every("Ana") {
        let shows_link = rendered(&message).text.contains("/not-me#");
        assert_eq!(message.undo().is_some(), shows_link, "undo of {}", kind(&message));
        let stored = serde_json::to_value(&message).unwrap();
        let has_document =
            stored.as_object().unwrap().values().any(|value| value["lines"].is_array());
        assert_eq!(message.document().is_some(), has_document, "document of {}", kind(&message));
    }
}

#[test]
fn the_html_says_what_the_text_says() {
    for message in every("Ana Souza") {
        let mail = rendered(&message);
        let plain = mail.html.replace("&amp;", "&");
        for line in mail.text.lines().filter(|line| !line.is_empty()) {
            // A label and its value stand in two cells, a link's label before its address.
            let value = line.split_once(": ").map_or(line, |(_, value)| value);
            let value = value.strip_suffix(':').unwrap_or(value);
            assert!(plain.contains(value), "{}: {value}", kind(&message));
        }
        assert!(mail.html.contains("lang=\"pt-BR\""));
        let links = mail.html.matches("href=\"").count();
        assert_eq!(links, mail.html.matches("href=\"https://").count(), "{}", kind(&message));
    }
}

#[test]
fn what_people_typed_is_neither_markup_nor_a_link_nor_a_line_of_the_text() {
    let typed = "<img/src=x>\"'& http://evil.example\r\nBcc: eve@evil.example";
    for message in every(typed) {
        let mail = rendered(&message);
        assert!(!mail.html.contains("<img"), "{}: {}", kind(&message), mail.html);
        assert!(!mail.html.contains("\"'&"), "{}", kind(&message));
        assert!(!mail.html.contains("href=\"http://evil"), "{}", kind(&message));
        assert!(!mail.text.starts_with("Olá, <"), "{}", kind(&message));
        assert!(mail.text.lines().all(|line| !line.starts_with("Bcc:")), "{}", kind(&message));
        assert!(!mail.subject.contains(char::is_control), "{}", kind(&message));
        let codes = mail.text.lines().filter(|line| *line == "012345").count();
        assert_eq!(codes, usize::from(matches!(message, Message::Code { .. })));
    }
}

#[test]
fn a_document_to_any_address_makes_no_link_of_what_its_company_chose() {
    let paid = *receipt("Veja https://evil.example/x");
    let invoice = Box::new(Invoice { plan_name: "Profissional".into(), ..paid });
    let mail = rendered(&Message::InvoiceCopy { name: String::new(), invoice });
    for part in [&mail.text, &mail.html] {
        assert_eq!(part.matches("Veja https: //evil. example/x").count(), 2, "{part}");
        assert!(!part.contains("evil.example"), "{part}");
    }
}

#[test]
fn the_name_of_a_company_is_no_address_to_click() {
    for message in every("Veja https://evil.example/x") {
        let text = rendered(&message).text;
        assert!(!text.contains("Empresa: Veja https://"), "{text}");
    }
}

#[test]
fn a_mail_names_the_device_in_words() {
    let agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/141.0.0.0 Safari/537.36";
    for (agent, name) in [(agent, "Chrome no Windows"), ("", "Dispositivo desconhecido")] {
        let texts: Vec<String> = every(agent).iter().map(|mail| rendered(mail).text).collect();
        let lines = texts.iter().flat_map(|text| text.lines());
        let named: Vec<&str> =
            lines.filter_map(|line| line.strip_prefix("Dispositivo: ")).collect();
        assert_eq!(named, [name; 7]);
    }
}

#[test]
fn a_mail_to_pay_leads_to_the_page_that_pays_and_to_no_other_site() {
    let notice = subscription("Ana Souza");
    let links = |notice: SubscriptionNotice| {
        let mail = render(&Message::RenewalReminder(notice), &Derived::default(), URL);
        let found = mail.text.lines().filter(|line| line.starts_with("http"));
        found.map(str::to_owned).collect::<Vec<_>>()
    };
    let account = "https://bipe.example/account";
    assert_eq!(links(notice.clone()), ["https://bipe.example/subscriptions?pay=renewal", account]);
    for link in [None, Some("https://evil.example".into()), Some(".evil.example".into())] {
        assert_eq!(
            links(SubscriptionNotice { link, ..notice.clone() }),
            ["https://bipe.example/plans", account]
        );
    }
}

#[test]
fn a_notice_that_was_queued_before_it_had_a_link_is_mailed_without_one() {
    let queued = json!({"kind": "password_reset", "name": "Ana", "at": at()});
    let mail = rendered(&serde_json::from_value(queued).unwrap());
    assert!(mail.text.contains("redefina a sua senha"), "{}", mail.text);
    assert!(!mail.text.contains("/not-me"), "{}", mail.text);
}
