//! No two files of a crate import each other, directly or over others. Only a module and its own descendants may.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::tree::{Source, root, sources};

/// Circles that still stand, as the test prints them. Whoever cuts one deletes its line.
const STANDING: &[&str] = &[];

/// `["live", "session", "commands"]`; the crate's root is empty.
type Module = Vec<String>;
type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// The folders of the workspace's crates.
fn crates() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, members) = manifest.split_once("members = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    members.split(',').map(|name| name.trim().trim_matches('"').to_owned()).collect()
}

fn module(path: &str) -> Module {
    let path = path.strip_suffix(".rs").unwrap();
    let path = path.strip_suffix("/mod").unwrap_or(path);
    match path {
        "lib" | "main" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// The text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let shipped = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = shipped.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Every path that a `use` names: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let Some((before, inside)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
    let mut branches = vec![String::new()];
    let mut depth = 0_i32;
    for letter in inside.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        match letter {
            ',' if depth == 0 => branches.push(String::new()),
            letter => branches.last_mut().unwrap().push(letter),
        }
    }
    let branches = branches.iter().filter(|branch| !branch.trim().is_empty());
    branches.flat_map(|branch| expand(&format!("{}{}", before.trim(), branch.trim()))).collect()
}

/// Every `crate::…`, `super::…` and `self::…` of a file.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    for statement in code.split(';') {
        let used = statement.rsplit_once("use ").map(|(_, tree)| tree.trim());
        let tree = used.filter(|tree| !tree.contains("fn ") && !tree.contains(['(', '=']));
        if let Some(tree) = tree {
            found.extend(expand(&tree.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        let words = statement.split(|letter| !is_part(letter));
        found.extend(words.map(str::to_owned));
    }
    let is_own =
        |path: &String| ["crate::", "super::", "self::"].iter().any(|s| path.starts_with(s));
    found.into_iter().filter(is_own).collect()
}

/// The module that a path of `from` leads to.
fn resolve(path: &str, from: &Module, modules: &BTreeSet<Module>) -> Module {
    let mut at = Module::new();
    for (index, part) in path.split("::").enumerate() {
        match part {
            "crate" => {}
            "self" if index == 0 => at.clone_from(from),
            "super" if index == 0 => at = from[..from.len().saturating_sub(1)].to_vec(),
            "super" => drop(at.pop()),
            part => {
                let below = [at.as_slice(), &[part.trim().to_owned()]].concat();
                if !modules.contains(&below) {
                    break;
                }
                at = below;
            }
        }
    }
    at
}

fn imports(files: &[Source]) -> Imports {
    let modules: BTreeSet<Module> = files.iter().map(|file| module(&file.path)).collect();
    let mut imports = Imports::new();
    for file in files {
        let from = module(&file.path);
        let into = paths(&code(&file.text));
        let into = into.iter().map(|path| resolve(path, &from, &modules));
        let into = into.filter(|to| !to.starts_with(&from) && !from.starts_with(to));
        imports.entry(from.clone()).or_default().extend(into);
    }
    imports
}

fn reachable(imports: &Imports, from: &Module) -> BTreeSet<Module> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for next in imports.get(module).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    seen
}

/// Each circle once: its crate and its files in alphabetical order.
fn circles(name: &str, files: &[Source]) -> BTreeMap<String, Vec<String>> {
    let imports = imports(files);
    let reach: BTreeMap<_, _> =
        imports.keys().map(|module| (module, reachable(&imports, module))).collect();
    let mut found = BTreeMap::new();
    for (module, into) in &reach {
        let circle: BTreeSet<&Module> = into
            .iter()
            .filter(|other| reach.get(other).is_some_and(|back| back.contains(*module)))
            .collect();
        if circle.is_empty() {
            continue;
        }
        let names: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
        let edges = circle.iter().flat_map(|from| {
            let into = imports[*from].iter().filter(|to| circle.contains(to));
            into.map(|to| format!("    {} imports {}", from.join("/"), to.join("/")))
        });
        found.insert(format!("{name}: {}", names.join(" ")), edges.collect());
    }
    found
}

#[test]
fn no_file_circle_outside_parent_and_child() {
    let mut found = BTreeMap::new();
    for name in crates() {
        found.extend(circles(&name, &sources(&format!("{name}/src"), "rs")));
    }
    let mut wrong = Vec::new();
    for (circle, edges) in &found {
        if !STANDING.contains(&circle.as_str()) {
            wrong.push(format!("these import each other: {circle}\n{}", edges.join("\n")));
        }
    }
    for circle in STANDING.iter().filter(|circle| !found.contains_key(**circle)) {
        wrong.push(format!("no circle any more, delete its line: {circle}"));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_circle_is_found_through_every_kind_of_import() {
    let file = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
    let files = [
        file("a.rs", "use crate::{\n    b::{One, Two as Three},\n    d,\n};"),
        file("b/mod.rs", "pub mod child;\nfn f() { child::g() }"),
        file("b/child.rs", "use super::One;\nfn g() -> super::super::c::Four { todo!() }"),
        file("c.rs", "// crate::a\nfn h(x: crate::b::child::Five) {}"),
        file(
            "d.rs",
            "#[derive(Debug)]\npub(crate) struct Six;\n\n#[cfg(test)]\nmod tests { use crate::a; }",
        ),
    ];
    let found: Vec<String> = circles("x", &files).into_keys().collect();
    assert_eq!(found, ["x: b/child c"]);
}
