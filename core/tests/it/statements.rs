//! Every SQL constant of core as the compiler puts it together: a literal, or `concat!` of literals and of macros that
//! stand for a text. A new constant is found by itself.

use crate::tree::{self, Source};

/// Opens transactions, proves scopes or writes events; it is run by every test that uses a database.
const LEFT_OUT: [&str; 2] = ["db/", "scope"];

pub struct Statement {
    /// Below `core/src`.
    pub path: String,
    /// The constant.
    pub name: String,
    pub sql: String,
}

/// The statements of the product; tests have their own.
pub fn all() -> Vec<Statement> {
    let sources = tree::sources("core/src", "rs");
    let mut found = Vec::new();
    for source in &sources {
        let is_left_out = LEFT_OUT.iter().any(|path| source.path.starts_with(path));
        if is_left_out || tree::testing(&source.path) {
            continue;
        }
        for part in source.text.split("const ").skip(1) {
            let Some((name, value)) = part.split_once(": &str =") else { continue };
            let Some((sql, _)) = text(value, &Scope { sources: &sources, source, argument: None })
            else {
                continue;
            };
            let verbs = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];
            if verbs.iter().any(|verb| sql.starts_with(verb)) {
                found.push(Statement { path: source.path.clone(), name: name.to_owned(), sql });
            }
        }
    }
    found
}

/// Where an expression stands.
struct Scope<'a> {
    sources: &'a [Source],
    source: &'a Source,
    /// Name and text of the macro's argument.
    argument: Option<(&'a str, &'a str)>,
}

/// The text of the expression that the code begins with, and the code behind it.
fn text<'a>(code: &'a str, scope: &Scope<'_>) -> Option<(String, &'a str)> {
    let code = code.trim_start();
    if let Some(literal) = code.strip_prefix('"') {
        let mut escaped = false;
        let end = literal.find(|c| {
            let is_end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            is_end
        })?;
        return Some((unfold(&literal[..end]), &literal[end + 1..]));
    }
    if let Some((name, text)) = scope.argument
        && let Some(rest) = code.strip_prefix(&format!("${name}"))
    {
        return Some((text.to_owned(), rest));
    }
    let (name, rest) = code.split_once("!(")?;
    let (arguments, rest) = arguments(rest, scope)?;
    if name == "concat" {
        return Some((arguments.concat(), rest));
    }
    let (source, parameter, body) = definition(name, scope)?;
    let argument = arguments.first().map(|text| (parameter, text.as_str()));
    let (text, _) = text(body, &Scope { sources: scope.sources, source, argument })?;
    Some((text, rest))
}

/// What stands up to the closing bracket.
fn arguments<'a>(mut code: &'a str, scope: &Scope<'_>) -> Option<(Vec<String>, &'a str)> {
    let mut texts = Vec::new();
    loop {
        code = code.trim_start().trim_start_matches(',').trim_start();
        if let Some(rest) = code.strip_prefix(')') {
            return Some((texts, rest));
        }
        let (text, rest) = text(code, scope)?;
        texts.push(text);
        code = rest;
    }
}

/// The macro of that name, in the same file or else in the same folder: its file, its parameter and its text.
fn definition<'a>(name: &str, scope: &Scope<'a>) -> Option<(&'a Source, &'a str, &'a str)> {
    let folder =
        |source: &Source| source.path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let near = scope.sources.iter().filter(|other| folder(other) == folder(scope.source));
    let start = format!("macro_rules! {name} {{");
    std::iter::once(scope.source).chain(near).find_map(|source| {
        let (_, rule) = source.text.split_once(&start)?;
        let (parameter, body) = rule.split_once("=>")?;
        let parameter = parameter.split_once('$').and_then(|(_, name)| name.split(':').next());
        Some((source, parameter.unwrap_or_default(), body.trim_start().strip_prefix('{')?))
    })
}

/// A backslash at the end of a line swallows the next line's indentation.
fn unfold(literal: &str) -> String {
    let mut parts = literal.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts
        .fold(first, |text, part| text + part.trim_start())
        .replace("\\\"", "\"")
        .replace("\\n", "\n")
}

#[test]
fn a_constant_is_put_together_as_the_compiler_does_it() {
    let text = r#"
        macro_rules! columns { () => { "a, \
            b" }; }
        macro_rules! row { ($of:literal) => { concat!("SELECT ", columns!(), " FROM ", $of) }; }
    "#;
    let source = Source { path: "x/store.rs".into(), text: text.into() };
    let sources = [source];
    let scope = Scope { sources: &sources, source: &sources[0], argument: None };
    let code = r#" concat!(row!("t"), " WHERE c = '\"'"); "#;
    assert_eq!(
        super::statements::text(code, &scope).unwrap().0,
        "SELECT a, b FROM t WHERE c = '\"'"
    );
}
