//! Rows of text one below the other, over as many A4 pages as they need.
//!
//! Knows where things stand, not what they mean. A row stays whole if it fits on one page; a higher one is cut between
//! its lines. Lengths are in points from the upper left corner of a page.

use super::face::Faces;
use super::paragraph::{Ink, Style, TextLine, wrap};
use super::structure::Element;

/// The width of A4.
pub const WIDTH: f32 = 595.28;
/// The height of A4.
pub const HEIGHT: f32 = 841.89;
/// The left and right margin: 20 mm.
pub const MARGIN: f32 = 56.69;
/// What is between the margins.
pub const MEASURE: f32 = WIDTH - 2.0 * MARGIN;
/// Where the content of a page starts and ends.
const TOP: f32 = 56.69;
const BOTTOM: f32 = HEIGHT - 72.0;
/// The baseline of a page's foot.
const FOOT: f32 = HEIGHT - 42.0;

/// On which side of its column a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Something drawn on a page.
pub enum Mark {
    /// A line of text. Without an element it only decorates.
    Text { line: TextLine, style: Style, x: f32, baseline: f32, element: Option<Element> },
    /// A horizontal line at this height.
    Rule { rule: Rule, y: f32 },
    /// The mark of Bipe in a square of this side.
    Brand { x: f32, y: f32, side: f32 },
}

/// A line that separates rows.
#[derive(Clone, Copy)]
pub struct Rule {
    pub x: f32,
    pub width: f32,
    pub weight: f32,
    pub ink: Ink,
}

/// What stands in one column of a row.
#[derive(Clone)]
pub struct Cell {
    x: f32,
    width: f32,
    align: Align,
    lines: Vec<(TextLine, Style, Option<Element>)>,
}

/// Cells beside each other, then perhaps a rule.
#[derive(Clone, Default)]
pub struct Row {
    pub cells: Vec<Cell>,
    /// Space above the text and below it.
    pub padding: (f32, f32),
    pub rule: Option<Rule>,
}

/// The pages as far as they are filled.
pub struct Flow {
    pub pages: Vec<Vec<Mark>>,
    y: f32,
    faces: &'static Faces,
    /// Stands at the top of every further page.
    running_head: Row,
    /// The head of the table that is being filled; repeated on every further page.
    table_head: Option<Row>,
}

impl Cell {
    /// An empty column.
    pub fn new(x: f32, width: f32, align: Align) -> Self {
        Self { x, width, align, lines: Vec::new() }
    }

    /// One more paragraph below what is there. Where nothing can be seen, a dash says that this is no mistake.
    pub fn text(
        mut self,
        text: &str,
        style: Style,
        element: Element,
        faces: &'static Faces,
    ) -> Self {
        let mut lines = wrap(text, style, self.width, faces);
        if lines.is_empty() {
            lines = wrap("–", style, self.width, faces);
        }
        self.lines.extend(lines.into_iter().map(|line| (line, style, Some(element))));
        self
    }

    /// The lines as decoration: they were read where they stood first.
    fn silent(mut self) -> Self {
        for (_, _, element) in &mut self.lines {
            *element = None;
        }
        self
    }

    fn height(&self) -> f32 {
        self.lines.iter().map(|(_, style, _)| style.leading).sum()
    }
}

impl Row {
    fn text_height(&self) -> f32 {
        self.cells.iter().map(Cell::height).fold(0.0, f32::max)
    }

    /// All of the row's height.
    pub fn height(&self) -> f32 {
        self.padding.0 + self.text_height() + self.padding.1
    }

    fn silent(self) -> Self {
        Self { cells: self.cells.into_iter().map(Cell::silent).collect(), ..self }
    }

    /// The row's lines as rows of their own.
    fn cut(self) -> Vec<Self> {
        let most = self.cells.iter().map(|cell| cell.lines.len()).max().unwrap_or_default();
        let mut rows: Vec<Self> = (0..most)
            .map(|index| {
                let nth = |cell: &Cell| Cell {
                    lines: cell.lines.get(index).cloned().into_iter().collect(),
                    ..cell.clone()
                };
                Self { cells: self.cells.iter().map(nth).collect(), ..Self::default() }
            })
            .collect();
        if let Some(first) = rows.first_mut() {
            first.padding.0 = self.padding.0;
        }
        if let Some(last) = rows.last_mut() {
            last.padding.1 = self.padding.1;
            last.rule = self.rule;
        }
        rows
    }
}

