//! A plan as a platform admin writes it. Every number has its bounds; all of them are checked at once.
//!
//! Pure. Called by the admin's create and edit. A `PlanDraft` is always valid.

use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};

use super::{Limits, Plan, PlanStatus, slug};
use crate::audit::{self, AuditField};
use crate::error::{FieldCode, FieldErrors, Result};
use crate::json_object;
use crate::money::{Cents, Reais};
use crate::user::{parse_name, required_note};

const NAME: RangeInclusive<usize> = 1..=100;
const FEATURES_MAX: usize = 30;
const FEATURE: RangeInclusive<usize> = 1..=120;
/// A company has its creator, so a plan for nobody cannot be kept.
const USERS: RangeInclusive<i32> = 1..=1_000_000;
const BEEPING: RangeInclusive<i32> = 0..=1_000_000_000;
const HIERARCHY: RangeInclusive<i32> = 1..=1_000;

/// The body of `POST` and `PUT /admin/plans`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanRequest {
    #[schema(required = true, nullable = false, min_length = 1, max_length = 100)]
    display_name: Option<String>,
    #[schema(required = true, nullable = false, min_length = 1, max_length = 500)]
    description: Option<String>,
    #[schema(required = true, nullable = false, value_type = f64, minimum = 0, maximum = 999_999.99)]
    monthly_price: Option<Box<RawValue>>,
    #[schema(required = true, nullable = false, value_type = f64, minimum = 0, maximum = 999_999.99)]
    quarterly_price: Option<Box<RawValue>>,
    #[schema(required = true, nullable = false, value_type = f64, minimum = 0, maximum = 999_999.99)]
    yearly_price: Option<Box<RawValue>>,
    #[serde(default)]
    #[schema(schema_with = features_schema)]
    features: Vec<String>,
    #[serde(default, deserialize_with = "json_object::read_optional")]
    #[schema(required = true, nullable = false)]
    limits: Option<LimitsRequest>,
    #[serde(default)]
    is_popular: bool,
    /// Left out: whether the monthly price is 0. `false` beside a monthly price of 0 is sold by talking.
    is_free: Option<bool>,
    /// 1 when left out.
    #[schema(value_type = Option<i32>, minimum = 1, maximum = 1000)]
    hierarchy: Option<Box<RawValue>>,
    /// A new plan is `active` when left out, an old one keeps its status.
    status: Option<PlanStatus>,
}

/// `-1` is unlimited.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitsRequest {
    #[schema(required = true, schema_with = max_users_schema)]
    max_users: Option<Box<RawValue>>,
    #[schema(required = true, nullable = false, value_type = i32, minimum = -1, maximum = 1_000_000_000)]
    max_beeping: Option<Box<RawValue>>,
}

fn features_schema() -> Schema {
    let feature = ObjectBuilder::new().schema_type(Type::String);
    let feature = feature.min_length(Some(*FEATURE.start())).max_length(Some(*FEATURE.end()));
    ArrayBuilder::new().items(feature).max_items(Some(FEATURES_MAX)).into()
}

/// No range: a plan for nobody is none.
fn max_users_schema() -> Schema {
    let integer = || ObjectBuilder::new().schema_type(Type::Integer);
    let range = integer().minimum(Some(*USERS.start())).maximum(Some(*USERS.end()));
    let unlimited = integer().enum_values(Some([-1]));
    OneOfBuilder::new().item(unlimited).item(range).into()
}

/// A plan that may be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanDraft {
    /// The slug of the display name; unique.
    pub name: String,
    pub display_name: String,
    pub description: String,
    pub features: Vec<String>,
    pub is_free: bool,
    pub is_popular: bool,
    pub monthly: Cents,
    pub quarterly: Cents,
    pub yearly: Cents,
    pub limits: Limits,
    pub hierarchy: i32,
    /// None: on sale when it is new, else as it was.
    pub status: Option<PlanStatus>,
}

