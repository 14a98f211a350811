//! What a handler's signature takes stands in its declaration: a query that nobody declares cannot be probed.

use std::fs;
use std::path::Path;

/// The handlers of a file: declaration and signature, without line breaks.
fn handlers(source: &str) -> Vec<(String, String)> {
    let parts = source.split("#[utoipa::path(").skip(1);
    let split = parts.filter_map(|part| {
        let (declaration, rest) = part.split_once("async fn ")?;
        let signature = rest.split("->").next()?;
        Some((declaration.replace(['\n', ' '], ""), signature.replace(['\n', ' '], "")))
    });
    split.collect()
}

/// The types between `before` and `>`.
fn types_in<'a>(signature: &'a str, before: &str) -> Vec<&'a str> {
    signature.split(before).skip(1).filter_map(|rest| rest.split('>').next()).collect()
}

fn undeclared(declaration: &str, signature: &str) -> Vec<String> {
    let mut missing = Vec::new();
    // Of a scope and a body, the body stands last.
    for body in types_in(signature, "Body<").into_iter().chain(types_in(signature, "Command<")) {
        let body = body.rsplit(',').next().unwrap_or_default();
        if !declaration.contains(&format!("request_body={body}")) {
            missing.push(format!("request_body = {body}"));
        }
    }
    let queries = types_in(signature, ":Query<").into_iter();
    let paging = signature.contains(":Paging").then_some("Paging");
    let key = signature.contains("IdempotencyKey").then_some("\"Idempotency-Key\"");
    for parameter in queries.chain(paging).chain(key) {
        if !declaration.contains(parameter) {
            missing.push(parameter.to_owned());
        }
    }
    missing
}

fn walk(folder: &Path, wrong: &mut Vec<String>, seen: &mut usize) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, wrong, seen);
            continue;
        }
        for (declaration, signature) in handlers(&fs::read_to_string(&path).unwrap()) {
            *seen += 1;
            for missing in undeclared(&declaration, &signature) {
                wrong.push(format!("{}: {signature} lacks {missing}", path.display()));
            }
        }
    }
}

#[test]
fn nothing_that_a_handler_takes_is_undeclared() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api"), &mut wrong, &mut seen);
    assert!(seen > 50, "{seen} handlers are found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_query_a_body_and_a_key_without_a_declaration_are_noticed() {
    let declaration = "tag=\"x\",request_body=Other,params(Paging)";
    let signature = "x(Query(q):Query<Wanted>,paging:Paging,key:IdempotencyKey,body:Body<Order>)";
    let missing = ["request_body = Order", "Wanted", "\"Idempotency-Key\""];
    assert_eq!(undeclared(declaration, signature), missing);
    for signature in ["x(body:ScopedBody<EditCompany,Order>)", "x(command:Command<Order>)"] {
        assert_eq!(undeclared(declaration, signature), ["request_body = Order"]);
    }
}
