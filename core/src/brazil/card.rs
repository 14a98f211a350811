//! Card numbers of the sandbox form: length and Luhn. With real keys a number never gets here.

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
