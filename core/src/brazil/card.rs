//! Card numbers of the sandbox form: length, Luhn and brand. With real keys a number never gets here.

use serde::Serialize;

/// Brands as the payment provider spells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Brand {
    Elo,
    Hipercard,
    Amex,
    Mastercard,
    Discover,
    Aura,
    Visa,
}

/// Prefix ranges (digits, first, last) by brand; the first match wins, so order is meaning: elo and
/// hipercard sit inside the ranges of the international brands. After
/// docs/billing.md, "Documents and cards".
const RANGES: [(Brand, usize, u32, u32); 41] = [
    (Brand::Elo, 6, 401178, 401179),
    (Brand::Elo, 6, 431274, 431274),
    (Brand::Elo, 6, 438935, 438935),
    (Brand::Elo, 6, 451416, 451416),
    (Brand::Elo, 6, 457393, 457393),
    (Brand::Elo, 6, 457631, 457632),
    (Brand::Elo, 6, 504175, 504175),
    (Brand::Elo, 6, 506699, 506778),
    (Brand::Elo, 6, 509000, 509999),
    (Brand::Elo, 6, 627780, 627780),
    (Brand::Elo, 6, 636297, 636297),
    (Brand::Elo, 6, 636368, 636369),
    (Brand::Elo, 6, 650031, 650033),
    (Brand::Elo, 6, 650035, 650051),
    (Brand::Elo, 6, 650405, 650439),
    (Brand::Elo, 6, 650485, 650538),
    (Brand::Elo, 6, 650541, 650598),
    (Brand::Elo, 6, 650700, 650718),
    (Brand::Elo, 6, 650720, 650727),
    (Brand::Elo, 6, 650901, 650978),
    (Brand::Elo, 6, 651652, 651679),
    (Brand::Elo, 6, 655000, 655019),
    (Brand::Elo, 6, 655021, 655058),
    (Brand::Hipercard, 6, 606282, 606282),
    (Brand::Hipercard, 6, 384100, 384100),
    (Brand::Hipercard, 6, 384140, 384140),
    (Brand::Hipercard, 6, 384160, 384160),
    (Brand::Hipercard, 6, 637095, 637095),
    (Brand::Hipercard, 6, 637568, 637568),
    (Brand::Hipercard, 6, 637599, 637599),
    (Brand::Hipercard, 6, 637609, 637609),
    (Brand::Hipercard, 6, 637612, 637612),
    (Brand::Amex, 2, 34, 34),
    (Brand::Amex, 2, 37, 37),
    (Brand::Mastercard, 2, 51, 55),
    (Brand::Mastercard, 4, 2221, 2720),
    (Brand::Discover, 4, 6011, 6011),
    (Brand::Discover, 3, 644, 649),
    (Brand::Discover, 2, 65, 65),
    (Brand::Aura, 2, 50, 50),
    (Brand::Visa, 1, 4, 4),
];

/// The brand of a number, or of its beginning once the prefix is complete.
pub fn brand(number: &str) -> Option<Brand> {
    RANGES
        .iter()
        .find(|(_, len, first, last)| {
            number
                .get(..*len)
                .and_then(|p| p.parse::<u32>().ok())
                .is_some_and(|p| (*first..=*last).contains(&p))
        })
        .map(|(brand, ..)| *brand)
}

/// The digits of a number typed with spaces or hyphens; `None` when anything else is in it.
pub fn digits(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
    digits.bytes().all(|b| b.is_ascii_digit()).then_some(digits)
}

/// 13 to 19 digits whose Luhn sum holds.
pub fn is_valid(text: &str) -> bool {
    digits(text).is_some_and(|digits| (13..=19).contains(&digits.len()) && luhn(&digits))
}

/// The Luhn sum (ISO/IEC 7812-1) of ASCII digits ends in 0.
pub fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(index, byte)| {
            let digit = u32::from(byte.saturating_sub(b'0'));
            match (index % 2, digit * 2) {
                (0, _) => digit,
                (_, doubled) if doubled > 9 => doubled - 9,
                (_, doubled) => doubled,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}
