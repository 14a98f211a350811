//! Webhook endpoints that were created by calls, beside the one of the settings. Each has its own secret, which is
//! shown once.

use bipe_core::secret::Secret;
use serde_json::{Value, json};

use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::form::Params;
use crate::objects::Endpoint;
use crate::pipeline::Call;
use crate::store::{Record, Tx, random_text};
use crate::webhooks::Target;
use crate::wire::{self, insert};

pub fn create(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let params = &call.params;
    params.only(&["api_version", "description", "enabled_events", "metadata", "url"])?;
    params.required("url")?;
    if params.list("enabled_events").is_empty() {
        return Err(Fault::missing("enabled_events"));
    }
    let mut row = Endpoint {
        id: tx.id("we"),
        created: tx.now,
        secret: format!("whsec_{}", random_text(tx.clock, 32)),
        ..Endpoint::default()
    };
    change(&mut row, params)?;
    let mut value = wire::webhook_endpoint(&row);
    insert(&mut value, "secret", json!(row.secret));
    tx.put(Record::Endpoint(row));
    Ok(value)
}

pub fn update(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&["description", "disabled", "enabled_events", "metadata", "url"])?;
    let mut row = tx.state.find::<Endpoint>(&call.id)?.clone();
    change(&mut row, &call.params)?;
    let value = wire::webhook_endpoint(&row);
    tx.put(Record::Endpoint(row));
    Ok(value)
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&PAGING)?;
    expand::list(tx, &call.params, "/v1/webhook_endpoints", |_: &Endpoint| true)
}

/// Nothing more is sent there; deliveries that were due are dropped.
pub fn delete(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[])?;
    let id = tx.state.find::<Endpoint>(&call.id)?.id.clone();
    tx.put(Record::EndpointDeleted(id.clone()));
    Ok(json!({"id": id, "object": "webhook_endpoint", "deleted": true}))
}

fn change(row: &mut Endpoint, params: &Params) -> Result<(), Fault> {
    if let Some(url) = params.text("url") {
        let usable = Target::new(url, &[Secret::from(row.secret.as_str())]);
        usable.map_err(|error| Fault::param("url", error.to_string()).coded("url_invalid"))?;
        row.url = url.to_owned();
    }
    let events = params.list("enabled_events");
    if !events.is_empty() {
        row.enabled_events = events.into_iter().map(str::to_owned).collect();
    }
    if params.has("disabled") {
        row.disabled = params.flag("disabled")?;
    }
    params.change("description", &mut row.description);
    params.merge_metadata(&mut row.metadata)
}
