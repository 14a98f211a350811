//! What a screen reader says: the structure tree of a file, with the text of every element.

use std::collections::HashMap;
use std::fmt::Write;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier};

use super::reader::{Seen, decoded};

/// The texts by their page and their number in it. Each is taken once.
type Texts = HashMap<(Option<ObjectIdentifier>, i32), String>;

/// The file's catalog.
pub fn catalog(pdf: &Pdf) -> Dict<'_> {
    pdf.xref().get(pdf.xref().root_id()).unwrap()
}

/// The tree, one element a line, then what each page shows besides. Fails if a text has no place in the tree.
pub fn outline(pdf: &Pdf, pages: &[Seen]) -> String {
    let ids: Vec<Option<ObjectIdentifier>> =
        pdf.pages().iter().map(|page| page.raw().obj_id()).collect();
    let mut texts = Texts::new();
    for (page, id) in pages.iter().zip(&ids) {
        let tagged = page.said.iter().filter_map(|said| Some(((*id, said.id?), said.text.clone())));
        texts.extend(tagged);
    }
    let root: Dict = catalog(pdf).get("StructTreeRoot").unwrap();
    let mut outline = String::new();
    for child in children(&root) {
        element(&child, 0, &mut texts, &mut outline);
    }
    assert!(texts.is_empty(), "in no element: {texts:?}");
    for (number, page) in (1..).zip(pages) {
        let silent: Vec<&str> = page
            .said
            .iter()
            .filter(|said| said.id.is_none())
            .map(|said| said.text.trim_end())
            .collect();
        writeln!(outline, "page {number} also shows: {}", silent.join(" | ")).unwrap();
    }
    outline
}

fn children<'a>(parent: &Dict<'a>) -> Vec<Object<'a>> {
    match parent.get::<Object>("K") {
        Some(Object::Array(array)) => all(&array),
        Some(child) => vec![child],
        None => Vec::new(),
    }
}

fn all<'a>(array: &Array<'a>) -> Vec<Object<'a>> {
    array.iter::<Object>().collect()
}

fn element(child: &Object, depth: usize, texts: &mut Texts, outline: &mut String) {
    let Object::Dict(entry) = child else { panic!("{child}") };
    let name = entry.get::<Name>("S").unwrap();
    let attributes = match entry.get::<Object>("A") {
        Some(Object::Array(array)) => all(&array),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let scope = attributes.into_iter().find_map(|one| one.into_dict()?.get::<Name>("Scope"));
    let scope = scope.map(|scope| format!(" ({})", scope.as_str())).unwrap_or_default();
    write!(outline, "{:indent$}{}{scope}", "", name.as_str(), indent = 2 * depth).unwrap();
    let page = |entry: &Dict| entry.get::<Dict>("Pg").and_then(|page| page.obj_id());
    let mut elements = Vec::new();
    for child in children(entry) {
        let text = match &child {
            Object::Number(id) => (page(entry), i32::try_from(id.as_i64()).unwrap()),
            Object::Dict(text) if text.contains_key("MCID") => {
                (page(text), text.get("MCID").unwrap())
            }
            _ => {
                elements.push(child);
                continue;
            }
        };
        let text = texts.remove(&text).unwrap_or_else(|| panic!("no text {text:?}"));
        write!(outline, " [{text}]").unwrap();
    }
    outline.push('\n');
    for child in elements {
        element(&child, depth + 1, texts, outline);
    }
}

/// The lines of the outline that a viewer shows beside the pages.
pub fn bookmarks(pdf: &Pdf) -> Vec<String> {
    let outlines: Dict = catalog(pdf).get("Outlines").unwrap();
    let mut found = Vec::new();
    let mut next = outlines.get::<Dict>("First");
    while let Some(entry) = next {
        let title = entry.get::<hayro_syntax::object::String>("Title").unwrap();
        found.push(decoded(title.as_bytes()));
        next = entry.get("Next");
    }
    found
}
