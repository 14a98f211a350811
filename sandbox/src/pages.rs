//! The small pages a payer's browser opens: PIX instructions, the boleto, the bank's 3-D Secure question.
//!
//! Each page says that nothing on it is real. All text is escaped; there is no script and no inline style.

use std::fmt::Write as _;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, web};

use crate::form::Params;
use crate::objects::{Intent, Waiting};
use crate::pipeline::body;
use crate::store::local_day;
use crate::{Cause, Sandbox, confirm};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem;\
color:#1c1917;background:#fff}.ribbon{background:#b45309;color:#fff;padding:.5rem 1rem;border-radius:.5rem;\
font-weight:600}code{display:block;overflow-wrap:anywhere;background:#f5f5f4;padding:1rem;border-radius:.5rem}\
button{font:inherit;padding:.5rem 1.5rem;margin-right:1rem}";

const POLICY: &str = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; \
frame-ancestors 'none'";

pub async fn style() -> HttpResponse {
    HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "text/css; charset=utf-8")).body(STYLE)
}

/// The page of an open payment: `pix`, `boleto` or `authenticate`.
pub async fn show(sandbox: web::Data<Sandbox>, path: web::Path<(String, String)>) -> HttpResponse {
    let (kind, id) = path.into_inner();
    match sandbox.read(|state| state.intents.get(&id).map(|row| content(&kind, row))) {
        Some(Some((title, content))) => page(title, &content),
        Some(None) => page("Nada a pagar", "<p>Este pagamento já foi concluído ou venceu.</p>"),
        None => missing(),
    }
}

/// Title and content.
fn content(kind: &str, row: &Intent) -> Option<(&'static str, String)> {
    let money = money(row);
    Some(match (kind, row.waiting.as_ref()?) {
        ("pix", Waiting::Pix { data, expires_at }) => {
            let [data, day] = [escape(data), day(*expires_at)];
            let content = format!(
                "<p>{money}</p><p>Código PIX copia e cola:</p><code>{data}</code><p>Expira em {day}.</p>"
            );
            ("Pague com PIX", content)
        }
        ("boleto", Waiting::Boleto { line, barcode, expires_at }) => {
            let [line, barcode, day] = [escape(line), escape(barcode), day(*expires_at)];
            let content = format!(
                "<p>{money}</p><p>Linha digitável:</p><code>{line}</code><p>Código de barras:</p>\
                 <code>{barcode}</code><p>Vence em {day}.</p>"
            );
            ("Boleto", content)
        }
        ("authenticate", Waiting::ThreeDSecure { .. }) => {
            let secret = escape(&row.client_secret);
            let content = format!(
                "<p>{money}</p><form method=\"post\">\
                 <input type=\"hidden\" name=\"client_secret\" value=\"{secret}\">\
                 <button name=\"outcome\" value=\"succeeded\">Autorizar</button>\
                 <button name=\"outcome\" value=\"failed\">Recusar</button></form>"
            );
            ("Autenticação do banco", content)
        }
        _ => return None,
    })
}

/// The form of the page `authenticate`: does it, then sends the browser back to the shop.
pub async fn answer_authentication(
    sandbox: web::Data<Sandbox>,
    id: web::Path<String>,
    payload: web::Payload,
) -> HttpResponse {
    let params = body(payload).await.and_then(|bytes| Params::parse(&bytes)).unwrap_or_default();
    let succeeded = params.text("outcome") == Some("succeeded");
    let found = sandbox.read(|state| state.intents.get(id.as_str()).cloned());
    let secret = params.text("client_secret");
    let Some(row) = found.filter(|row| Some(row.client_secret.as_str()) == secret) else {
        return missing();
    };
    let return_url = match &row.waiting {
        Some(Waiting::ThreeDSecure { return_url }) => return_url.clone(),
        _ => None,
    };
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("payment_intent", &row.id)
        .append_pair("payment_intent_client_secret", &row.client_secret)
        .append_pair("redirect_status", if succeeded { "succeeded" } else { "failed" })
        .finish();
    let done = sandbox.transact(Cause::default(), |tx| confirm::authenticated(tx, row, succeeded));
    match (done, return_url) {
        (Ok(Ok(_)), Some(url)) => {
            let separator = if url.contains('?') { '&' } else { '?' };
            let target = format!("{url}{separator}{query}");
            HttpResponse::SeeOther().insert_header((header::LOCATION, target)).finish()
        }
        (Ok(Ok(_)), None) => page("Pronto", "<p>Você pode fechar esta página.</p>"),
        _ => page("Nada a autenticar", "<p>Este pagamento já mudou de estado.</p>"),
    }
}

fn missing() -> HttpResponse {
    let mut response = page("Página não encontrada", "");
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

fn page(title: &str, content: &str) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header(("x-content-type-options", "nosniff"))
        .insert_header(("referrer-policy", "no-referrer"))
        .body(format!(
            "<!doctype html><html lang=\"pt-BR\"><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title} · Ambiente de testes</title>\
             <link rel=\"stylesheet\" href=\"/sandbox/pages/style.css\">\
             <p class=\"ribbon\">Ambiente de testes: nada aqui é real. Não pague.</p>\
             <main><h1>{title}</h1>{content}</main></html>"
        ))
}

fn money(row: &Intent) -> String {
    if row.currency == "brl" {
        return escape(&row.amount.to_string());
    }
    escape(&format!("{} {}", row.amount.0, row.currency))
}

fn day(seconds: i64) -> String {
    let date = local_day(seconds);
    format!("{:02}/{:02}/{}", date.day(), date.month(), date.year())
}

fn escape(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '<' | '>' | '&' | '"' | '\'' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
        out
    })
}
