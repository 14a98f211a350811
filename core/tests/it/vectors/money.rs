//! Rounding, prices on the wire and amounts in Portuguese match the golden cases.

use bipe_core::money::{Cents, Decimal, MAX_PRICE, Reais, percent_change, rh};
use bipe_core::plan::BillingCycle;
use bipe_core::testing::parsers::{fee_estimate, saving, to_minor};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::run;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum Input {
    Rh {
        n: i64,
        d: i64,
    },
    ToMinor {
        amount: String,
        currency: String,
    },
    FromWire {
        json: String,
    },
    ToWire {
        cents: i64,
    },
    #[serde(rename = "formatBRL")]
    FormatBrl {
        cents: i64,
    },
    FeeEstimate {
        cents: i64,
    },
}

#[test]
fn money_matches_the_vectors() {
    run(include_str!("../../vectors/money.json"), 104, |input: Input| match input {
        Input::Rh { n, d } => json!(i64::try_from(rh(n.into(), d.into())).unwrap()),
        Input::ToMinor { amount, currency } => json!(to_minor(&amount, &currency)),
        Input::FromWire { json: text } => match serde_json::from_str::<Reais>(&text) {
            Ok(Reais(cents)) => json!(cents),
            Err(_) => json!({"error": "VALIDATION_ERROR"}),
        },
        Input::ToWire { cents } => json!(serde_json::to_string(&Reais(Cents(cents))).unwrap()),
        Input::FormatBrl { cents } => json!(Cents(cents).to_string()),
        Input::FeeEstimate { cents } => {
            let fee = fee_estimate(Cents(cents));
            json!({"fee": fee, "total": Cents(cents) + fee})
        }
    });
}

#[derive(Deserialize)]
struct Prices {
    monthly: i64,
    quarterly: i64,
    yearly: i64,
}

#[test]
fn savings_match_the_vectors() {
    run(include_str!("../../vectors/savings.json"), 16, |input: Prices| {
        let card = |cycle, price| match saving(Cents(input.monthly), cycle, Cents(price)) {
            Some(s) => json!({"saving": s.saving, "percent": s.percent, "perMonth": s.per_month}),
            None => Value::Null,
        };
        json!({
            "quarterly": card(BillingCycle::Quarterly, input.quarterly),
            "yearly": card(BillingCycle::Yearly, input.yearly),
        })
    });
}

#[test]
fn a_price_is_digits_with_at_most_two_places() {
    for (text, cents) in [("0", 0), ("5.1", 510), ("49.90", 4_990), ("999999.99", MAX_PRICE.0)] {
        assert_eq!(Reais::parse(text), Some(Reais(Cents(cents))), "{text}");
    }
    for text in ["", ".", ".5", "5.", "5.123", "-1", "+1", "1e2", "1 ", "1.2.3", "1000000.00"] {
        assert_eq!(Reais::parse(text), None, "{text}");
    }
}

#[test]
fn an_amount_beyond_the_column_stays_at_its_end() {
    let (most, least) = (Cents(i64::MAX), Cents(i64::MIN));
    assert_eq!((most.times(2), least.times(2)), (most, least));
    assert_eq!((most.share(3, 2), least.share(3, 2)), (most, least));
    assert_eq!(most.times(-2), least);
}

#[test]
fn a_change_is_told_in_tenths_of_a_percent() {
    let change = |before: i64, after: i64| {
        let change = percent_change(Decimal(after), Decimal(before))?;
        Some(change.to_string())
    };
    for (before, after, text) in [
        (100, 150, "50"),
        (150, 100, "-33.3"),
        (300, 400, "33.3"),
        (600, 601, "0.2"),
        (100, 100, "0"),
        (100, 0, "-100"),
        (-100, 50, "-150"),
        (-100, -150, "50"),
    ] {
        assert_eq!(change(before, after).as_deref(), Some(text), "from {before} to {after}");
    }
    assert_eq!(change(0, 100), None, "nothing came before");
    assert_eq!(change(0, 0), None);
}

proptest! {
    #[test]
    fn a_price_survives_the_wire(cents in 0_i64..=99_999_999) {
        let text = serde_json::to_string(&Reais(Cents(cents))).unwrap();
        prop_assert_eq!(serde_json::from_str::<Reais>(&text).unwrap(), Reais(Cents(cents)));
        let value: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::from_value::<Reais>(value).unwrap(), Reais(Cents(cents)));
    }

    #[test]
    fn rounding_is_never_off_by_more_than_a_half(n in any::<i64>(), d in 1_i64..=i64::MAX) {
        let (n, d) = (i128::from(n), i128::from(d));
        prop_assert!((2 * (rh(n, d) * d - n)).abs() <= d);
        prop_assert_eq!(rh(-n, d), -rh(n, d));
    }

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(text in "\\PC{0,24}", currency in "[a-zA-Z]{3}") {
        let _ = Reais::parse(&text);
        let _ = to_minor(&text, &currency);
    }
}
