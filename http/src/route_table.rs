//! The methods of each path, and which of them need a token. The router knows this, but has no call to ask it.
//!
//! Made by `lib.rs` of the document that the routes give of themselves and of `routes::plain_methods`. The middleware
//! asks it before a request is routed. Where a path is fixed (`/api/companies/accept-invite`), what an id at the same
//! place takes (`/api/companies/{id}`) does not count, although the router would try it.

use std::collections::HashMap;

use actix_web::http::Method;
use utoipa::openapi::path::{Operation, PathItem, Paths};

/// By the number of parts of a path.
pub struct RouteTable(HashMap<usize, Vec<Route>>);

struct Route {
    /// None for a part that names one of many.
    parts: Vec<Option<String>>,
    method: Method,
    /// The handler needs a token.
    has_token: bool,
}

impl Route {
    fn matches(&self, path: &str) -> bool {
        let mut parts = self.parts.iter().zip(path.split('/'));
        parts.all(|(own, given)| own.as_deref().map_or(!given.is_empty(), |own| own == given))
    }

    fn fixed_parts(&self) -> usize {
        self.parts.iter().flatten().count()
    }
}

impl RouteTable {
    /// The operations of the document, and further paths that anybody may call.
    pub fn new(documented: &Paths, plain: &[(&str, Method)]) -> Self {
        let mut table = Self(HashMap::new());
        for (path, item) in &documented.paths {
            for (method, operation) in operations(item) {
                table.add(path, method, operation.security.is_some());
            }
        }
        for (path, method) in plain {
            table.add(path, method.clone(), false);
        }
        table
    }

    fn add(&mut self, path: &str, method: Method, has_token: bool) {
        let part = |part: &str| (!part.starts_with('{')).then(|| part.to_owned());
        let parts: Vec<_> = path.split('/').map(part).collect();
        self.0.entry(parts.len()).or_default().push(Route { parts, method, has_token });
    }

    /// The routes of a path: of those that match, the ones with the most fixed parts.
    fn at<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Route> {
        let routes = self.0.get(&path.split('/').count()).map(Vec::as_slice).unwrap_or_default();
        let matching = move || routes.iter().filter(move |route| route.matches(path));
        let most_fixed = matching().map(Route::fixed_parts).max();
        matching().filter(move |route| Some(route.fixed_parts()) == most_fixed)
    }

    pub fn takes(&self, path: &str, method: &Method) -> bool {
        self.at(path).any(|route| route.method == *method)
    }

    /// Whether the handler of that call needs a token.
    pub fn asks_who(&self, path: &str, method: &Method) -> bool {
        self.at(path).any(|route| route.method == *method && route.has_token)
    }

    /// The methods of a path as the header `Allow` lists them; none for a path that nobody serves. Whatever can be
    /// read answers HEAD too.
    pub fn allowed(&self, path: &str) -> Option<String> {
        let mut methods: Vec<&str> = self.at(path).map(|route| route.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        methods.dedup();
        (!methods.is_empty()).then(|| methods.join(", "))
    }
}

fn operations(item: &PathItem) -> impl Iterator<Item = (Method, &Operation)> {
    let all = [
        (Method::GET, &item.get),
        (Method::POST, &item.post),
        (Method::PUT, &item.put),
        (Method::DELETE, &item.delete),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_path_does_not_allow_what_an_id_at_its_place_takes() {
        let plain = [
            ("/api/companies/{id}", Method::GET),
            ("/api/companies/{id}", Method::DELETE),
            ("/api/companies/accept-invite", Method::POST),
        ];
        let table = RouteTable::new(&Paths::new(), &plain);
        let allowed = |path| table.allowed(path);
        assert_eq!(allowed("/api/companies/7").as_deref(), Some("DELETE, GET, HEAD"));
        assert_eq!(allowed("/api/companies/accept-invite").as_deref(), Some("POST"));
        assert!(!table.takes("/api/companies/accept-invite", &Method::DELETE));
        for unknown in ["/api/companies", "/api/companies/", "/api/companies/7/x", "/", ""] {
            assert_eq!(allowed(unknown), None, "{unknown}");
        }
    }
}
