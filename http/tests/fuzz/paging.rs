//! The page of a list, as a query asks for it.

use actix_web::FromRequest;
use actix_web::dev::Payload;
use actix_web::http::Uri;
use actix_web::test::TestRequest;
use bipe_http::extract::Paging;
use bipe_simulator::for_each_text;

const QUERIES: &[&str] = &[
    "page=",
    "limit=",
    "&",
    "1",
    "0",
    "-1",
    "100",
    "101",
    "1000000",
    "1000001",
    "9223372036854775807",
    "9223372036854775808",
    "%00",
    "%31",
    "+",
    "page=2&limit=100",
    "=",
    "%",
    "1e1",
    ";",
];

#[test]
fn a_page_that_is_taken_is_within_its_bounds_and_asked_for_again_is_the_same() {
    let asked = |query: &str| {
        let uri: Uri = format!("/?{query}").parse().ok()?;
        let request = TestRequest::with_uri(&uri.to_string()).to_http_request();
        Paging::from_request(&request, &mut Payload::None).into_inner().ok()
    };
    for_each_text!("pages", QUERIES, |text: &str| {
        let Some(paging) = asked(text) else { return };
        let Paging { page, limit } = paging;
        assert!((1..=1_000_000).contains(&page) && (1..=100).contains(&limit), "{text:?}");
        assert!((0..100_000_000).contains(&paging.offset()), "{text:?}");
        let again = asked(&format!("page={page}&limit={limit}")).unwrap();
        assert_eq!((again.page, again.limit), (page, limit));
    });
}
