//! Rounding, prices on the wire and amounts in Portuguese match the golden cases.

use bipe_core::money::{Cents, Reais, rh};
use bipe_core::plan::BillingCycle;
use bipe_core::testing::readers::{fee_estimate, saving, to_minor};
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
