//! The two pages of the web app and its assets, as a browser asks for them. Needs `web/dist`, as `make test` builds it.

use crate::app::spawn_app;

async fn get(url: &str, accept_encoding: &str) -> reqwest::Response {
    let client = reqwest::Client::new();
    client.get(url).header("accept-encoding", accept_encoding).send().await.unwrap()
}

fn header<'a>(response: &'a reqwest::Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

/// The first address of the page that begins and ends so.
fn address<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    let mut parts = page.split('"').filter(|part| part.starts_with(start) && part.ends_with(end));
    parts.next().expect("the page names such a file")
}

#[actix_web::test]
async fn the_landing_page_is_readable_without_scripts_and_names_its_own_address() {
    let app = spawn_app().await;
    let response = get(&app.url("/"), "identity").await;
    assert_eq!(response.status(), 200);
    assert_eq!(header(&response, "cache-control"), "no-store");
    let page = response.text().await.unwrap();
    assert!(page.contains("<h1") && page.contains("Nenhum pacote sem bipe."), "ready made markup");
    // The hash in a file's name may hold two underscores, too.
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    let is_place = |part: &str| !part.is_empty() && part.bytes().all(is_capital);
    assert!(!page.split("__").any(is_place), "no place is left open");
    assert!(page.contains("/share.png\""));
    let other = get(&app.url("/plans"), "identity").await.text().await.unwrap();
    assert!(!other.contains("<h1"), "any other path is the app");
    assert!(
        other.contains("/share.png\"") && !other.contains("__PUBLIC_URL__"),
        "it is shared, too"
    );
}

#[actix_web::test]
async fn the_app_says_of_an_address_without_a_page_that_there_is_none() {
    let app = spawn_app().await;
    let invoice = "/invoices/019aa5a0-0000-7000-8000-000000000000";
    for (path, status) in [
        ("/signin", 200_u16),
        ("/payments/", 200),
        (invoice, 200),
        ("/nao/existe", 404),
        ("/sitemap.xml", 404),
        ("/index.html", 404),
        ("/.well-known/nothing", 404),
    ] {
        let response = get(&app.url(path), "identity").await;
        assert_eq!(response.status(), status, "{path}");
        assert_eq!(header(&response, "content-type"), "text/html; charset=utf-8", "{path}");
        assert_eq!(header(&response, "cache-control"), "no-store", "{path}");
        let page = response.text().await.unwrap();
        assert!(page.contains("id=\"root\"") && !page.contains("<h1"), "{path} is the app");
    }
}

#[actix_web::test]
async fn every_page_has_a_nonce_of_its_own_that_its_policy_names() {
    let app = spawn_app().await;
    let mut nonces = Vec::new();
    for path in ["/", "/", "/signin"] {
        let response = get(&app.url(path), "identity").await;
        let policy = header(&response, "content-security-policy").to_owned();
        let page = response.text().await.unwrap();
        let nonce = page.split("nonce=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert!(policy.contains(&format!("'nonce-{nonce}'")), "{policy}");
        assert!(!nonces.contains(&nonce));
        nonces.push(nonce);
    }
}

#[actix_web::test]
async fn a_page_may_load_nothing_but_what_its_policy_names() {
    let app = spawn_app().await;
    let policy = get(&app.url("/signin"), "identity").await;
    let policy = header(&policy, "content-security-policy");
    let own = |part: &&str| !part.starts_with("style-src ") && !part.starts_with("connect-src ");
    let fixed: Vec<&str> = policy.split("; ").filter(own).collect();
    assert_eq!(
        fixed,
        [
            "default-src 'none'",
            "script-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "manifest-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-src 'none'",
            "frame-ancestors 'none'",
            "object-src 'none'",
            "worker-src 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types default",
        ]
    );
    assert!(
        policy.contains("; style-src 'self' 'nonce-")
            && policy.contains("; connect-src 'self' ws://")
    );
    for word in ["unsafe", "*", "https:", "http: "] {
        assert!(!policy.contains(word), "{word}: {policy}");
    }
}

#[actix_web::test]
async fn every_answer_has_the_headers_that_protect_it() {
    let app = spawn_app().await;
    for path in
        ["/", "/signin", "/assets/gone-12345678.js", "/api/plans", "/api/nothing", "/health/ready"]
    {
        let response = get(&app.url(path), "identity").await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(header(&response, name), value, "{name} of {path}");
        }
        let features = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), \
             publickey-credentials-get=(self), publickey-credentials-create=(self)";
        assert_eq!(header(&response, "permissions-policy"), features, "{path}");
        assert_eq!(header(&response, "strict-transport-security"), "", "{path} over http");
    }
}

/// What is secret in an answer beside what a stranger chose would show in its length.
#[actix_web::test]
async fn pages_leave_compressed_and_calls_never() {
    let app = spawn_app().await;
    for (path, encoding) in [
        ("/signin", "gzip"),
        ("/api/subscriptions/plans", ""),
        ("/api/openapi.json", ""),
        ("/api/nothing", ""),
    ] {
        let response = get(&app.url(path), "gzip").await;
        assert_eq!(header(&response, "content-encoding"), encoding, "{path}");
    }
}

#[actix_web::test]
async fn assets_leave_in_the_smallest_form_that_the_browser_takes_and_are_kept_for_ever() {
    let app = spawn_app().await;
    let page = get(&app.url("/"), "identity").await.text().await.unwrap();
    let script = app.url(address(&page, "/assets/landing", ".js"));
    let mut sizes = Vec::new();
    for (accepted, sent) in [("gzip, br", "br"), ("gzip;q=0.5, br;q=0", "gzip"), ("identity", "")] {
        let response = get(&script, accepted).await;
        assert_eq!(response.status(), 200);
        assert_eq!(header(&response, "content-encoding"), sent, "{accepted}");
        assert!(header(&response, "content-type").starts_with("text/javascript"));
        assert!(header(&response, "cache-control").contains("immutable"));
        assert!(header(&response, "vary").to_ascii_lowercase().contains("accept-encoding"));
        let tag = header(&response, "etag").to_owned();
        for (known, status) in [
            (tag.clone(), 304_u16),
            (format!("W/{tag}"), 304),
            (format!("\"older\", {tag}"), 304),
            ("*".to_owned(), 304),
            ("\"older\"".to_owned(), 200),
        ] {
            let again = reqwest::Client::new().get(&script).header("accept-encoding", accepted);
            let again = again.header("if-none-match", &known).send().await.unwrap();
            assert_eq!(again.status(), status, "{known}");
        }
        sizes.push(response.bytes().await.unwrap().len());
    }
    assert!(sizes.is_sorted(), "{sizes:?}");
}
