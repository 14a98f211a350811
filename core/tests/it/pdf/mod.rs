//! The PDF of a sheet, read back: its structure and text stand in `core/tests/vectors/pdf/*.txt`, its pages at 60 dots
//! to the inch in the pictures beside them.
//!
//! After a wanted change `BIPE_WRITE_PDF=1 cargo test -p bipe-core --test it pdf::` writes both anew; look at each
//! picture before you commit it. Pictures may differ in [`picture::TOLERANCE`] pixels, texts in nothing.

mod font;
mod picture;
mod reader;
mod sheets;
mod structure;

use std::fs;
use std::path::PathBuf;

use bipe_core::pdf::{Party, PdfError, Sheet, render};
use hayro_syntax::object::{Dict, String as PdfString};
use picture::{Picture, TOLERANCE};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use reader::{Said, Seen};

/// The margins of a page in points, and the baseline of its last text.
const LEFT: f64 = 56.69;
const RIGHT: f64 = 595.28 - 56.69;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 841.89 - 36.0;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/pdf").join(name)
}

#[expect(clippy::disallowed_methods, reason = "tests have no Config")]
fn is_writing() -> bool {
    std::env::var_os("BIPE_WRITE_PDF").is_some()
}

fn seen(sheet: &Sheet) -> Vec<Seen> {
    reader::read(&reader::parse(&render(sheet).unwrap()))
}

