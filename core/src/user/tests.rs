//! What people type: each kind of value with what it takes and refuses.

use super::*;

#[test]
fn names_are_trimmed_and_bounded() {
    assert_eq!(UserName::parse("  Ana Souza ").unwrap().as_str(), "Ana Souza");
    assert_eq!(UserName::parse("   "), Err(FieldCode::Required));
    assert_eq!(UserName::parse("A"), Err(FieldCode::NameTooShort));
    assert_eq!(UserName::parse(&"a".repeat(201)), Err(FieldCode::TooLong));
    assert_eq!(UserName::parse("Ana\u{202e}azuoS"), Err(FieldCode::Invalid));
    assert_eq!(UserName::parse("Ana\nSouza"), Err(FieldCode::Invalid));
    assert_eq!(UserName::parse("Zé").unwrap().as_str(), "Zé");
}

#[test]
fn names_with_joiners_are_not_refused() {
    for name in
        ["\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", "می\u{200c}خواهم", "Ana \u{2764}\u{fe0f}"]
    {
        assert_eq!(UserName::parse(name).unwrap().as_str(), name);
    }
    for deceptive in ['\u{0}', '\u{7f}', '\u{61c}', '\u{200e}', '\u{202e}', '\u{2029}', '\u{2066}']
    {
        let name = format!("Ana{deceptive}Souza");
        assert_eq!(UserName::parse(&name), Err(FieldCode::Invalid), "{name:?}");
    }
    assert_eq!(Email::parse("an\u{200d}a@example.com"), Err(FieldCode::EmailInvalid));
}

#[test]
fn no_name_is_made_of_what_shows_nothing() {
    for c in "\u{ad}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180e}\u{200b}\u{200c}\u{200d}\u{2060}\u{2800}\u{3164}\
              \u{fe0f}\u{feff}\u{ffa0}\u{e0020}"
        .chars()
    {
        assert_eq!(UserName::parse(&format!("{c}{c}")), Err(FieldCode::Required), "{c:?}");
        assert_eq!(UserName::parse(&format!(" {c}Ana")).unwrap().as_str(), "Ana", "{c:?}");
        let inside = format!("Ana{c}Souza");
        assert_eq!(UserName::parse(&inside).unwrap().as_str(), inside, "{c:?}");
    }
    assert_eq!(UserName::parse("\u{3164}A\u{3164}"), Err(FieldCode::NameTooShort));
    // The flag of Scotland ends with a character that is none.
    let scot = "Ana \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
    assert_eq!(UserName::parse(scot).unwrap().as_str(), scot);
}

#[test]
fn a_note_may_have_lines_and_an_empty_one_is_none() {
    assert_eq!(parse_note(None), Ok(None));
    assert_eq!(parse_note(Some(" \n\u{200b} ")), Ok(None));
    assert_eq!(parse_note(Some(" a\nb ")), Ok(Some("a\nb".into())));
    assert_eq!(parse_note(Some(&"é".repeat(501))), Err(FieldCode::TooLong));
    assert_eq!(parse_note(Some("a\u{0}b")), Err(FieldCode::Invalid));
    assert_eq!(required_note(Some("\u{200b}")), Err(FieldCode::Required));
    assert_eq!(required_note(Some(&"é".repeat(500))), Ok("é".repeat(500)));
}

#[test]
fn an_address_has_one_spelling() {
    let ana = Email::parse("Ana.Souza@Example.COM").unwrap();
    assert_eq!(ana.as_str(), "ana.souza@example.com");
    for known in ["a+b@ex-1.com.br", "ana@163.com", "ana@example.xn--p1ai"] {
        assert_eq!(Email::parse(known).unwrap().as_str(), known);
    }
    assert_eq!(Email::parse(""), Err(FieldCode::Required));
    let refused = [
        "ana",
        "ana@",
        "@example.com",
        "ana@example",
        "a na@example.com",
        " ana@example.com",
        "ana@exämple.com",
        "ana@-x.com",
        "ana@x..com",
        "ａna@example.com",
        "\u{430}na@example.com",
        "josé@example.com",
        "\u{212a}ai@example.com",
        "a@b@example.com",
        "\"ana\"@example.com",
        "ana@[127.0.0.1]",
        "ana@127.0.0.1",
        "ana@example.123",
        "ana@example.com\r\nBcc: x@y.com",
    ];
    for raw in refused {
        assert_eq!(Email::parse(raw), Err(FieldCode::EmailInvalid), "{raw}");
    }
    let long = format!("{}@example.com", "a".repeat(65));
    assert_eq!(Email::parse(&long), Err(FieldCode::EmailInvalid));
}

#[test]
fn a_phone_has_ten_characters_of_a_phone() {
    for raw in ["(11) 98765-4321", "+55 11 98765-4321", "1187654321"] {
        assert_eq!(Phone::parse(raw).unwrap().as_str(), raw);
    }
    for raw in ["98765-432", "11 98765 432x", "55+11987654321", "１１９８７６５４３２"] {
        assert_eq!(Phone::parse(raw), Err(FieldCode::PhoneInvalid), "{raw}");
    }
}

#[test]
fn a_password_needs_all_four_kinds_and_keeps_its_spaces() {
    assert_eq!(Password::parse(" Senha1! ").unwrap().as_str(), " Senha1! ");
    for raw in ["Senha1!", "senha123!", "SENHA123!", "SenhaSem!", "Senha1234", "Senha123-"] {
        assert_eq!(Password::parse(raw), Err(FieldCode::PasswordWeak), "{raw}");
    }
    assert_eq!(Password::parse(""), Err(FieldCode::Required));
    assert_eq!(Password::parse(&"aA1!".repeat(33)), Err(FieldCode::TooLong));
    assert!(Password::parse(&"aA1!".repeat(32)).is_ok());
}

#[test]
fn the_eighteenth_birthday_begins_in_sao_paulo() {
    let last_second: Timestamp = "2026-11-22T02:59:59Z".parse().unwrap();
    let midnight: Timestamp = "2026-11-22T03:00:00Z".parse().unwrap();
    let parse = |now| parse_birth_date("2008-11-22", 18, now);
    assert_eq!(parse(last_second), Err(FieldCode::TooYoung));
    assert_eq!(parse(midnight), Ok(jiff::civil::date(2008, 11, 22)));
}

#[test]
fn a_leap_day_child_has_the_birthday_in_march() {
    let born = jiff::civil::date(2008, 2, 29);
    assert_eq!(age(born, jiff::civil::date(2026, 2, 28)), 17);
    assert_eq!(age(born, jiff::civil::date(2026, 3, 1)), 18);
    assert_eq!(age(born, jiff::civil::date(2028, 2, 29)), 20);
}

#[test]
fn days_that_are_none_are_refused() {
    let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
    let cases = [
        ("", FieldCode::Required),
        ("2007-02-29", FieldCode::Invalid),
        ("21/11/1990", FieldCode::Invalid),
        ("1990-1-1", FieldCode::Invalid),
        ("19900101", FieldCode::Invalid),
        ("2027-01-01", FieldCode::Invalid),
        ("1899-12-31", FieldCode::Invalid),
    ];
    for (raw, code) in cases {
        assert_eq!(parse_birth_date(raw, 18, now), Err(code), "{raw}");
    }
}

#[test]
fn personal_data_prints_nothing() {
    let email = Email::parse("ana@example.com").unwrap();
    let password = Password::parse("Senha123!").unwrap();
    assert_eq!(format!("{email:?} {password:?}"), "Email(…) Password(…)");
}
