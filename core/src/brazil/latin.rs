//! Names and addresses in ASCII, as a boleto carries them.
//!
//! Pure. Called when the request for a boleto is read, and when the boleto is asked for.

use unicode_normalization::UnicodeNormalization;

/// The text with letters without their marks; punctuation that ASCII does not have is left out. None when nothing is
/// left, or when a letter or digit has no Latin form: a name that lacks some of its letters is another name.
pub fn ascii(text: &str) -> Option<String> {
    let mut written = String::with_capacity(text.len());
    for c in text.nfkd() {
        match latin(c) {
            Some(letters) => written.push_str(letters),
            None if c.is_ascii_control() => {}
            None if c.is_ascii() => written.push(c),
            None if c.is_alphanumeric() => return None,
            None => {}
        }
    }
    (!written.trim().is_empty()).then_some(written)
}

/// Letters of Latin alphabets that are no letter with a mark.
fn latin(c: char) -> Option<&'static str> {
    Some(match c {
        'Æ' => "AE",
        'æ' => "ae",
        'Œ' => "OE",
        'œ' => "oe",
        'Ø' => "O",
        'ø' => "o",
        'Ł' => "L",
        'ł' => "l",
        'Đ' | 'Ð' => "D",
        'đ' | 'ð' => "d",
        'Þ' => "Th",
        'þ' => "th",
        'ß' => "ss",
        'ı' => "i",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::ascii;

    #[test]
    fn what_has_a_latin_form_is_written_in_it() {
        assert_eq!(ascii("São João Nº 3 – Ângela").unwrap(), "Sao Joao No 3  Angela");
        assert_eq!(ascii("Łukasz Sørensen-Weiß").unwrap(), "Lukasz Sorensen-Weiss");
    }

    #[test]
    fn what_has_none_is_not_left_out() {
        for text in ["李雷", "João 李", "Анна", "٣", "—", " "] {
            assert_eq!(ascii(text), None, "{text}");
        }
    }
}
