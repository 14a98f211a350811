//! The texts of every mail, in Portuguese (invariant I8). Pure; called by `mailer.rs` when a mail is sent.
//!
//! A mail is a list of blocks, rendered twice: plain text, where a code stands alone on its line and so does a
//! link, and HTML with everything escaped.

use jiff::Timestamp;

use crate::auth::code::Purpose;
use crate::brazil;
use crate::mailer::{Message, PaymentNotice};

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

fn say(text: impl Into<String>) -> Block {
    Paragraph(text.into())
}

/// `digits` is the code of a `Message::Code`; `public_url` has no slash at its end.
pub fn render(message: &Message, digits: Option<&str>, public_url: &str) -> Rendered {
    let (subject, blocks) = match message {
        Message::Code { name, issue } => {
            let digits = digits.unwrap_or_default();
            match issue.purpose {
                Purpose::Verification => verification(name, digits, public_url),
                Purpose::Reset => reset(name, digits, public_url),
            }
        }
        Message::AlreadyRegistered { name } => already_registered(name, public_url),
        Message::PasswordChanged { name, at } => password_changed(name, *at, public_url),
        Message::SessionEnded { name, at, device } => session_ended(name, *at, device, public_url),
        Message::AdminSignIn { at, network, device } => admin_sign_in(*at, network, device),
        Message::PaymentApproved(notice) => approved(notice, public_url),
        Message::PaymentDeclined(notice) => declined(notice, public_url),
        Message::PaymentPending(notice) => pending(notice, public_url),
    };
    let (text, html) = (as_text(&blocks), as_html(&subject, &blocks));
    Rendered { subject, text, html }
}

type Mail = (String, Vec<Block>);

fn hello(name: &str) -> Block {
    let first = name.split_whitespace().next().unwrap_or(name);
    say(format!("Olá, {first}!"))
}

fn verification(name: &str, digits: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say("Este é o seu código para verificar o email no Bipe. Ele vale por 15 minutos."),
        Code(digits.to_owned()),
        say(
            "Quem criou a conta escolheu a senha. Se não foi você, ignore esta mensagem, ou redefina a senha para ficar com a conta:",
        ),
        Link("Redefinir a senha", format!("{url}/forgot-password")),
    ];
    ("Seu código de verificação do Bipe".into(), blocks)
}

fn reset(name: &str, digits: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say("Este é o seu código para redefinir a senha no Bipe. Ele vale por 15 minutos."),
        Code(digits.to_owned()),
        say(
            "Se você não pediu, ignore esta mensagem: sua senha continua a mesma. Nunca informe este código a ninguém.",
        ),
        Link("Abrir o Bipe", format!("{url}/signin")),
    ];
    ("Seu código para redefinir a senha do Bipe".into(), blocks)
}

fn already_registered(name: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(
            "Alguém tentou criar uma conta no Bipe com este email, que já tem uma conta. Se foi você, entre ou redefina a sua senha:",
        ),
        Link("Entrar", format!("{url}/signin")),
        say("Se não foi você, não é preciso fazer nada."),
    ];
    ("Você já tem uma conta no Bipe".into(), blocks)
}

fn password_changed(name: &str, at: Timestamp, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(format!(
            "A senha da sua conta foi redefinida em {}. Todas as sessões foram encerradas.",
            moment(at)
        )),
        say("Se não foi você, peça um novo código agora mesmo:"),
        Link("Entrar", format!("{url}/signin")),
    ];
    ("Sua senha do Bipe foi redefinida".into(), blocks)
}

fn session_ended(name: &str, at: Timestamp, device: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(
            "Encerramos uma das suas sessões, porque uma credencial antiga dela foi usada de novo. Isso pode significar que alguém a copiou.",
        ),
        Facts(vec![("Quando", moment(at)), ("Dispositivo", device.to_owned())]),
        say("Entre novamente. Se desconfiar de algo, redefina a sua senha:"),
        Link("Entrar", format!("{url}/signin")),
    ];
    ("Encerramos uma sessão sua no Bipe".into(), blocks)
}