fn compare(name: &str, sheet: &Sheet) {
    let pdf = reader::parse(&render(sheet).unwrap());
    let pages = reader::read(&pdf);
    let text = structure::outline(&pdf, &pages);
    let file = golden(&format!("{name}.txt"));
    if is_writing() {
        fs::write(&file, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(&file).unwrap(), "{}", file.display());
    for (number, page) in (1..).zip(&pages) {
        let file = golden(&format!("{name}-{number}.png"));
        if is_writing() {
            page.picture.save(&file);
        }
        let kept = Picture::load(&file).unwrap_or_else(|| panic!("{} exists", file.display()));
        let changes = page.picture.changes(&kept);
        assert!(changes <= TOLERANCE, "{}: {changes} pixels have changed", file.display());
    }
    assert!(
        !golden(&format!("{name}-{}.png", pages.len() + 1)).exists(),
        "{name} has no further page"
    );
}

#[test]
fn an_ordinary_sheet_reads_and_looks_as_kept() {
    compare("ordinary", &sheets::ordinary());
}

#[test]
fn a_sheet_of_hostile_names_reads_and_looks_as_kept() {
    compare("hostile", &sheets::hostile());
}

#[test]
fn a_sheet_of_sixty_lines_reads_and_looks_as_kept() {
    compare("long", &sheets::long());
}

#[test]
fn an_amount_that_moves_by_one_pixel_is_another_picture() {
    let page = &seen(&sheets::ordinary())[0];
    let amount = page.said.iter().find(|said| said.text.ends_with("99,99")).unwrap();
    let bounds = amount.bounds.unwrap().scale_from_origin(60.0 / 72.0);
    let mut moved = page.picture.clone();
    for row in picture::pixels(bounds.y0, bounds.y1) {
        let columns =
            picture::pixels(bounds.x0, bounds.x1).map(|column| row * moved.width + column);
        for pixel in columns {
            moved.pixels[pixel - 1] = page.picture.pixels[pixel];
        }
    }
    let changes = page.picture.changes(&moved);
    assert!(changes > TOLERANCE, "{changes}");
}

#[test]
fn the_same_sheet_gives_the_same_bytes() {
    for sheet in [sheets::ordinary(), sheets::hostile()] {
        assert_eq!(render(&sheet).unwrap(), render(&sheet.clone()).unwrap());
    }
    let later = Sheet { created_at: "2026-08-10T12:34:57Z".parse().unwrap(), ..sheets::ordinary() };
    assert_ne!(render(&later).unwrap(), render(&sheets::ordinary()).unwrap());
}

#[test]
fn the_file_names_its_standard_title_language_and_date() {
    let file = render(&sheets::ordinary()).unwrap();
    let pdf = reader::parse(&file);
    let catalog = structure::catalog(&pdf);
    assert_eq!(catalog.get::<PdfString>("Lang").unwrap().as_bytes(), b"pt-BR");
    assert!(catalog.get::<Dict>("MarkInfo").unwrap().get::<bool>("Marked").unwrap());
    assert!(
        catalog.get::<Dict>("ViewerPreferences").unwrap().get::<bool>("DisplayDocTitle").unwrap()
    );
    assert_eq!(structure::bookmarks(&pdf), ["Fatura 000123", "Emitente", "Cliente"]);
    let text = String::from_utf8_lossy(&file);
    for part in
        ["<pdfuaid:part>1</pdfuaid:part>", "Fatura 000123", "<xmp:CreateDate>2026-08-10T12:34:56"]
    {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn a_normal_sheet_is_small() {
    let size = render(&sheets::ordinary()).unwrap().len();
    assert!(size <= 40_000, "{size} bytes");
}

/// Texts that stand beside each other do not touch, and nothing is drawn outside of the margins.
fn assert_in_place(name: &str, pages: &[Seen]) {
    for (number, page) in (1..).zip(pages) {
        let bounds = page.bounds;
        // A letter may reach over its own width, a ring around it most of all.
        let fits = bounds.x0 >= LEFT - 4.0 && bounds.x1 <= RIGHT + 4.0;
        assert!(
            fits && bounds.y0 >= TOP && bounds.y1 <= BOTTOM,
            "{name}, page {number}: {bounds:?}"
        );
        let placed: Vec<&Said> = page.said.iter().filter(|said| said.bounds.is_some()).collect();
        for (index, one) in placed.iter().enumerate() {
            for other in placed.iter().skip(index + 1) {
                let (here, there) = (one.bounds.unwrap(), other.bounds.unwrap());
                let beside = here.x0 < there.x1 && there.x0 < here.x1;
                let apart = (one.baseline.unwrap() - other.baseline.unwrap()).abs() >= 8.0;
                assert!(!beside || apart, "{name}, page {number}: {one:?} is on {other:?}");
            }
        }
    }
}

#[test]
fn nothing_leaves_its_column_or_its_page() {
    let mut full = sheets::full();
    full.lines.truncate(8);
    for (name, sheet) in [
        ("ordinary", sheets::ordinary()),
        ("hostile", sheets::hostile()),
        ("long", sheets::long()),
        ("full", full),
    ] {
        assert_in_place(name, &seen(&sheet));
    }
}

#[test]
fn amounts_end_at_the_right_margin_and_their_figures_stand_below_each_other() {
    let pages = seen(&sheets::ordinary());
    let amounts: Vec<&Said> =
        pages[0].said.iter().filter(|said| said.text.contains("R$")).collect();
    assert_eq!(amounts.len(), 6);
    for amount in &amounts {
        let end = amount.bounds.unwrap().x1;
        assert!((RIGHT - 2.5..=RIGHT).contains(&end), "{amount:?}");
    }
    let width = |text: &str| {
        let mut sheet = sheets::ordinary();
        sheet.lines = vec![sheets::line("x", None, &format!("1{text}1"))];
        let pages = seen(&sheet);
        let said = pages[0].said.iter().find(|said| said.text == format!("1{text}1"));
        said.unwrap().bounds.unwrap().width()
    };
    assert!((width("111,11") - width("888,88")).abs() < 0.01);
}

#[test]
fn a_mark_of_direction_changes_no_amount() {
    let plain = sheets::ordinary();
    let mut marked = plain.clone();
    for line in marked.lines.iter_mut().chain(&mut marked.totals).chain([&mut marked.total]) {
        line.description.insert(0, '\u{202e}');
        line.amount.insert_str(0, "\u{202e}\u{2067}\u{200f}");
    }
    let [plain, marked] = [plain, marked].map(|sheet| seen(&sheet));
    assert_eq!(plain[0].picture.changes(&marked[0].picture), 0);
    let text =
        |pages: &[Seen]| pages[0].said.iter().map(|said| said.text.clone()).collect::<Vec<_>>();
    assert_eq!(text(&plain), text(&marked));
}

#[test]
fn a_character_that_no_font_has_keeps_its_text() {
    let sheet = Sheet { subtitle: Some("a 北京 b".to_owned()), ..sheets::ordinary() };
    let box_sheet = Sheet { subtitle: Some("a □□ b".to_owned()), ..sheets::ordinary() };
    let [missing, boxes] = [sheet, box_sheet].map(|sheet| seen(&sheet));
    assert!(missing[0].said.iter().any(|said| said.text == "a 北京 b"));
    assert_eq!(missing[0].picture.changes(&boxes[0].picture), 0);
}

#[test]
fn every_page_of_a_long_table_has_its_head_and_its_number() {
    let pages = seen(&sheets::long());
    assert_eq!(pages.len(), 4);
    for (number, page) in (1..).zip(&pages) {
        let shows = |text: &str| page.said.iter().filter(|said| said.text.trim() == text).count();
        assert_eq!(shows(&format!("Página {number} de 4")), 1);
        assert_eq!((shows("Descrição"), shows("Valor")), (1, 1), "page {number}");
        assert_eq!(shows("Fatura 000123"), 1);
    }
}

#[test]
fn a_sheet_without_facts_totals_and_notices_is_drawn() {
    let party = || Party { heading: "Parte".into(), name: String::new(), lines: Vec::new() };
    let sheet = Sheet {
        subtitle: None,
        issuer: party(),
        payer: party(),
        facts: Vec::new(),
        lines: Vec::new(),
        totals: Vec::new(),
        notices: Vec::new(),
        ..sheets::ordinary()
    };
    let pages = seen(&sheet);
    assert_eq!(pages.len(), 1);
    assert_in_place("bare", &pages);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Half of the characters are from scripts, signs and marks that make trouble more often than the others.
    #[test]
    fn no_text_breaks_a_sheet(texts in vec(vec(letter(), 0..200), 6)) {
        let texts: Vec<String> = texts.into_iter().map(String::from_iter).collect();
        let mut sheet = sheets::ordinary();
        sheet.issuer.name.clone_from(&texts[0]);
        sheet.payer.name.clone_from(&texts[1]);
        sheet.payer.lines = texts[2..4].to_vec();
        sheet.lines[0].description.clone_from(&texts[4]);
        sheet.facts[0].value.clone_from(&texts[5]);
        assert_in_place(&texts.concat(), &seen(&sheet));
    }
}

fn letter() -> impl Strategy<Value = char> {
    let trouble: Vec<char> =
        " \u{a0}-–aW9%\u{301}\u{338}\u{200b}\u{200d}\u{200f}\u{202e}\u{2067}\u{ad}\u{fe0f}\u{20e3}\
        אבּمﷺلا٣ก้नि한北€♥☎👩🏽🇧🇷🏴\u{e0067}\u{e007f}\u{0}\u{ffff}\u{e000}ǅßİ"
            .chars()
            .collect();
    prop_oneof![any::<char>(), select(trouble)]
}

#[test]
fn as_much_as_a_sheet_takes_is_drawn() {
    let file = render(&sheets::full()).unwrap();
    assert!(reader::parse(&file).pages().len() > 50);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let with = |change: &dyn Fn(&mut Sheet)| {
        let mut sheet = sheets::full();
        change(&mut sheet);
        render(&sheet).unwrap_err()
    };
    let long = |field, most| PdfError::TooLong { field, found: most + 1, most };
    let many = |field, most| PdfError::TooMany { field, found: most + 1, most };
    assert_eq!(with(&|sheet| sheet.title.push('x')), long("title", 80));
    assert_eq!(with(&|sheet| sheet.payer.name.push('é')), long("payer.name", 200));
    assert_eq!(with(&|sheet| sheet.issuer.lines[9].push('x')), long("issuer.lines", 254));
    assert_eq!(with(&|sheet| sheet.facts[11].value.push('x')), long("facts.value", 300));
    assert_eq!(with(&|sheet| sheet.lines[199].amount.push('x')), long("lines.amount", 40));
    assert_eq!(with(&|sheet| sheet.total.amount.push('x')), long("totals.amount", 40));
    assert_eq!(with(&|sheet| sheet.lines.push(sheets::line("x", None, "1"))), many("lines", 200));
    assert_eq!(with(&|sheet| sheet.notices.push("x".into())), many("notices", 8));
    for title in ["", " \n", "\u{202e}\u{feff}"] {
        assert_eq!(with(&|sheet| sheet.title = title.into()), PdfError::Empty("title"));
    }
}
