//! `openapi.json` and the page that shows it: swagger-ui's files, which hold no inline script, under the policy of the
//! site. The page shares the origin of the tokens, so nobody may frame it and nothing foreign runs in it.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use actix_web::http::header::{self, ContentType};
use actix_web::{HttpRequest, HttpResponse, get, routes, web};
use bipe_core::Error;
use bytes::Bytes;
use utoipa_swagger_ui::{Config, serve};

use crate::App;
use crate::error::Reply;
use crate::file_body::file_body;
use crate::spa;

/// The text of `openapi.json`.
pub struct Contract(pub Bytes);

#[get("/api/openapi.json")]
pub async fn contract(contract: web::Data<Contract>) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(contract.0.clone())
}

const INDEX: &str = "index.html";
/// Without a validator URL: the page sends nothing to other servers.
static CONFIG: LazyLock<Arc<Config<'static>>> =
    LazyLock::new(|| Arc::new(Config::from("/api/openapi.json").validator_url("none")));

/// Both addresses answer: people type the one without the slash.
#[routes]
#[get("/api/docs")]
#[get("/api/docs/{file:.*}")]
pub async fn page(app: web::Data<App>, request: HttpRequest) -> Reply {
    let name = request.match_info().get("file").filter(|name| !name.is_empty()).unwrap_or(INDEX);
    let file = serve(name, CONFIG.clone()).map_err(|error| Error::internal(error.to_string()))?;
    let file = file.ok_or_else(Error::not_found)?;
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CONTENT_SECURITY_POLICY, spa::policy_of_documentation(&app)));
    if file.gzpipped {
        response.insert_header(header::ContentEncoding::Gzip);
    }
    let bytes = if name == INDEX { with_absolute_links(&file.bytes) } else { file.bytes };
    Ok(response.content_type(file.content_type).body(file_body(bytes)))
}

/// The page names its files relative to itself, and it has two addresses.
fn with_absolute_links(html: &[u8]) -> Cow<'static, [u8]> {
    let html = String::from_utf8_lossy(html);
    let html = html.replace("=\"./", "=\"").replace("src=\"", "src=\"/api/docs/");
    Cow::Owned(html.replace("href=\"", "href=\"/api/docs/").into_bytes())
}
