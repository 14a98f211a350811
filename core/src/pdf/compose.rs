//! Where each part of a sheet stands, in which type, and what it is in the document's structure.
//!
//! From top to bottom: brand and title, the two parties, the facts, the table of lines with its totals, the notices.

use super::brand;
use super::clean::clean;
use super::face::{Faces, Weight};
use super::flow::{Align, Cell, Flow, MARGIN, MEASURE, Mark, Row, Rule};
use super::paragraph::{Ink, Style, wrap};
use super::sheet::{Line, Party, Sheet};
use super::structure::{Element, Kind, Structure};
use super::words_pt_br as words;

/// A sheet on its pages.
pub struct Composed {
    /// What is drawn on each page, in reading order.
    pub pages: Vec<Vec<Mark>>,
    /// What the drawn texts are.
    pub structure: Structure,
    /// The file's title and its author, as they are drawn.
    pub title: String,
    pub author: String,
}

const fn style(size: f32, leading: f32, weight: Weight, ink: Ink) -> Style {
    Style { size, leading, weight, ink, tabular: false }
}

const WORDMARK: Style = style(17.0, 26.0, Weight::Strong, Ink::Text);
const TITLE: Style = style(20.0, 26.0, Weight::Strong, Ink::Text);
const SUBTITLE: Style = style(10.0, 15.0, Weight::Regular, Ink::Muted);
const LABEL: Style = style(8.0, 12.0, Weight::Regular, Ink::Muted);
const NAME: Style = style(10.0, 15.0, Weight::Strong, Ink::Text);
const BODY: Style = style(9.5, 14.0, Weight::Regular, Ink::Text);
const DETAIL: Style = style(8.5, 12.5, Weight::Regular, Ink::Muted);
const TOTAL: Style = style(13.0, 18.0, Weight::Strong, Ink::Text);
const SMALL: Style = style(8.0, 12.0, Weight::Regular, Ink::Muted);

const fn tabular(style: Style) -> Style {
    Style { tabular: true, ..style }
}

/// The space between columns.
const GUTTER: f32 = 20.0;
const HALF: f32 = (MEASURE - GUTTER) / 2.0;
const THIRD: f32 = (MEASURE - 2.0 * GUTTER) / 3.0;
/// The narrowest and the widest column of amounts.
const AMOUNT: (f32, f32) = (70.0, 170.0);
/// Where the labels of the totals start.
const TOTALS: f32 = MARGIN + MEASURE * 0.45;

const HAIRLINE: Rule = Rule { x: MARGIN, width: MEASURE, weight: 0.5, ink: Ink::Hairline };
const STROKE: Rule = Rule { weight: 0.8, ink: Ink::Text, ..HAIRLINE };

struct Composer {
    flow: Flow,
    structure: Structure,
    faces: &'static Faces,
    /// The width of the column of amounts.
    amounts: f32,
}

/// Lays the sheet out.
pub fn compose(sheet: &Sheet, faces: &'static Faces) -> Composed {
    let mut structure = Structure::default();
    let title = structure.heading(Kind::Title, &clean(&sheet.title, faces));
    let head = Cell::new(MARGIN, MEASURE, Align::Left);
    let head = row(vec![head.text(&sheet.title, SMALL, title, faces)], 0.0, 14.0);
    let amounts = widest_amount(sheet, faces);
    let mut composer = Composer { flow: Flow::new(head, faces), structure, faces, amounts };
    composer.head(sheet, title);
    composer.parties([&sheet.issuer, &sheet.payer]);
    composer.facts(sheet);
    composer.table(sheet);
    composer.notices(&sheet.notices);
    composer.flow.foot(brand::NAME, SMALL, words::page);
    let [title, author] = [&sheet.title, &sheet.issuer.name].map(|text| clean(text, faces));
    Composed { pages: composer.flow.pages, structure: composer.structure, title, author }
}

