//! The texts of every mail, in Portuguese (invariant I8). Pure; called by `mailer` when a mail is sent.
//!
//! This file has the mails about the account. `notices` has those that the owner can undo; `second_factor`, `billing`
//! and `company` have their own. `state` words where a subscription stands, `device` what a browser calls itself. A
//! mail is a list of blocks. `layout` renders the list twice, as HTML and as plain text, in which a code or a link
//! stands alone on its line.

mod billing;
mod company;
pub mod device;
mod layout;
mod notices;
mod second_factor;
pub mod state;

use jiff::Timestamp;

use crate::auth::code::Purpose;
use crate::brazil::dates_pt_br::{self, day};
use crate::mailer::message::Message;

pub use layout::escape;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub subject: String,
    pub text: String,
    pub html: String,
}

enum Block {
    Paragraph(String),
    /// Digits, or text to copy.
    Code(String),
    /// Label and address.
    Link(&'static str, String),
    /// Label and value pairs.
    Facts(Vec<(&'static str, String)>),
}

use Block::{Code, Facts, Link, Paragraph};
use layout::{as_html, as_text, one_line, unlinked};
use notices::UndoSection;

/// A reader of a mail may be anywhere.
fn moment(at: Timestamp) -> String {
    format!("{} (horário de Brasília)", dates_pt_br::moment(at))
}

fn say(text: impl Into<String>) -> Block {
    Paragraph(text.into())
}

/// Where something was done. A browser calls itself what its owner wants, who may be the thief of whom the mail warns.
fn device_fact(user_agent: &str) -> (&'static str, String) {
    ("Dispositivo", unlinked(&device::name(user_agent)))
}

/// What stands in a mail and nowhere else: derived when it is sent.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// Six digits, of a `Message::Code`.
    pub code: String,
    /// What the link of a reset, of an invitation or "Não fui eu" ends with.
    pub token: String,
    /// The address that the mail goes to, which the page of a verification asks for.
    pub recipient: String,
    /// The name of the file that goes with the mail.
    pub attached: Option<String>,
}

/// `public_url` has no slash at its end.
pub fn render(message: &Message, derived: &Derived, public_url: &str) -> Rendered {
    let (subject, mut blocks) = mail(message, derived, public_url);
    if message.is_optional() {
        blocks.extend(billing::preferences(public_url));
    }
    let subject = one_line(&subject);
    Rendered { text: as_text(&blocks), html: as_html(&subject, &blocks), subject }
}

type Mail = (String, Vec<Block>);

fn mail(message: &Message, derived: &Derived, public_url: &str) -> Mail {
    let section = |undo: &Option<_>| UndoSection::of(undo.as_ref(), &derived.token, public_url);
    match message {
        Message::Code { name, issue } => code(issue.purpose, name, derived, public_url),
        Message::AlreadyRegistered { name } => already_registered(name, public_url),
        Message::EmailInUse { name } => email_in_use(name, public_url),
        Message::PasswordReset { name, at, undo } => {
            notices::password_reset(name, *at, &section(undo))
        }
        Message::PasswordChanged { name, at, undo } => {
            notices::password_changed(name, *at, &section(undo))
        }
        Message::EmailChanged { name, at, undo } => {
            notices::email_changed(name, *at, &section(undo))
        }
        Message::AccountProtected { name, at, factors_removed } => {
            notices::protected(name, *at, *factors_removed, public_url)
        }
        Message::SessionEnded { name, at, device } => session_ended(name, *at, device, public_url),
        Message::AdminSignIn { at, network, device, undo } => {
            notices::admin_sign_in(*at, network, device, &section(undo))
        }
        Message::NewSignIn { name, at, network, device, undo } => {
            notices::new_sign_in(name, *at, network, device, &section(undo))
        }
        Message::AccountDeleted { name, at } => account_deleted(name, *at),
        Message::SecondFactorAdded { name, at, passkey, device, undo } => {
            second_factor::added(name, *at, passkey.as_deref(), device, &section(undo))
        }
        Message::SecondFactorRemoved { name, at, passkey, is_last } => {
            second_factor::removed(name, *at, passkey.as_deref(), *is_last, public_url)
        }
        Message::RecoveryCodesReplaced { name, at } => {
            second_factor::codes_replaced(name, *at, public_url)
        }
        Message::RecoveryCodeUsed { name, at, device, left } => {
            second_factor::code_used(name, *at, device, *left, public_url)
        }
        Message::PasskeyCopied { name, at, passkey, device } => {
            second_factor::passkey_copied(name, *at, passkey, device, public_url)
        }
        Message::SecondFactorReset { name, at, company } => {
            second_factor::reset(name, *at, company, public_url)
        }
        Message::Invite(notice) => company::invite(notice, &derived.token, public_url),
        Message::AddedToCompany(notice) => company::added(notice, public_url),
        Message::PaymentApproved(notice) => billing::approved(notice, derived, public_url),
        Message::InvoiceCopy { name, invoice } => billing::copy(name, invoice, derived, public_url),
        Message::PaymentDeclined(notice) => billing::declined(notice, public_url),
        Message::PaymentPending(notice) => billing::pending(notice, public_url),
        Message::RenewalCharge(notice) => billing::renewal_charge(notice, public_url),
        Message::RenewalReminder(notice) => billing::renewal_reminder(notice, public_url),
        Message::RenewalDue(notice) => billing::renewal_due(notice, public_url),
        Message::RenewalFailed(notice) => billing::renewal_failed(notice, public_url),
        Message::RenewalConfirmation(notice) => billing::renewal_confirmation(notice, public_url),
        Message::SubscriptionCancelled(notice) => billing::cancelled(notice, public_url),
        Message::SubscriptionSuspended(notice) => billing::suspended(notice, public_url),
        Message::SubscriptionExpiring(notice) => billing::expiring(notice, public_url),
        Message::SubscriptionExpired(notice) => billing::expired(notice, public_url),
        Message::LatePaymentCredited(notice) => billing::late_payment_credited(notice, public_url),
    }
}

fn code(purpose: Purpose, name: &str, derived: &Derived, public_url: &str) -> Mail {
    match purpose {
        Purpose::Verification => verification(name, derived, public_url),
        Purpose::Reset => reset(name, derived, public_url),
        Purpose::Email => email_change(name, &derived.code, public_url),
    }
}

/// By the first name, where it is one: whoever signs up with somebody else's address chooses the name, and
/// may not send them an address to click.
fn hello(name: &str) -> Block {
    let first = name.split_whitespace().next().unwrap_or_default();
    let is_name = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
    if first.is_empty() || !first.chars().all(is_name) {
        return say("Olá!");
    }
    say(format!("Olá, {first}!"))
}

fn sign_in_link(url: &str) -> Block {
    Link("Entrar", format!("{url}/signin"))
}

fn reset_password_link(url: &str) -> Block {
    Link("Redefinir a senha", format!("{url}/forgot-password"))
}

fn account_link(url: &str) -> Block {
    Link("Abrir Minha Conta", format!("{url}/account"))
}

/// `email=ana%40example.com`: the page of a link says whose it is.
fn whose(recipient: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("email", recipient).finish()
}

fn verification(name: &str, Derived { code, recipient, .. }: &Derived, url: &str) -> Mail {
    let query = whose(recipient);
    let blocks = vec![
        hello(name),
        say("Este é o seu código para verificar o email no Bipe. Ele vale por 15 minutos."),
        Code(code.to_owned()),
        Link("Verificar o email", format!("{url}/verify-email?{query}")),
        say(
            "Quem criou a conta escolheu a senha dela. Se não foi você, não use este código: ignore esta mensagem, ou \
             redefina a senha para ficar com a conta:",
        ),
        reset_password_link(url),
    ];
    ("Seu código de verificação do Bipe".into(), blocks)
}

fn reset(name: &str, Derived { code, token, recipient, .. }: &Derived, url: &str) -> Mail {
    let whose = whose(recipient);
    let blocks = vec![
        hello(name),
        say("Este é o seu código para redefinir a senha no Bipe. Ele vale por 15 minutos."),
        Code(code.to_owned()),
        say("Se preferir, escolha a nova senha por este link. Ele vale o mesmo tempo, uma vez só:"),
        // Behind the #: a browser sends that part to no server, so it reaches no log.
        Link("Escolher nova senha", format!("{url}/reset-password#{whose}&token={token}")),
        say(
            "Se você não pediu, ignore esta mensagem: sua senha continua a mesma. Nunca passe o código nem o link a \
             ninguém.",
        ),
    ];
    ("Seu código para redefinir a senha do Bipe".into(), blocks)
}

fn email_change(name: &str, digits: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(
            "Este é o seu código para usar este email na sua conta do Bipe. Ele vale por 15 minutos.",
        ),
        Code(digits.to_owned()),
        say("Digite o código na aba em que você pediu a troca."),
        say(
            "Se você não pediu, ignore esta mensagem: nada muda. Nunca informe este código a ninguém.",
        ),
        Link("Abrir o Bipe", format!("{url}/account")),
    ];
    ("Seu código para trocar o email do Bipe".into(), blocks)
}

fn already_registered(name: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(
            "Alguém tentou criar uma conta no Bipe com este email, que já tem uma conta. Se foi você, entre:",
        ),
        sign_in_link(url),
        say("Se esqueceu a senha, redefina-a:"),
        reset_password_link(url),
        say("Se não foi você, não é preciso fazer nada."),
    ];
    ("Você já tem uma conta no Bipe".into(), blocks)
}