impl PlanRequest {
    /// # Errors
    /// `Invalid` with every field that is wrong.
    pub fn parse(&self) -> Result<PlanDraft> {
        let mut errors = FieldErrors::default();
        let display_name = self.display_name.as_deref().unwrap_or_default();
        let display_name = errors.take("displayName", parse_display_name(display_name));
        let description = errors.take("description", required_note(self.description.as_deref()));
        let monthly = errors.take("monthlyPrice", price(self.monthly_price.as_deref()));
        let quarterly = errors.take("quarterlyPrice", price(self.quarterly_price.as_deref()));
        let yearly = errors.take("yearlyPrice", price(self.yearly_price.as_deref()));
        let features = features(&self.features, &mut errors);
        let limits = self.limits(&mut errors);
        let hierarchy = match &self.hierarchy {
            None => Some(*HIERARCHY.start()),
            Some(raw) => errors.take("hierarchy", integer(Some(raw), &HIERARCHY)),
        };
        let is_free = self.is_free.or(monthly.map(|price| price == Cents::ZERO));
        let is_charged = [monthly, quarterly, yearly].iter().flatten().any(|p| *p > Cents::ZERO);
        if is_free == Some(true) && is_charged {
            errors.add("isFree", FieldCode::Invalid);
        }
        let draft = || {
            Some(PlanDraft {
                name: slug(display_name.as_ref()?),
                display_name: display_name?,
                description: description?,
                features: features?,
                is_free: is_free?,
                is_popular: self.is_popular,
                monthly: monthly?,
                quarterly: quarterly?,
                yearly: yearly?,
                limits: limits?,
                hierarchy: hierarchy?,
                status: self.status,
            })
        };
        errors.into_result(draft())
    }

    fn limits(&self, errors: &mut FieldErrors) -> Option<Limits> {
        let raw = self.limits.as_ref();
        let users = limit(raw.and_then(|raw| raw.max_users.as_deref()), &USERS);
        let beeping = limit(raw.and_then(|raw| raw.max_beeping.as_deref()), &BEEPING);
        let users = errors.take("limits.maxUsers", users);
        let beeping = errors.take("limits.maxBeeping", beeping);
        Some(Limits { max_users: users?, max_beeping: beeping? })
    }
}

impl PlanDraft {
    /// The fields in which the draft differs from the plan as it stands.
    pub fn changes(&self, plan: &Plan) -> Vec<AuditField> {
        audit::changed([
            (AuditField::DisplayName, self.display_name != plan.display_name),
            (AuditField::Name, self.name != plan.name),
            (AuditField::Description, self.description != plan.description),
            (AuditField::Features, self.features != plan.features),
            (AuditField::IsFree, self.is_free != plan.is_free),
            (AuditField::IsPopular, self.is_popular != plan.is_popular),
            (AuditField::MonthlyPrice, self.monthly != plan.monthly),
            (AuditField::QuarterlyPrice, self.quarterly != plan.quarterly),
            (AuditField::YearlyPrice, self.yearly != plan.yearly),
            (AuditField::Limits, self.limits != plan.limits),
            (AuditField::Hierarchy, self.hierarchy != plan.hierarchy),
            (AuditField::Status, self.status.is_some_and(|status| status != plan.status)),
        ])
    }
}

/// Marks alone have no slug. `none` is the filter for companies without a plan.
fn parse_display_name(raw: &str) -> Result<String, FieldCode> {
    let name = parse_name(raw, NAME)?;
    match slug(&name).as_str() {
        "" | "none" => Err(FieldCode::Invalid),
        _ => Ok(name),
    }
}

fn features(raw: &[String], errors: &mut FieldErrors) -> Option<Vec<String>> {
    if raw.len() > FEATURES_MAX {
        errors.add("features", FieldCode::TooLong);
        return None;
    }
    let mut line_at = |(i, text): (usize, &String)| {
        errors.take(format!("features[{i}]"), parse_name(text, FEATURE))
    };
    // Every wrong one is named.
    let lines: Vec<Option<String>> = raw.iter().enumerate().map(&mut line_at).collect();
    lines.into_iter().collect()
}

fn price(raw: Option<&RawValue>) -> Result<Cents, FieldCode> {
    let raw = raw.ok_or(FieldCode::Required)?;
    Reais::parse(raw.get()).map(|Reais(cents)| cents).ok_or(FieldCode::Invalid)
}

fn integer(raw: Option<&RawValue>, range: &RangeInclusive<i32>) -> Result<i32, FieldCode> {
    let number = raw.ok_or(FieldCode::Required)?.get().parse().ok();
    number.filter(|number| range.contains(number)).ok_or(FieldCode::Invalid)
}

