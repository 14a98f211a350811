//! What a sheet says, as strings ready to be shown, and how much of it fits.
//!
//! Filled by the caller of [`super::render`].

use jiff::Timestamp;

use super::PdfError;

/// One document: who, to whom, what, how much.
///
/// Every string is shown as it is; nothing is formatted here. Texts may hold any Unicode character: line breaks become
/// spaces, characters that only control the direction of text are left out, and an empty text is shown as a dash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// The heading and the file's title, such as "Fatura 000123". At most 80 characters, not empty.
    pub title: String,
    /// What stands below the heading, such as "Paga em 10 de agosto de 2026". At most 200 characters.
    pub subtitle: Option<String>,
    /// The file's date of creation.
    pub created_at: Timestamp,
    /// Who issues the document; the left column.
    pub issuer: Party,
    /// Whom it is for; the right column.
    pub payer: Party,
    /// Short facts in three columns, such as the plan and the period. At most 12.
    pub facts: Vec<Fact>,
    /// What is charged. At most 200.
    pub lines: Vec<Line>,
    /// What stands between the lines and the total, such as a subtotal or a credit. At most 10.
    pub totals: Vec<Line>,
    /// The sum, set in larger type.
    pub total: Line,
    /// Small print at the end, such as "Não substitui a nota fiscal." At most 8 of 500 characters.
    pub notices: Vec<String>,
}

/// One side of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// What the party is here, such as "Cliente". At most 60 characters.
    pub heading: String,
    /// Its name. At most 200 characters.
    pub name: String,
    /// Registration, address, e-mail: one line each. At most 10 of 254 characters, as the longest e-mail address.
    pub lines: Vec<String>,
}

/// A label and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Such as "Período". At most 60 characters.
    pub label: String,
    /// Such as "10/08/2026 a 10/09/2026". At most 300 characters.
    pub value: String,
}

/// An amount and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// At most 300 characters.
    pub description: String,
    /// A second, smaller line. At most 300 characters.
    pub detail: Option<String>,
    /// Such as "R$ 49,90". At most 40 characters.
    pub amount: String,
}

impl Sheet {
    /// Refuses what the pages are not made for.
    pub(super) fn check(&self) -> Result<(), PdfError> {
        text("title", &self.title, 80)?;
        text("subtitle", self.subtitle.as_deref().unwrap_or_default(), 200)?;
        self.issuer.check(["issuer.heading", "issuer.name", "issuer.lines"])?;
        self.payer.check(["payer.heading", "payer.name", "payer.lines"])?;
        list("facts", &self.facts, 12)?;
        for fact in &self.facts {
            text("facts.label", &fact.label, 60)?;
            text("facts.value", &fact.value, 300)?;
        }
        list("lines", &self.lines, 200)?;
        list("totals", &self.totals, 10)?;
        let totals = self.totals.iter().chain([&self.total]);
        for (names, line) in self
            .lines
            .iter()
            .map(|line| (["lines.description", "lines.detail", "lines.amount"], line))
            .chain(
                totals.map(|line| (["totals.description", "totals.detail", "totals.amount"], line)),
            )
        {
            line.check(names)?;
        }
        list("notices", &self.notices, 8)?;
        self.notices.iter().try_for_each(|notice| text("notices", notice, 500))
    }
}

impl Party {
    fn check(&self, [heading, name, lines]: [&'static str; 3]) -> Result<(), PdfError> {
        text(heading, &self.heading, 60)?;
        text(name, &self.name, 200)?;
        list(lines, &self.lines, 10)?;
        self.lines.iter().try_for_each(|line| text(lines, line, 254))
    }
}

impl Line {
    fn check(&self, [description, detail, amount]: [&'static str; 3]) -> Result<(), PdfError> {
        text(description, &self.description, 300)?;
        text(detail, self.detail.as_deref().unwrap_or_default(), 300)?;
        text(amount, &self.amount, 40)
    }
}

fn text(field: &'static str, text: &str, most: usize) -> Result<(), PdfError> {
    let found = text.chars().count();
    if found > most { Err(PdfError::TooLong { field, found, most }) } else { Ok(()) }
}

fn list<T>(field: &'static str, list: &[T], most: usize) -> Result<(), PdfError> {
    let found = list.len();
    if found > most { Err(PdfError::TooMany { field, found, most }) } else { Ok(()) }
}