fn email_in_use(name: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(
            "Alguém pediu para usar este email em outra conta do Bipe. Ele já é o da sua conta, e continua sendo: \
             nada mudou.",
        ),
        say("Se foi você, entre com este email, ou escolha outro para a outra conta:"),
        sign_in_link(url),
    ];
    ("Este email já tem uma conta no Bipe".into(), blocks)
}

fn session_ended(name: &str, at: Timestamp, device: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(
            "Encerramos uma das suas sessões, porque uma credencial antiga dela foi usada de novo. Isso pode \
             significar que alguém a copiou.",
        ),
        Facts(vec![("Quando", moment(at)), device_fact(device)]),
        say("Entre novamente:"),
        sign_in_link(url),
        say("Se desconfiar de algo, redefina a sua senha:"),
        reset_password_link(url),
    ];
    ("Encerramos uma sessão sua no Bipe".into(), blocks)
}

fn account_deleted(name: &str, at: Timestamp) -> Mail {
    let blocks = vec![
        hello(name),
        say(format!(
            "Sua conta foi excluída em {} e os seus dados pessoais foram anonimizados. Pelo prazo que a lei exige, \
             guardamos as faturas e os recibos do que você pagou, com o seu nome, as cobranças de PIX e boleto, com os \
             dados que você informou, e os registros de segurança e de consentimento, sem eles.",
            moment(at)
        )),
        say("Se não foi você, responda a esta mensagem."),
    ];
    ("Sua conta do Bipe foi excluída".into(), blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::code::IssuedCode;
    use crate::id::UserId;
    use crate::mailer::message::PaymentNotice;
    use crate::money::Cents;
    use crate::payment_method::Method;

    const URL: &str = "https://bipe.example";

    fn at() -> Timestamp {
        "2026-11-21T15:00:00Z".parse().unwrap()
    }

    fn code(purpose: Purpose) -> Message {
        let user_id = UserId(uuid::Uuid::nil());
        let issue = IssuedCode { user_id, purpose, issued_at: at(), key: None };
        Message::Code { name: "Ana Souza".into(), issue }
    }

    #[test]
    fn a_code_and_a_link_stand_alone_on_their_lines() {
        let links = [(Purpose::Verification, 2), (Purpose::Reset, 1), (Purpose::Email, 1)];
        for (purpose, links) in links {
            let derived =
                Derived { code: "012345".into(), token: "t0k-en_".into(), ..Derived::default() };
            let mail = render(&code(purpose), &derived, URL);
            let lines: Vec<&str> = mail.text.lines().collect();
            assert_eq!(lines.iter().filter(|line| **line == "012345").count(), 1);
            assert_eq!(lines.iter().filter(|line| line.starts_with("https://")).count(), links);
            let digits = |line: &&&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
            assert_eq!(lines.iter().filter(digits).count(), 1, "no other line looks like a code");
            assert!(mail.html.contains(">012345<"));
        }
    }

    #[test]
    fn the_button_of_a_verification_leads_to_where_its_code_is_typed() {
        let derived = Derived { recipient: "ana+1@example.com".into(), ..Derived::default() };
        let mail = render(&code(Purpose::Verification), &derived, URL);
        let first = mail.html.split("href=\"").nth(1).and_then(|rest| rest.split('"').next());
        assert_eq!(first, Some("https://bipe.example/verify-email?email=ana%2B1%40example.com"));
    }

    #[test]
    fn what_people_typed_is_no_markup() {
        let message = Message::SessionEnded {
            name: "<b>Ana".into(),
            at: at(),
            device: "\"><script>alert(1)</script>".into(),
        };
        let mail = render(&message, &Derived::default(), URL);
        assert!(!mail.html.contains("<script>") && !mail.html.contains("<b>"), "{}", mail.html);
        assert!(mail.text.contains("Quando: 21/11/2026 às 12:00 (horário de Brasília)"));
    }

    #[test]
    fn what_a_thief_in_the_account_may_have_chosen_is_no_address_to_click() {
        let (name, at) = (|| "Ana".to_owned(), at());
        let evil = || "Veja https://evil.example/x".to_owned();
        let network = "203.0.113.0/24".to_owned();
        for message in [
            Message::SessionEnded { name: name(), at, device: evil() },
            Message::NewSignIn { name: name(), at, network, device: evil(), undo: None },
            Message::PasskeyCopied { name: name(), at, passkey: evil(), device: evil() },
            Message::SecondFactorRemoved {
                name: name(),
                at,
                passkey: Some(evil()),
                is_last: false,
            },
            Message::SecondFactorReset { name: name(), at, company: evil() },
        ] {
            let mail = render(&message, &Derived::default(), URL);
            for part in [&mail.text, &mail.html] {
                assert!(part.contains("Veja https: //evil. example/x"), "{part}");
                assert!(!part.contains("evil.example"), "{part}");
            }
        }
    }

    #[test]
    fn a_pending_payment_says_how_to_pay() {
        let notice = PaymentNotice {
            name: "Ana Souza".into(),
            company: "Depósito Norte".into(),
            plan: "Profissional".into(),
            amount: Cents(9_990),
            method: Method::Pix.mail_name().into(),
            expires_at: Some(at()),
            pix_code: Some("00020126".into()),
            bank_slip_line: None,
            link: Some("javascript:alert(1)".into()),
            payment: None,
            receipt: None,
            has_expired: false,
            received: None,
        };
        let mail = render(&Message::PaymentPending(notice), &Derived::default(), URL);
        assert_eq!(mail.subject, "Pagamento pendente: plano Profissional");
        assert!(mail.text.contains("Valor: R$\u{a0}99,90"));
        assert!(mail.text.lines().any(|line| line == "00020126"));
        assert!(mail.text.contains("Pague até 21/11/2026 às 12:00 (horário de Brasília)."));
        assert!(!mail.html.contains("javascript:"), "only https links are shown");
    }
}