fn admin_sign_in(at: Timestamp, network: &str, device: &str) -> Mail {
    let blocks = vec![
        say("Houve um acesso de administrador da plataforma a partir de uma rede nova."),
        Facts(vec![
            ("Quando", moment(at)),
            ("Rede", network.to_owned()),
            ("Dispositivo", device.to_owned()),
        ]),
        say("Se não foi você, redefina a senha agora."),
    ];
    ("Acesso de administrador de uma rede nova".into(), blocks)
}

fn facts(notice: &PaymentNotice) -> Block {
    Facts(vec![
        ("Empresa", notice.company.clone()),
        ("Plano", notice.plan.clone()),
        ("Valor", notice.amount.to_string()),
        ("Forma de pagamento", notice.method.clone()),
    ])
}

fn approved(notice: &PaymentNotice, url: &str) -> Mail {
    let blocks = vec![
        hello(&notice.name),
        say("Recebemos o seu pagamento. Obrigado!"),
        facts(notice),
        Link("Ver a assinatura", format!("{url}/plans")),
    ];
    (format!("Pagamento aprovado: plano {}", notice.plan), blocks)
}

fn declined(notice: &PaymentNotice, url: &str) -> Mail {
    let blocks = vec![
        hello(&notice.name),
        say(
            "O pagamento não foi aprovado e nada foi cobrado. Você pode tentar de novo com outra forma de pagamento.",
        ),
        facts(notice),
        Link("Tentar novamente", format!("{url}/plans")),
    ];
    (format!("Pagamento recusado: plano {}", notice.plan), blocks)
}

fn pending(notice: &PaymentNotice, url: &str) -> Mail {
    let mut blocks =
        vec![hello(&notice.name), say("Seu pagamento está aguardando confirmação."), facts(notice)];
    if let Some(expires_at) = notice.expires_at {
        blocks.push(say(format!("Pague até {}.", moment(expires_at))));
    }
    if let Some(code) = &notice.pix_code {
        blocks.extend([say("Código PIX (copia e cola):"), Code(code.clone())]);
    }
    if let Some(line) = &notice.bank_slip_line {
        blocks.extend([say("Linha digitável do boleto:"), Code(line.clone())]);
    }
    let boleto = notice.link.as_ref().filter(|link| link.starts_with("https:"));
    if let Some(link) = boleto {
        blocks.push(Link("Abrir o boleto", link.clone()));
    }
    blocks.push(Link("Acompanhar o pagamento", format!("{url}/plans")));
    (format!("Pagamento pendente: plano {}", notice.plan), blocks)
}

/// `21/11/2026 às 12:00`, in São Paulo.
fn moment(at: Timestamp) -> String {
    brazil::local(at).strftime("%d/%m/%Y às %H:%M").to_string()
}

const SIGNATURE: &str = "Equipe Bipe";

fn as_text(blocks: &[Block]) -> String {
    let mut parts: Vec<String> = blocks
        .iter()
        .map(|block| match block {
            Paragraph(text) | Code(text) => text.clone(),
            Link(label, url) => format!("{label}:\n{url}"),
            Facts(facts) => {
                let lines = facts.iter().map(|(label, value)| format!("{label}: {value}"));
                lines.collect::<Vec<_>>().join("\n")
            }
        })
        .collect();
    parts.push(SIGNATURE.into());
    parts.join("\n\n") + "\n"
}

fn as_html(subject: &str, blocks: &[Block]) -> String {
    let body: String = blocks.iter().map(block_html).collect();
    format!(
        "<!doctype html><html lang=\"pt-BR\"><head><meta charset=\"utf-8\"><title>{}</title></head>\
         <body style=\"margin:0;background:#F6F4EE;color:#191D1C;font:16px/24px system-ui,sans-serif\">\
         <div style=\"max-width:480px;margin:0 auto;padding:32px 24px\">\
         <p style=\"margin:0 0 24px;font-weight:700;font-size:20px;color:#0B5F5C\">bipe</p>{body}\
         <p style=\"margin:32px 0 0;color:#555A56;font-size:13px\">{SIGNATURE}</p></div></body></html>",
        escape(subject)
    )
}

