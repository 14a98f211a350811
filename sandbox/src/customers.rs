//! Customers, and the address fields that customers and billing details share.

use serde_json::Value;

use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::form::Params;
use crate::objects::{Address, BillingDetails, Customer, PaymentMethod};
use crate::pipeline::Call;
use crate::store::{Record, State, Tx};
use crate::wire;

const KNOWN: &[&str] = &[
    "address",
    "description",
    "email",
    "invoice_settings",
    "metadata",
    "name",
    "phone",
    "preferred_locales",
    "tax_exempt",
];

pub fn create(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let mut row = Customer { id: tx.id("cus"), created: tx.now, ..Customer::default() };
    change(tx.state, &mut row, &call.params)?;
    Ok(tx.save(row, "customer.created"))
}

pub fn update(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let mut row = tx.state.find::<Customer>(&call.id)?.clone();
    change(tx.state, &mut row, &call.params)?;
    Ok(tx.save(row, "customer.updated"))
}

pub fn retrieve(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    if tx.state.deleted_customers.contains(&call.id) {
        return Ok(wire::deleted_customer(&call.id));
    }
    tx.state.find(&call.id).map(wire::customer)
}

/// The customer goes, and with it every method that it holds.
pub fn delete(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[])?;
    let row = tx.state.find::<Customer>(&call.id)?.clone();
    let own = |method: &&PaymentMethod| method.customer.as_ref() == Some(&row.id);
    let held: Vec<PaymentMethod> = tx.state.methods.values().filter(own).cloned().collect();
    for method in held {
        release(tx, method);
    }
    tx.put(Record::CustomerDeleted(row.id.clone()));
    tx.emit("customer.deleted", &wire::customer(&row));
    Ok(wire::deleted_customer(&row.id))
}

/// Takes the method from its customer for good and tells so.
pub fn release(tx: &mut Tx<'_>, mut row: PaymentMethod) -> Value {
    (row.customer, row.spent) = (None, true);
    tx.save(row, "payment_method.detached")
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["email", "created"]].concat())?;
    let email = call.params.text("email");
    let keep = |row: &Customer| email.is_none_or(|email| row.email.as_deref() == Some(email));
    expand::list(tx, &call.params, "/v1/customers", keep)
}

/// The customer that `customer=` names, where it is given.
pub fn named(state: &State, params: &Params) -> Result<Option<String>, Fault> {
    let Some(id) = params.text("customer") else { return Ok(None) };
    let row: &Customer = state.find(id).map_err(|fault| fault.named_by("customer"))?;
    Ok(Some(row.id.clone()))
}

fn change(state: &State, row: &mut Customer, params: &Params) -> Result<(), Fault> {
    params.only(KNOWN)?;
    let email = params.text("email");
    if email.is_some_and(|email| !email.contains('@') || email.len() > 512) {
        return Err(Fault::param("email", "Invalid email address.").coded("email_invalid"));
    }
    let method = "invoice_settings[default_payment_method]";
    if let Some(id) = params.text(method) {
        let owner = state.methods.get(id).map(|found| found.customer.as_deref());
        if owner != Some(Some(row.id.as_str())) {
            return Err(Fault::no_such("payment_method", id).named_by(method));
        }
    }
    for (field, name) in [
        (&mut row.email, "email"),
        (&mut row.name, "name"),
        (&mut row.phone, "phone"),
        (&mut row.description, "description"),
        (&mut row.default_payment_method, method),
    ] {
        params.change(name, field);
    }
    if params.has("preferred_locales") {
        row.preferred_locales =
            params.list("preferred_locales").into_iter().map(str::to_owned).collect();
    }
    if params.has("address") {
        change_address(row.address.insert(Address::default()), params, "address");
    }
    params.merge_metadata(&mut row.metadata)
}

fn change_address(row: &mut Address, params: &Params, prefix: &str) {
    for (field, name) in [
        (&mut row.city, "city"),
        (&mut row.country, "country"),
        (&mut row.line1, "line1"),
        (&mut row.line2, "line2"),
        (&mut row.postal_code, "postal_code"),
        (&mut row.state, "state"),
    ] {
        params.change(&format!("{prefix}[{name}]"), field);
    }
}

/// What a call changes of a method's billing details; what it does not name stays.
pub fn change_billing(row: &mut BillingDetails, params: &Params, prefix: &str) {
    change_address(&mut row.address, params, &format!("{prefix}[address]"));
    for (field, name) in [
        (&mut row.email, "email"),
        (&mut row.name, "name"),
        (&mut row.phone, "phone"),
        (&mut row.tax_id, "tax_id"),
    ] {
        params.change(&format!("{prefix}[{name}]"), field);
    }
}