impl Flow {
    /// One empty page.
    pub fn new(running_head: Row, faces: &'static Faces) -> Self {
        let running_head = running_head.silent();
        Self { pages: vec![Vec::new()], y: TOP, faces, running_head, table_head: None }
    }

    /// Space between blocks.
    pub fn gap(&mut self, height: f32) {
        self.y += height;
    }

    /// Draws the mark of Bipe beside the row that comes next.
    pub fn brand(&mut self, side: f32) {
        let y = self.y;
        self.draw(Mark::Brand { x: MARGIN, y, side });
    }

    /// A row at the end of what is there.
    pub fn place(&mut self, row: Row) {
        self.reserve(row.height());
        if self.y + row.height() <= BOTTOM {
            self.put(&row);
            return;
        }
        for row in row.cut() {
            self.reserve(row.height());
            self.put(&row);
        }
    }

    /// A line across the measure.
    pub fn rule(&mut self, rule: Rule) {
        let y = self.y;
        self.draw(Mark::Rule { rule, y });
    }

    /// Starts a page unless this much space is left.
    pub fn reserve(&mut self, height: f32) {
        if self.y + height > BOTTOM && !self.is_page_fresh() {
            self.turn();
        }
    }

    /// Places a table's head, which every page repeats until [`Flow::end_table`].
    pub fn start_table(&mut self, head: Row, first_row: f32) {
        self.reserve(head.height() + first_row);
        self.put(&head);
        self.table_head = Some(head.silent());
    }

    /// No further page repeats the head.
    pub fn end_table(&mut self) {
        self.table_head = None;
    }

    /// The foot of every page: a text on the left, and on the right what `number` says of the page and their count.
    pub fn foot(&mut self, left: &str, style: Style, number: impl Fn(usize, usize) -> String) {
        let count = self.pages.len();
        let faces = self.faces;
        for (index, page) in self.pages.iter_mut().enumerate() {
            let line = |text: &str, width: f32| wrap(text, style, width, faces).into_iter().next();
            let right = line(&number(index + 1, count), MEASURE / 3.0).unwrap_or_default();
            let x = WIDTH - MARGIN - right.width;
            page.push(Mark::Text { line: right, style, x, baseline: FOOT, element: None });
            if let Some(line) = line(left, MEASURE / 2.0) {
                page.push(Mark::Text { line, style, x: MARGIN, baseline: FOOT, element: None });
            }
        }
    }

    fn is_page_fresh(&self) -> bool {
        let head = if self.pages.len() > 1 { self.heads() } else { 0.0 };
        // Half a point is more than what adding in another order differs by.
        self.y <= TOP + head + 0.5
    }

    fn heads(&self) -> f32 {
        self.running_head.height() + self.table_head.as_ref().map(Row::height).unwrap_or_default()
    }

    fn turn(&mut self) {
        self.pages.push(Vec::new());
        self.y = TOP;
        let running_head = self.running_head.clone();
        self.put(&running_head);
        if let Some(head) = self.table_head.clone() {
            self.put(&head);
        }
    }

    fn put(&mut self, row: &Row) {
        let top = self.y + row.padding.0;
        for cell in &row.cells {
            let mut y = top;
            for (line, style, element) in &cell.lines {
                let x = match cell.align {
                    Align::Left => cell.x,
                    Align::Right => cell.x + cell.width - line.width,
                };
                // Capitals are about 0.73 em high: this centres them in their line.
                let baseline = y + (style.leading + 0.73 * style.size) / 2.0;
                y += style.leading;
                let (line, style, element) = (line.clone(), *style, *element);
                self.draw(Mark::Text { line, style, x, baseline, element });
            }
        }
        self.y += row.height();
        if let Some(rule) = row.rule {
            self.rule(rule);
        }
    }

    fn draw(&mut self, mark: Mark) {
        if let Some(page) = self.pages.last_mut() {
            page.push(mark);
        }
    }
}