/// How wide the amounts are, within bounds.
fn widest_amount(sheet: &Sheet, faces: &'static Faces) -> f32 {
    let lines = sheet.lines.iter().chain(&sheet.totals).map(|line| (line, tabular(BODY)));
    let mut widest = AMOUNT.0;
    for (line, style) in lines.chain([(&sheet.total, tabular(TOTAL))]) {
        let width = wrap(&line.amount, style, MEASURE, faces)
            .iter()
            .map(|line| line.width)
            .fold(0.0, f32::max);
        widest = f32::max(widest, width);
    }
    // A hundredth of a point covers what rounding takes.
    f32::min(widest + 0.01, AMOUNT.1)
}

impl Composer {
    fn head(&mut self, sheet: &Sheet, title: Element) {
        const SIDE: f32 = 24.0;
        self.flow.brand(SIDE);
        let wordmark = Cell::new(MARGIN + SIDE + 8.0, HALF, Align::Left);
        let wordmark = self.paragraph(wordmark, brand::NAME, WORDMARK, None);
        self.flow.place(row(vec![wordmark], 0.0, 26.0));
        let mut cell = Cell::new(MARGIN, MEASURE, Align::Left);
        cell = cell.text(&sheet.title, TITLE, title, self.faces);
        if let Some(subtitle) = &sheet.subtitle {
            cell = self.paragraph(cell, subtitle, SUBTITLE, None);
        }
        self.flow.place(row(vec![cell], 0.0, 20.0));
    }

    fn parties(&mut self, parties: [&Party; 2]) {
        let columns = [MARGIN, MARGIN + HALF + GUTTER];
        let cells = parties.into_iter().zip(columns).map(|(party, x)| {
            let heading = self.structure.heading(Kind::Heading, &clean(&party.heading, self.faces));
            let mut cell = Cell::new(x, HALF, Align::Left);
            cell = cell.text(&party.heading, LABEL, heading, self.faces);
            cell = self.paragraph(cell, &party.name, NAME, None);
            for line in &party.lines {
                cell = self.paragraph(cell, line, BODY, None);
            }
            cell
        });
        let parties = row(cells.collect(), 14.0, 16.0);
        self.flow.reserve(parties.height());
        self.flow.rule(HAIRLINE);
        self.flow.place(parties);
    }

    fn facts(&mut self, sheet: &Sheet) {
        if sheet.facts.is_empty() {
            return;
        }
        let table = self.structure.add(None, Kind::Table);
        let body = self.structure.add(Some(table), Kind::TableBody);
        let columns = [0.0, 1.0, 2.0].map(|nth| MARGIN + nth * (THIRD + GUTTER));
        let rows = sheet.facts.chunks(3).map(|facts| {
            let cells = facts.iter().zip(columns).map(|(fact, x)| {
                let [label, value] = self.entry(body, Kind::RowHeader);
                let cell = Cell::new(x, THIRD, Align::Left);
                let cell = cell.text(&fact.label, LABEL, label, self.faces);
                cell.text(&fact.value, BODY, value, self.faces)
            });
            row(cells.collect(), 6.0, 6.0)
        });
        let rows: Vec<Row> = rows.collect();
        self.flow.reserve(8.0 + rows.first().map(Row::height).unwrap_or_default());
        self.flow.rule(HAIRLINE);
        self.flow.gap(8.0);
        rows.into_iter().for_each(|row| self.flow.place(row));
        self.flow.gap(8.0);
    }

