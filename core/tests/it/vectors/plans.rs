//! The default plans match the golden cases.

use bipe_core::money::Cents;
use bipe_core::plan::catalogue::default_plans;
use bipe_core::plan::slug;
use serde::Deserialize;
use serde_json::json;

use super::run;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    display_name: String,
}

#[test]
fn the_default_catalogue_matches_the_vectors() {
    let plans = default_plans();
    run(include_str!("../../vectors/catalogue.json"), plans.len(), |input: Input| {
        let plan = plans.iter().find(|plan| plan.display_name == input.display_name).unwrap();
        json!({
            "isFree": plan.is_free, "isPopular": plan.is_popular, "monthlyPrice": plan.monthly,
            "quarterlyPrice": plan.quarterly, "yearlyPrice": plan.yearly, "hierarchy": plan.hierarchy,
            "contact": !plan.is_free && plan.monthly == Cents::ZERO,
        })
    });
}

#[test]
fn a_slug_is_the_display_name_in_lower_case_without_accents_and_with_hyphens() {
    assert_eq!(slug("Profissional  Plus"), "profissional-plus");
    assert_eq!(slug("Negócio Avançado"), "negocio-avancado");
}
