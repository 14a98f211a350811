//! What each text is for a reader who hears the document: headings, paragraphs, tables.
//!
//! Filled while the sheet is composed, in reading order; turned into the file's structure tree once every text is drawn
//! and has its identifier.

use std::num::NonZeroU16;

use krilla::tagging::{Identifier, TableHeaderScope, Tag, TagGroup, TagKind, TagTree};

use super::words_pt_br::LANGUAGE;

/// The kind of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Title,
    Heading,
    Paragraph,
    Table,
    TableHead,
    TableBody,
    TableFoot,
    Row,
    ColumnHeader,
    RowHeader,
    Data,
}

/// An element's place in its [`Structure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element(usize);

struct Entry {
    kind: Kind,
    /// The words of a heading, which the file's outline repeats.
    title: Option<String>,
    children: Vec<Element>,
    content: Vec<Identifier>,
}

/// The elements of a document.
#[derive(Default)]
pub struct Structure {
    entries: Vec<Entry>,
    top: Vec<Element>,
}

impl Structure {
    /// A new last child of this element, or of the document.
    pub fn add(&mut self, parent: Option<Element>, kind: Kind) -> Element {
        let element = Element(self.entries.len());
        self.entries.push(Entry { kind, title: None, children: Vec::new(), content: Vec::new() });
        match parent.and_then(|parent| self.entries.get_mut(parent.0)) {
            Some(parent) => parent.children.push(element),
            None => self.top.push(element),
        }
        element
    }

    /// A heading and its words.
    pub fn heading(&mut self, kind: Kind, title: &str) -> Element {
        let element = self.add(None, kind);
        if let Some(entry) = self.entries.get_mut(element.0) {
            entry.title = Some(title.to_owned());
        }
        element
    }

    /// The words of a heading that has no drawn text yet.
    pub fn fresh_title(&self, element: Element) -> Option<&str> {
        let entry = self.entries.get(element.0)?;
        if entry.content.is_empty() { entry.title.as_deref() } else { None }
    }

    /// A drawn text belongs to this element.
    pub fn drawn(&mut self, element: Element, identifier: Identifier) {
        if let Some(entry) = self.entries.get_mut(element.0) {
            entry.content.push(identifier);
        }
    }

    /// The tree that is written into the file.
    pub fn tags(&self) -> TagTree {
        let mut tree = TagTree::new().with_lang(Some(LANGUAGE.to_owned()));
        for group in self.top.iter().filter_map(|element| self.group(*element)) {
            tree.push(group);
        }
        tree
    }

    fn group(&self, element: Element) -> Option<TagGroup> {
        let entry = self.entries.get(element.0)?;
        let title = || entry.title.clone();
        let tag: TagKind = match entry.kind {
            Kind::Title => Tag::Hn(NonZeroU16::MIN, title()).into(),
            Kind::Heading => Tag::Hn(NonZeroU16::MIN.saturating_add(1), title()).into(),
            Kind::Paragraph => Tag::P.into(),
            Kind::Table => Tag::Table.into(),
            Kind::TableHead => Tag::THead.into(),
            Kind::TableBody => Tag::TBody.into(),
            Kind::TableFoot => Tag::TFoot.into(),
            Kind::Row => Tag::TR.into(),
            Kind::ColumnHeader => Tag::TH(TableHeaderScope::Column).into(),
            Kind::RowHeader => Tag::TH(TableHeaderScope::Row).into(),
            Kind::Data => Tag::TD.into(),
        };
        let mut group = TagGroup::new(tag);
        for child in entry.children.iter().filter_map(|child| self.group(*child)) {
            group.push(child);
        }
        for identifier in &entry.content {
            group.push(*identifier);
        }
        Some(group)
    }
}
