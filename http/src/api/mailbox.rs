//! The local mailbox of the development surface (docs/contract.md, "Development surface"); not routed in production.
//!
//! Text is escaped, and a mail's HTML appears only inside a sandboxed frame.

use std::fmt::Write;

use actix_web::{HttpResponse, get, web};
use bipe_core::brazil::dates_pt_br;
use bipe_core::mail_pt_br::escape;
use bipe_core::mailer::{self, LocalMail};
use serde::Deserialize;
use serde_json::json;

use crate::App;
use crate::error::Reply;
use crate::extract::Query;

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const STYLE: &str = "body{margin:0 auto;max-width:720px;padding:32px 24px;background:#F6F4EE;\
     color:#191D1C;font:14px/20px system-ui,sans-serif}article{margin:0 0 24px;padding:16px;\
     background:#fff;border:1px solid #DAD5C8;border-radius:10px}h2{margin:0 0 4px;font-size:18px}\
     pre{white-space:pre-wrap;overflow-wrap:anywhere;font:14px/20px ui-monospace,monospace}\
     iframe{width:100%;height:420px;border:1px solid #DAD5C8;background:#fff}\
     strong{font-size:22px;letter-spacing:2px}a{color:#0B5F5C}p{color:#555A56}";

#[derive(Deserialize)]
pub struct MailboxQuery {
    to: Option<String>,
}

#[get("/dev/mailbox.json")]
pub async fn list(app: web::Data<App>, Query(query): Query<MailboxQuery>) -> Reply {
    let messages = mailer::mailbox(&app.db, query.to.as_deref()).await?;
    Ok(HttpResponse::Ok().json(json!({ "messages": messages })))
}

#[get("/dev/mailbox")]
pub async fn show(app: web::Data<App>, Query(query): Query<MailboxQuery>) -> Reply {
    let messages = mailer::mailbox(&app.db, query.to.as_deref()).await?;
    Ok(HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header(("content-security-policy", POLICY))
        .insert_header(("cache-control", "no-store"))
        .body(render(&messages)))
}

fn render(messages: &[LocalMail]) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"pt-BR\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Caixa de email local · Bipe</title>\
         <style>{STYLE}</style></head><body><h1>Caixa de email local</h1>\
         <p>Sem SMTP_URL, nada sai desta máquina: as mensagens ficam aqui.</p>"
    );
    if messages.is_empty() {
        page.push_str("<p>Nenhuma mensagem ainda.</p>");
    }
    for message in messages {
        // Writing to a String cannot fail.
        let _ = write!(
            page,
            "<article><h2>{}</h2><p>Para {} · {}</p><pre>{}</pre><details><summary>HTML</summary>\
             <iframe sandbox title=\"{0}\" srcdoc=\"{}\"></iframe></details></article>",
            escape(&message.subject),
            escape(&message.to),
            dates_pt_br::moment(message.at),
            lines(&message.text),
            escape(&message.html),
        );
    }
    page.push_str("</body></html>");
    page
}

/// A code stands out and a link can be followed; everything else is plain text.
fn lines(text: &str) -> String {
    let is_code = |line: &str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
    let is_link = |line: &str| line.starts_with("http://") || line.starts_with("https://");
    let marked = |line: &str| match escape(line) {
        shown if is_code(line) => format!("<strong>{shown}</strong>"),
        shown if is_link(line) => format!("<a href=\"{shown}\" rel=\"noopener\">{shown}</a>"),
        shown => shown,
    };
    text.lines().map(marked).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_cannot_write_into_the_page() {
        let evil = "\"></iframe><script>alert(1)</script>";
        let message = LocalMail {
            to: evil.into(),
            subject: evil.into(),
            text: format!("{evil}\n012345\nhttps://bipe.example/\" onclick=\"x"),
            html: evil.into(),
            at: "2026-11-21T12:00:00Z".parse().unwrap(),
        };
        let page = render(&[message]);
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("<strong>012345</strong>"));
        assert!(page.contains("21/11/2026 às 09:00"), "as in the mails: {page}");
        assert!(page.contains("href=\"https://bipe.example/&quot; onclick=&quot;x\""));
        assert!(page.contains("<iframe sandbox "));
    }
}
