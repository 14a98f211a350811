//! The methods of each path, and which of them need a token. The router knows this, but has no call to ask it.
//!
//! Made by `lib.rs` of the calls of the contract and of `routes::plain_methods`. The middleware asks it before a request
//! is routed. Where a path is fixed (`/api/companies/accept-invite`), what an id at the same place takes
//! (`/api/companies/{id}`) does not count, although the router would try it.

use std::collections::HashMap;
use std::str::Split;

use actix_web::http::Method;

use crate::openapi::served::Call;

/// A tree of the parts of all paths.
#[derive(Default)]
pub struct RouteTable {
    fixed: HashMap<String, Self>,
    /// Below a part that names one of many.
    any: Option<Box<Self>>,
    /// Of the path that ends here.
    methods: Methods,
}

/// What a path takes; nothing for a path that nobody serves.
#[derive(Default)]
pub struct Methods(Vec<Served>);

struct Served {
    method: Method,
    needs_token: bool,
}

impl Methods {
    pub fn takes(&self, method: &Method) -> bool {
        self.0.iter().any(|served| served.method == *method)
    }

    /// Whether the handler of that call needs a token.
    pub fn needs_token(&self, method: &Method) -> bool {
        self.0.iter().any(|served| served.method == *method && served.needs_token)
    }

    /// As the header `Allow` lists them. Whatever can be read answers HEAD too.
    pub fn allowed(&self) -> String {
        let mut methods: Vec<&str> = self.0.iter().map(|served| served.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        methods.dedup();
        methods.join(", ")
    }
}

impl RouteTable {
    /// The calls of the contract, and further paths that anybody may call.
    pub fn new(calls: &[Call], plain: &[(&str, Method)]) -> Self {
        let mut table = Self::default();
        for Call { path, method, needs_token } in calls {
            table.add(path, method.clone(), *needs_token);
        }
        for (path, method) in plain {
            table.add(path, method.clone(), false);
        }
        table
    }

    fn add(&mut self, path: &str, method: Method, needs_token: bool) {
        let end = path.split('/').fold(self, |table, part| match part.starts_with('{') {
            true => table.any.get_or_insert_default(),
            false => table.fixed.entry(part.to_owned()).or_default(),
        });
        end.methods.0.push(Served { method, needs_token });
    }

    /// Of the paths that match, the one with the most fixed parts.
    pub fn at(&self, path: &str) -> Option<&Methods> {
        Some(self.most_fixed(path.split('/'), 0)?.1)
    }

    /// As `at`, by the parts that are left, with how many parts of the path are fixed in all.
    fn most_fixed(&self, mut parts: Split<'_, char>, fixed: usize) -> Option<(usize, &Methods)> {
        let Some(part) = parts.next() else {
            return (!self.methods.0.is_empty()).then_some((fixed, &self.methods));
        };
        let by_word = self.fixed.get(part);
        let by_word = by_word.and_then(|table| table.most_fixed(parts.clone(), fixed + 1));
        let by_id = self.any.as_ref().filter(|_| !part.is_empty());
        let by_id = by_id.and_then(|table| table.most_fixed(parts, fixed));
        // Of two with as many, the last one.
        by_id.into_iter().chain(by_word).max_by_key(|(fixed, _)| *fixed)
    }
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
        let table = RouteTable::new(&[], &plain);
        let allowed = |path| table.at(path).map(Methods::allowed);
        assert_eq!(allowed("/api/companies/7").as_deref(), Some("DELETE, GET, HEAD"));
        assert_eq!(allowed("/api/companies/accept-invite").as_deref(), Some("POST"));
        for unknown in ["/api/companies", "/api/companies/", "/api/companies/7/x", "/", ""] {
            assert_eq!(allowed(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_fixed_word_that_leads_nowhere_is_taken_for_an_id() {
        let plain = [("/{noun}/{id}", Method::PUT), ("/plans/new/draft", Method::POST)];
        let table = RouteTable::new(&[], &plain);
        assert_eq!(table.at("/plans/new").map(Methods::allowed).as_deref(), Some("PUT"));
        assert_eq!(table.at("/plans/new/draft").map(Methods::allowed).as_deref(), Some("POST"));
    }
}
