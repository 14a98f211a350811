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
    Ok(put(tx, row, "customer.created"))
}

pub fn update(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let mut row = tx.state.customers.find(&call.id)?.clone();
    change(tx.state, &mut row, &call.params)?;
    Ok(put(tx, row, "customer.updated"))
}

pub fn retrieve(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    if tx.state.deleted_customers.contains(&call.id) {
        return Ok(wire::deleted_customer(&call.id));
    }
    tx.state.customers.find(&call.id).map(wire::customer)
}

/// The customer goes, and with it every method that it holds.
pub fn delete(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[])?;
    let row = tx.state.customers.find(&call.id)?.clone();
    let own = |method: &&PaymentMethod| method.customer.as_ref() == Some(&row.id);
    let held: Vec<PaymentMethod> =
        tx.state.methods.iter().map(|(_, method)| method).filter(own).cloned().collect();
    for method in held {
        release(tx, method);
    }
    tx.put(Record::CustomerDeleted(row.id.clone()));
    tx.emit("customer.deleted", &wire::customer(&row));
    Ok(wire::deleted_customer(&row.id))
}

/// Takes the method from its customer for good and tells so.
pub fn release(tx: &mut Tx<'_>, mut row: PaymentMethod) -> PaymentMethod {
    (row.customer, row.spent) = (None, true);
    tx.put(Record::Method(row.clone()));
    tx.emit("payment_method.detached", &wire::payment_method(&row));
    row
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["email", "created"]].concat())?;
    let email = call.params.text("email");
    let keep = |row: &Customer| email.is_none_or(|email| row.email.as_deref() == Some(email));
    expand::list(&tx.state.customers, &call.params, "/v1/customers", keep, wire::customer)
}

/// The customer that `customer=` names, where it is given.
pub fn named(state: &State, params: &Params) -> Result<Option<String>, Fault> {
    let Some(id) = params.text("customer") else { return Ok(None) };
    let row = state.customers.find(id).map_err(|fault| fault.named_by("customer"))?;
    Ok(Some(row.id.clone()))
}

fn put(tx: &mut Tx<'_>, row: Customer, event: &str) -> Value {
    let value = wire::customer(&row);
    tx.put(Record::Customer(row));
    tx.emit(event, &value);
    value
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
        row.address = Some(address(params, "address"));
    }
    params.merge_metadata(&mut row.metadata)
}

pub fn address(params: &Params, prefix: &str) -> Address {
    let part = |name: &str| params.owned(&format!("{prefix}[{name}]"));
    Address {
        city: part("city"),
        country: part("country"),
        line1: part("line1"),
        line2: part("line2"),
        postal_code: part("postal_code"),
        state: part("state"),
    }
}

/// What a call changes of a method's billing details; what it does not name stays.
pub fn change_billing(row: &mut BillingDetails, params: &Params) {
    for (field, name) in [
        (&mut row.email, "billing_details[email]"),
        (&mut row.name, "billing_details[name]"),
        (&mut row.phone, "billing_details[phone]"),
        (&mut row.tax_id, "billing_details[tax_id]"),
        (&mut row.address.city, "billing_details[address][city]"),
        (&mut row.address.country, "billing_details[address][country]"),
        (&mut row.address.line1, "billing_details[address][line1]"),
        (&mut row.address.line2, "billing_details[address][line2]"),
        (&mut row.address.postal_code, "billing_details[address][postal_code]"),
        (&mut row.address.state, "billing_details[address][state]"),
    ] {
        params.change(name, field);
    }
}

pub fn billing(params: &Params, prefix: &str) -> BillingDetails {
    let part = |name: &str| params.owned(&format!("{prefix}[{name}]"));
    BillingDetails {
        address: address(params, &format!("{prefix}[address]")),
        email: part("email"),
        name: part("name"),
        phone: part("phone"),
        tax_id: part("tax_id"),
    }
}
