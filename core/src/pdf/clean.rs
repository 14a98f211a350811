//! A text without what would harm a page: control characters, marks that change the direction of what follows, towers
//! of accents. Called for every text before it is measured.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::face::{Faces, Weight, is_invisible};
use crate::invisible::is_ignorable;

/// So many marks may stand on one letter. Pointed Hebrew has up to four; more would grow into the lines above and below.
const MARKS: usize = 4;

/// The text as it is drawn and copied. What no font has is replaced by its plain form where there is one: 𝓑 by B, Ａ by
/// A, ﷺ by its words.
pub fn clean(text: &str, faces: &Faces) -> String {
    if text.chars().all(is_plain) {
        return spaced(text);
    }
    let text: String = text.chars().filter_map(kept).nfc().collect();
    let text = spaced(&text);
    let mut cleaned = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        let grapheme = lower(grapheme);
        if drawn(&grapheme, faces) {
            cleaned.push_str(&grapheme);
            continue;
        }
        let plain: String = grapheme.nfkc().filter_map(kept).collect();
        let bare: String = grapheme.chars().filter(|letter| !is_combining_mark(*letter)).collect();
        let better =
            [plain, bare].into_iter().find(|other| !other.is_empty() && drawn(other, faces));
        cleaned.push_str(&better.unwrap_or(grapheme));
    }
    cleaned
}

/// A letter, figure or sign of Portuguese: the main fonts have it, and no neighbour changes how it is drawn.
fn is_plain(letter: char) -> bool {
    matches!(letter, ' '..='~' | 'À'..='ÿ')
}

/// One space between two words.
fn spaced(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn drawn(text: &str, faces: &Faces) -> bool {
    text.graphemes(true).all(|grapheme| faces.of(grapheme, Weight::Regular).is_some())
}

/// At most [`MARKS`] marks on one letter.
fn lower(grapheme: &str) -> String {
    let mut marks = 0;
    let fits = |letter: &char| {
        marks += usize::from(is_combining_mark(*letter) && !is_invisible(*letter));
        marks <= MARKS || !is_combining_mark(*letter)
    };
    grapheme.chars().filter(fits).collect()
}

/// Line breaks and all spaces but the unbreakable ones become a space. What has no shape is left out, such as the marks
/// that turn the direction of text.
fn kept(letter: char) -> Option<char> {
    match letter {
        '\u{a0}' | '\u{202f}' => Some('\u{a0}'),
        letter if letter.is_whitespace() => Some(' '),
        letter if letter.is_control() => None,
        letter if is_ignorable(letter) && !is_invisible(letter) => None,
        // Annotations between the lines.
        '\u{fff9}'..='\u{fffb}' => None,
        // Noncharacters: the last two of each plane, and 32 more.
        '\u{fdd0}'..='\u{fdef}' => None,
        letter if u32::from(letter) & 0xfffe == 0xfffe => None,
        letter => Some(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::super::face::faces;
    use super::*;

    #[test]
    fn a_plain_text_is_what_the_long_way_makes_of_it() {
        let faces = faces().unwrap();
        for letter in (' '..='ÿ').filter(|letter| is_plain(*letter)) {
            let text = letter.to_string();
            let is_drawn = |weight| faces.main(weight).has_all(&text);
            assert!(is_drawn(Weight::Regular) && is_drawn(Weight::Strong), "{letter}");
            // A letter that is not plain makes it take the long way, which changes nothing else.
            let long = clean(&format!("a {letter}b ✓"), faces);
            let (start, _) = long.rsplit_once(" ✓").unwrap();
            assert_eq!(start, clean(&format!("a {letter}b"), faces), "{letter}");
        }
        assert_eq!(clean("  Ponto   Central ", faces), "Ponto Central");
    }
}