    fn table(&mut self, sheet: &Sheet) {
        self.flow.gap(18.0);
        let table = self.structure.add(None, Kind::Table);
        let head = self.structure.add(Some(table), Kind::TableHead);
        let body = self.structure.add(Some(table), Kind::TableBody);
        let foot = self.structure.add(Some(table), Kind::TableFoot);
        let entry = self.structure.add(Some(head), Kind::Row);
        let [description, amount] =
            [0; 2].map(|_| self.structure.add(Some(entry), Kind::ColumnHeader));
        let [left, right] = self.columns(MARGIN);
        let left = left.text(words::DESCRIPTION, LABEL, description, self.faces);
        let right = right.text(words::AMOUNT, LABEL, amount, self.faces);
        let rows = self.lines(&sheet.lines, body);
        let first = rows.first().map(Row::height).unwrap_or_default();
        let head = Row { rule: Some(STROKE), ..row(vec![left, right], 0.0, 5.0) };
        self.flow.start_table(head, first);
        rows.into_iter().for_each(|row| self.flow.place(row));
        let totals = self.totals(sheet, foot);
        self.flow.reserve(totals.iter().map(Row::height).sum());
        totals.into_iter().for_each(|row| self.flow.place(row));
        self.flow.end_table();
    }

    fn lines(&mut self, lines: &[Line], body: Element) -> Vec<Row> {
        let rows = lines.iter().map(|line| {
            let elements = self.entry(body, Kind::Data);
            let cells = self.line(MARGIN, line, BODY, elements);
            Row { rule: Some(HAIRLINE), ..row(cells, 6.0, 6.0) }
        });
        rows.collect()
    }

    fn totals(&mut self, sheet: &Sheet, foot: Element) -> Vec<Row> {
        let plain = sheet.totals.iter().map(|line| (line, BODY));
        let rows = plain.chain([(&sheet.total, TOTAL)]).map(|(line, style)| {
            let elements = self.entry(foot, Kind::RowHeader);
            row(self.line(TOTALS, line, style, elements), 4.0, 4.0)
        });
        let mut rows: Vec<Row> = rows.collect();
        let last = rows.len().saturating_sub(1);
        if let Some(first) = rows.first_mut() {
            first.padding.0 += 6.0;
        }
        if let Some(before) = last.checked_sub(1).and_then(|index| rows.get_mut(index)) {
            before.rule = Some(Rule { x: TOTALS, width: MARGIN + MEASURE - TOTALS, ..STROKE });
        }
        if let Some(total) = rows.get_mut(last) {
            total.padding.0 += 3.0;
        }
        rows
    }

    fn notices(&mut self, notices: &[String]) {
        self.flow.gap(28.0);
        for notice in notices {
            let cell = Cell::new(MARGIN, MEASURE * 0.8, Align::Left);
            let cell = self.paragraph(cell, notice, SMALL, None);
            self.flow.place(row(vec![cell], 0.0, 3.0));
        }
    }

    /// A row of the structure, with a first cell of this kind and one for its value.
    fn entry(&mut self, part: Element, first: Kind) -> [Element; 2] {
        let entry = self.structure.add(Some(part), Kind::Row);
        [first, Kind::Data].map(|kind| self.structure.add(Some(entry), kind))
    }

    /// The cells of a line, from `x` on.
    fn line(
        &mut self,
        x: f32,
        line: &Line,
        style: Style,
        [description, amount]: [Element; 2],
    ) -> Vec<Cell> {
        let [mut left, right] = self.columns(x);
        left = self.paragraph(left, &line.description, style, Some(description));
        if let Some(detail) = &line.detail {
            left = self.paragraph(left, detail, DETAIL, Some(description));
        }
        let right = self.paragraph(right, &line.amount, tabular(style), Some(amount));
        vec![left, right]
    }

    /// What is charged, from `x` on, and how much.
    fn columns(&self, x: f32) -> [Cell; 2] {
        let end = MARGIN + MEASURE;
        let amount = Cell::new(end - self.amounts, self.amounts, Align::Right);
        [Cell::new(x, end - self.amounts - GUTTER - x, Align::Left), amount]
    }

    /// One more paragraph in a cell.
    fn paragraph(&mut self, cell: Cell, text: &str, style: Style, parent: Option<Element>) -> Cell {
        let element = self.structure.add(parent, Kind::Paragraph);
        cell.text(text, style, element, self.faces)
    }
}

fn row(cells: Vec<Cell>, above: f32, below: f32) -> Row {
    Row { cells, padding: (above, below), rule: None }
}