fn limit(raw: Option<&RawValue>, range: &RangeInclusive<i32>) -> Result<i32, FieldCode> {
    match raw.map(RawValue::get) {
        Some("-1") => Ok(-1),
        _ => integer(raw, range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use serde_json::{Value, json};

    fn body() -> Value {
        json!({
            "displayName": " Plano Ágil ", "description": "Para quem começa.", "monthlyPrice": 49.9,
            "quarterlyPrice": 127.25, "yearlyPrice": 449, "features": ["Painel", "Suporte"],
            "limits": {"maxUsers": 10, "maxBeeping": -1},
        })
    }

    fn parse(body: &Value) -> Result<PlanDraft> {
        serde_json::from_str::<PlanRequest>(&body.to_string()).unwrap().parse()
    }

    /// The fields of a refusal of the body with one value replaced.
    fn refused(pointer: &str, value: Value) -> Vec<(String, FieldCode)> {
        let mut body = body();
        *body.pointer_mut(pointer).unwrap() = value;
        let Err(Error::Invalid(FieldErrors(fields))) = parse(&body) else { return Vec::new() };
        fields.into_iter().map(|(name, code)| (name.into_owned(), code)).collect()
    }

    #[test]
    fn a_plan_is_read_with_its_slug_and_its_defaults() {
        let draft = parse(&body()).unwrap();
        assert_eq!(draft.name, "plano-agil");
        assert_eq!(draft.display_name, "Plano Ágil");
        assert_eq!((draft.monthly, draft.quarterly), (Cents(4_990), Cents(12_725)));
        assert_eq!(draft.yearly, Cents(44_900));
        assert_eq!(draft.limits, Limits { max_users: 10, max_beeping: -1 });
        assert_eq!((draft.is_free, draft.is_popular, draft.hierarchy), (false, false, 1));
    }

    #[test]
    fn a_display_name_has_a_slug_that_no_filter_uses() {
        for name in ["´", "None", " NÔNE "] {
            let expected = [("displayName".to_owned(), FieldCode::Invalid)];
            assert_eq!(refused("/displayName", json!(name)), expected, "{name}");
        }
        assert_eq!(refused("/displayName", json!("None Plus")), []);
    }

    #[test]
    fn a_monthly_price_of_zero_is_free_unless_the_plan_is_sold_by_talking() {
        let mut body = body();
        for price in ["monthlyPrice", "quarterlyPrice", "yearlyPrice"] {
            body[price] = json!(0);
        }
        assert!(parse(&body).unwrap().is_free);
        body["isFree"] = json!(false);
        assert!(!parse(&body).unwrap().is_free);
        body["isFree"] = json!(true);
        body["yearlyPrice"] = json!(10);
        let Err(Error::Invalid(fields)) = parse(&body) else { panic!("free with a price") };
        assert_eq!(fields, FieldErrors::one("isFree", FieldCode::Invalid));
    }

    #[test]
    fn every_number_has_its_bounds() {
        let wrong = [
            ("/monthlyPrice", json!(-0.01)),
            ("/monthlyPrice", json!(1.005)),
            ("/monthlyPrice", json!(1_000_000)),
            ("/monthlyPrice", json!("49.90")),
            ("/limits/maxUsers", json!(0)),
            ("/limits/maxUsers", json!(-2)),
            ("/limits/maxUsers", json!(1_000_001)),
            ("/limits/maxUsers", json!(2.5)),
            ("/limits/maxBeeping", json!(1_000_000_001)),
        ];
        for (pointer, value) in wrong {
            let name = pointer.trim_start_matches('/').replace('/', ".");
            assert_eq!(refused(pointer, value.clone()), [(name, FieldCode::Invalid)], "{value}");
        }
        for hierarchy in [json!(0), json!(1001), json!("1")] {
            let mut body = body();
            body["hierarchy"] = hierarchy.clone();
            assert!(parse(&body).is_err(), "{hierarchy}");
        }
        for (pointer, value) in [
            ("/monthlyPrice", json!(999_999.99)),
            ("/limits/maxUsers", json!(-1)),
            ("/limits/maxUsers", json!(1_000_000)),
            ("/limits/maxBeeping", json!(0)),
        ] {
            assert_eq!(refused(pointer, value), []);
        }
    }

    #[test]
    fn all_that_is_missing_is_named_at_once() {
        let Err(Error::Invalid(FieldErrors(fields))) = parse(&json!({})) else { panic!() };
        let names: Vec<&str> = fields.keys().map(AsRef::as_ref).collect();
        assert_eq!(
            names,
            [
                "description",
                "displayName",
                "limits.maxBeeping",
                "limits.maxUsers",
                "monthlyPrice",
                "quarterlyPrice",
                "yearlyPrice"
            ]
        );
        assert!(fields.values().all(|code| *code == FieldCode::Required));
        let long = json!(vec!["x"; 31]);
        assert_eq!(refused("/features", long), [("features".to_owned(), FieldCode::TooLong)]);
        let wrong = json!(["  ", "x", "y".repeat(121)]);
        let named = |at: &str, code| (format!("features[{at}]"), code);
        assert_eq!(
            refused("/features", wrong),
            [named("0", FieldCode::Required), named("2", FieldCode::TooLong)]
        );
    }
}
