//! `openapi.json` and the page that shows it: swagger-ui's files, which hold no inline script, under the policy of the
//! site. The page shares the origin of the tokens, so nobody may frame it and nothing foreign runs in it.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use actix_web::http::header::{self, ContentType};
use actix_web::{HttpRequest, HttpResponse, get, routes, web};
use bipe_core::Error;
use utoipa_swagger_ui::{Config, serve};

use crate::App;
use crate::error::Reply;
use crate::file_body::file_body;
use crate::openapi::served;
use crate::spa;

#[get("/api/openapi.json")]
pub async fn contract() -> Reply {
    let contract = served::contract().map_err(|error| Error::internal(error.to_string()))?;
    let text = Cow::Borrowed(contract.text.as_bytes());
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(file_body(text)))
}

/// The page of swagger-ui, with absolute links: it has two addresses.
const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="UTF-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Bipe API</title>
    <link rel="stylesheet" href="/api/docs/swagger-ui.css">
    <link rel="stylesheet" href="/api/docs/index.css">
    <link rel="icon" type="image/png" href="/api/docs/favicon-32x32.png" sizes="32x32">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/swagger-ui-standalone-preset.js"></script>
    <script src="/api/docs/swagger-initializer.js"></script>
  </body>
</html>
"#;

/// Without a validator URL: the page sends nothing to other servers.
static CONFIG: LazyLock<Arc<Config<'static>>> =
    LazyLock::new(|| Arc::new(Config::from("/api/openapi.json").validator_url("none")));

/// Both addresses answer: people type the one without the slash.
#[routes]
#[get("/api/docs")]
#[get("/api/docs/{file:.*}")]
pub async fn page(app: web::Data<App>, request: HttpRequest) -> Reply {
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CONTENT_SECURITY_POLICY, spa::policy_of_documentation(&app)));
    let Some(name) = request.match_info().get("file").filter(|name| !name.is_empty()) else {
        return Ok(response.content_type(ContentType::html()).body(PAGE));
    };
    let file = serve(name, CONFIG.clone()).map_err(|error| Error::internal(error.to_string()))?;
    let file = file.ok_or_else(Error::not_found)?;
    // All but the one that holds the address of the contract are embedded compressed, for every client.
    if file.gzpipped {
        response.insert_header(header::ContentEncoding::Gzip);
    }
    Ok(response.content_type(file.content_type).body(file_body(file.bytes)))
}

#[cfg(test)]
mod tests {
    use actix_web::App;
    use actix_web::body::MessageBody;
    use actix_web::test::{TestRequest, call_service, init_service};

    use super::*;

    #[actix_web::test]
    async fn the_contract_goes_out_in_parts() {
        let service = init_service(App::new().service(contract)).await;
        let asked = TestRequest::get().uri("/api/openapi.json").to_request();
        let answer = call_service(&service, asked).await;
        assert!(answer.status().is_success());
        let whole = answer.into_body().try_into_bytes();
        assert!(whole.is_err(), "every reader who stops reading would hold a copy of it");
    }
}