fn block_html(block: &Block) -> String {
    match block {
        Paragraph(text) => format!("<p style=\"margin:0 0 16px\">{}</p>", escape(text)),
        Code(text) => format!(
            "<p style=\"margin:0 0 16px;padding:16px;background:#fff;border:1px dashed #7F796B;\
             font:700 20px/28px ui-monospace,monospace;overflow-wrap:anywhere\">{}</p>",
            escape(text)
        ),
        Link(label, url) => format!(
            "<p style=\"margin:0 0 16px\"><a href=\"{}\" style=\"color:#0B5F5C\">{}</a></p>",
            escape(url),
            escape(label)
        ),
        Facts(facts) => {
            let rows: String = facts
                .iter()
                .map(|(label, value)| {
                    format!(
                        "<tr><td style=\"padding:4px 16px 4px 0;color:#555A56\">{}</td><td>{}</td></tr>",
                        escape(label),
                        escape(value)
                    )
                })
                .collect();
            format!("<table style=\"margin:0 0 16px\">{rows}</table>")
        }
    }
}

/// Text that means the same inside an element and inside a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::code::Issue;
    use crate::id::UserId;
    use crate::money::Cents;

    const URL: &str = "https://bipe.example";

    fn at() -> Timestamp {
        "2026-11-21T15:00:00Z".parse().unwrap()
    }

    fn code(purpose: Purpose) -> Message {
        let issue = Issue { user_id: UserId(uuid::Uuid::nil()), purpose, issued_at: at() };
        Message::Code { name: "Ana Souza".into(), issue }
    }

    #[test]
    fn a_code_and_a_link_stand_alone_on_their_lines() {
        for purpose in [Purpose::Verification, Purpose::Reset] {
            let mail = render(&code(purpose), Some("012345"), URL);
            let lines: Vec<&str> = mail.text.lines().collect();
            assert_eq!(lines.iter().filter(|line| **line == "012345").count(), 1);
            assert_eq!(lines.iter().filter(|line| line.starts_with("https://")).count(), 1);
            let digits = |line: &&&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
            assert_eq!(lines.iter().filter(digits).count(), 1, "no other line looks like a code");
            assert!(mail.html.contains(">012345<"));
        }
    }

    #[test]
    fn what_people_typed_is_no_markup() {
        let message = Message::SessionEnded {
            name: "<b>Ana".into(),
            at: at(),
            device: "\"><script>alert(1)</script>".into(),
        };
        let mail = render(&message, None, URL);
        assert!(!mail.html.contains("<script>") && !mail.html.contains("<b>"), "{}", mail.html);
        assert!(mail.text.contains("Quando: 21/11/2026 às 12:00"));
    }

    #[test]
    fn a_pending_payment_says_how_to_pay() {
        let notice = PaymentNotice {
            name: "Ana Souza".into(),
            company: "Depósito Norte".into(),
            plan: "Profissional".into(),
            amount: Cents(9_990),
            method: PaymentNotice::PIX.into(),
            expires_at: Some(at()),
            pix_code: Some("00020126".into()),
            bank_slip_line: None,
            link: Some("javascript:alert(1)".into()),
        };
        let mail = render(&Message::PaymentPending(notice), None, URL);
        assert_eq!(mail.subject, "Pagamento pendente: plano Profissional");
        assert!(mail.text.contains("Valor: R$\u{a0}99,90"));
        assert!(mail.text.lines().any(|line| line == "00020126"));
        assert!(mail.text.contains("Pague até 21/11/2026 às 12:00."));
        assert!(!mail.html.contains("javascript:"), "only https links are shown");
    }
}
