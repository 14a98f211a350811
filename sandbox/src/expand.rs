//! `expand[]`, and lists with paging.

use serde_json::{Value, json};

use crate::fault::Fault;
use crate::form::Params;
use crate::store::{Object, State, Tx};
use crate::wire;

/// Fields that hold another object's id and may be replaced by the object, what leads to one, and what may hold one at
/// Stripe and is null here.
const EXPANDABLE: &[&str] = &[
    "balance_transaction",
    "charge",
    "customer",
    "default_payment_method",
    "invoice",
    "invoice_settings",
    "latest_attempt",
    "latest_charge",
    "mandate",
    "payment_intent",
    "payment_method",
    "review",
];

/// Refuses an `expand[]` that nothing could satisfy, before any work is done.
pub fn check(params: &Params) -> Result<(), Fault> {
    for path in params.list("expand") {
        let segments: Vec<&str> = path.split('.').collect();
        if segments.len() > 4 {
            return Err(Fault::param(
                "expand",
                "You cannot expand more than 4 levels of a property.",
            ));
        }
        let names = segments.strip_prefix(&["data"]).unwrap_or(&segments);
        if names.is_empty() || names.iter().any(|name| !EXPANDABLE.contains(name)) {
            return Err(Fault::param("expand", "This property cannot be expanded."));
        }
    }
    Ok(())
}

/// Replaces the ids that `expand[]` names (`latest_charge`, `data.customer`, `latest_charge.customer`).
pub fn expand(value: &mut Value, params: &Params, state: &State, base_url: &str) {
    for path in params.list("expand") {
        let segments: Vec<&str> = path.split('.').collect();
        walk(value, &segments, state, base_url);
    }
}

fn walk(value: &mut Value, path: &[&str], state: &State, base_url: &str) {
    let Some((first, rest)) = path.split_first() else { return };
    let Some(field) = value.get_mut(*first) else { return };
    if let Value::Array(rows) = field {
        rows.iter_mut().for_each(|row| walk(row, rest, state, base_url));
        return;
    }
    if let Some(object) = field.as_str().and_then(|id| by_id(id, state, base_url)) {
        *field = object;
    }
    walk(field, rest, state, base_url);
}

fn by_id(id: &str, state: &State, base_url: &str) -> Option<Value> {
    match id.split('_').next()? {
        "ch" => state.charges.get(id).map(wire::charge),
        "cus" => state.customers.get(id).map(wire::customer),
        "pi" => state.intents.get(id).map(|row| wire::intent(row, base_url)),
        "pm" => state.methods.get(id).map(wire::payment_method),
        _ => None,
    }
}

/// The rows that a list call asked for, by `created` and `keep`, newest first, in Stripe's list object.
pub fn list<T: Object>(
    tx: &Tx<'_>,
    params: &Params,
    url: &str,
    keep: impl Fn(&T) -> bool,
) -> Result<Value, Fault> {
    let limit = page_size(params)?;
    let (from, to) = created_range(params)?;
    let keep = |row: &T| (from..=to).contains(&row.created()) && keep(row);
    let rows: Vec<(&String, &T)> =
        T::table(tx.state).iter().rev().filter(|(_, row)| keep(row)).collect();
    let at = |name: &str, id: &str| {
        let place = rows.iter().position(|(other, _)| *other == id);
        place.ok_or_else(|| Fault::no_such("object", id).named_by(name))
    };
    let (page, has_more): (Vec<&(&String, &T)>, bool) =
        match (params.text("starting_after"), params.text("ending_before")) {
            (Some(_), Some(_)) => {
                return Err(Fault::invalid(
                    "You may only use one of starting_after and ending_before.",
                ));
            }
            (None, Some(id)) => {
                let end = at("ending_before", id)?;
                let start = end.saturating_sub(limit);
                (rows.iter().take(end).skip(start).collect(), start > 0)
            }
            (after, None) => {
                let start =
                    after.map_or(Ok(0), |id| at("starting_after", id).map(|place| place + 1))?;
                (rows.iter().skip(start).take(limit).collect(), rows.len() > start + limit)
            }
        };
    let render = |(_, row): &&(&String, &T)| row.wire(tx.state, tx.base_url);
    let data: Vec<Value> = page.iter().map(render).collect();
    Ok(json!({"object": "list", "url": url, "has_more": has_more, "data": data}))
}

/// The parameters that every list understands.
pub const PAGING: [&str; 3] = ["limit", "starting_after", "ending_before"];

fn page_size(params: &Params) -> Result<usize, Fault> {
    let limit = params.integer("limit")?.unwrap_or(10);
    let size = usize::try_from(limit).ok().filter(|size| (1..=100).contains(size));
    size.ok_or_else(|| {
        Fault::param("limit", "Limit must be between 1 and 100.").coded("parameter_invalid_integer")
    })
}

/// The instants that `created=…` and `created[gt|gte|lt|lte]=…` let through: first and last second.
fn created_range(params: &Params) -> Result<(i64, i64), Fault> {
    let exact = params.integer("created")?;
    let after = params.integer("created[gt]")?.map(|limit| limit.saturating_add(1));
    let before = params.integer("created[lt]")?.map(|limit| limit.saturating_sub(1));
    let lower = [exact, after, params.integer("created[gte]")?].into_iter().flatten().max();
    let upper = [exact, before, params.integer("created[lte]")?].into_iter().flatten().min();
    Ok((lower.unwrap_or(i64::MIN), upper.unwrap_or(i64::MAX)))
}
