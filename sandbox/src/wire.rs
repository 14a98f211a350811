//! Stripe's JSON shapes for the objects of `objects.rs`, in the version of its API that `API_VERSION` names.
//!
//! Every field that a typed client requires is present, null if the sandbox has no value: clients that parse strictly
//! (async-stripe, the `stripe` package's types) must read all of it.

use bipe_core::money::Cents;
use serde_json::{Value, json};

use crate::objects::{
    BillingDetails, Card, Charge, Customer, Dispute, Endpoint, Event, Intent, IntentStatus,
    MethodKind, PaymentMethod, Refund, SetupIntent, Waiting,
};

pub const API_VERSION: &str = "2026-09-30.endive";

pub fn customer(row: &Customer) -> Value {
    json!({
        "id": row.id, "object": "customer", "address": row.address, "balance": 0, "created": row.created,
        "currency": null, "default_source": null, "delinquent": false, "description": row.description,
        "discount": null, "email": row.email, "invoice_prefix": null,
        "invoice_settings": {
            "custom_fields": null, "default_payment_method": row.default_payment_method, "footer": null,
            "rendering_options": null
        },
        "livemode": false, "metadata": row.metadata, "name": row.name, "next_invoice_sequence": 1,
        "phone": row.phone, "preferred_locales": row.preferred_locales, "shipping": null, "tax_exempt": "none",
        "test_clock": null
    })
}

/// The JSON of a deleted customer.
pub fn deleted_customer(id: &str) -> Value {
    json!({"id": id, "object": "customer", "deleted": true})
}

fn billing(row: &BillingDetails) -> Value {
    json!({
        "address": row.address, "email": row.email, "name": row.name, "phone": row.phone,
        "tax_id": row.tax_id
    })
}

fn card(card: &Card) -> Value {
    json!({
        "brand": card.brand,
        "checks": {"address_line1_check": null, "address_postal_code_check": null, "cvc_check": "pass"},
        "country": card.country, "display_brand": card.brand, "exp_month": card.exp_month,
        "exp_year": card.exp_year, "fingerprint": card.fingerprint, "funding": card.funding,
        "generated_from": null, "last4": card.last4,
        "networks": {"available": [card.brand], "preferred": null}, "regulated_status": "unregulated",
        "three_d_secure_usage": {"supported": true}, "wallet": null
    })
}

pub fn payment_method(row: &PaymentMethod) -> Value {
    let mut value = json!({
        "id": row.id, "object": "payment_method", "allow_redisplay": "unspecified",
        "billing_details": billing(&row.billing), "created": row.created, "customer": row.customer,
        "customer_account": null, "livemode": false, "metadata": row.metadata, "type": row.kind.name()
    });
    let details = match &row.kind {
        MethodKind::Card(row) => card(row),
        MethodKind::Pix => json!({"fingerprint": null}),
        MethodKind::Boleto { tax_id } => json!({ "tax_id": tax_id }),
    };
    insert(&mut value, row.kind.name(), details);
    value
}

pub fn intent(row: &Intent, base_url: &str) -> Value {
    let is_paid = row.status == IntentStatus::Succeeded;
    let received = if is_paid { row.amount } else { Cents::ZERO };
    let redirects = if row.redirects { "always" } else { "never" };
    json!({
        "id": row.id, "object": "payment_intent", "amount": row.amount, "amount_capturable": 0,
        "amount_details": {"tip": {}}, "amount_received": received, "application": null,
        "application_fee_amount": null, "automatic_payment_methods":
            row.automatic.then(|| json!({"allow_redirects": redirects, "enabled": true})),
        "canceled_at": row.canceled_at, "cancellation_reason": row.cancellation_reason,
        "capture_method": "automatic_async", "client_secret": row.client_secret,
        "confirmation_method": "automatic", "created": row.created, "currency": row.currency,
        "customer": row.customer, "customer_account": null, "description": row.description,
        "excluded_payment_method_types": null, "last_payment_error": row.last_error,
        "latest_charge": row.latest_charge, "livemode": false, "metadata": row.metadata,
        "next_action": row.waiting.as_ref().map(|waiting| next_action(waiting, &row.id, base_url)),
        "on_behalf_of": null, "payment_method": row.method,
        "payment_method_configuration_details": null, "payment_method_options": options(row),
        "payment_method_types": row.method_types, "processing": null,
        "receipt_email": row.receipt_email, "review": null,
        "setup_future_usage": row.setup_future_usage, "shipping": null, "source": null,
        "statement_descriptor": row.statement_descriptor, "statement_descriptor_suffix": null,
        "status": row.status.name(), "transfer_data": null, "transfer_group": null
    })
}

fn options(row: &Intent) -> Value {
    let mut value = json!({});
    for method in &row.method_types {
        let details = match method.as_str() {
            "card" => json!({
                "installments": null, "mandate_options": null, "network": null,
                "request_three_d_secure": if row.request_three_d_secure { "any" } else { "automatic" }
            }),
            "pix" => json!({
                "amount_includes_iof": "never", "expires_after_seconds": row.expiry.pix_seconds,
                "expires_at": row.expiry.pix_at
            }),
            "boleto" => json!({"expires_after_days": row.expiry.boleto_days.unwrap_or(3)}),
            _ => json!({}),
        };
        insert(&mut value, method, details);
    }
    value
}

fn next_action(waiting: &Waiting, intent: &str, base_url: &str) -> Value {
    match waiting {
        Waiting::ThreeDSecure { return_url: Some(return_url) } => json!({
            "type": "redirect_to_url",
            "redirect_to_url": {
                "return_url": return_url, "url": format!("{base_url}/pages/authenticate/{intent}")
            }
        }),
        Waiting::ThreeDSecure { return_url: None } => json!({
            "type": "use_stripe_sdk",
            "use_stripe_sdk": {
                "type": "three_d_secure_redirect",
                "stripe_js": format!("{base_url}/pages/authenticate/{intent}")
            }
        }),
        Waiting::Pix { data, expires_at } => json!({
            "type": "pix_display_qr_code",
            "pix_display_qr_code": {
                "data": data, "expires_at": expires_at,
                "hosted_instructions_url": format!("{base_url}/pages/pix/{intent}"),
                "image_url_png": null, "image_url_svg": null
            }
        }),
        Waiting::Boleto { line, expires_at, .. } => json!({
            "type": "boleto_display_details",
            "boleto_display_details": {
                "expires_at": expires_at, "hosted_voucher_url": format!("{base_url}/pages/boleto/{intent}"),
                "number": line, "pdf": format!("{base_url}/pages/boleto/{intent}/pdf")
            }
        }),
    }
}

pub fn setup_intent(row: &SetupIntent, base_url: &str) -> Value {
    let waiting = row.status == IntentStatus::RequiresAction;
    let authenticate = Waiting::ThreeDSecure { return_url: row.return_url.clone() };
    let action = waiting.then(|| next_action(&authenticate, &row.id, base_url));
    json!({
        "id": row.id, "object": "setup_intent", "application": null, "automatic_payment_methods": null,
        "cancellation_reason": row.cancellation_reason, "client_secret": row.client_secret,
        "created": row.created, "customer": row.customer, "customer_account": null,
        "description": row.description, "excluded_payment_method_types": null, "flow_directions": null,
        "last_setup_error": row.last_error, "latest_attempt": null, "livemode": false, "mandate": null,
        "metadata": row.metadata, "next_action": action, "on_behalf_of": null,
        "payment_method": row.method, "payment_method_configuration_details": null,
        "payment_method_options": {
            "card": {"mandate_options": null, "network": null, "request_three_d_secure": "automatic"}
        },
        "payment_method_types": row.method_types, "single_use_mandate": null,
        "status": row.status.name(), "usage": row.usage
    })
}

pub fn charge(row: &Charge) -> Value {
    let paid = row.failure.is_none();
    let (code, decline_code, message) = match &row.failure {
        Some((code, decline_code, message)) => (Some(code), Some(decline_code), Some(message)),
        None => (None, None, None),
    };
    let blocked = decline_code.is_some_and(|code| code == "fraudulent");
    let (network, kind) = match (paid, blocked) {
        (true, _) => ("approved_by_network", "authorized"),
        (false, true) => ("not_sent_to_network", "blocked"),
        (false, false) => ("declined_by_network", "issuer_declined"),
    };
    let outcome = json!({
        "advice_code": null, "network_advice_code": null, "network_decline_code": null,
        "network_status": network,
        "reason": decline_code, "risk_level": if blocked { "highest" } else { "normal" }, "risk_score": null,
        "seller_message": if paid { "Payment complete." } else { "The bank did not accept the payment." },
        "type": kind
    });
    let mut value = json!({
        "id": row.id, "object": "charge", "amount": row.amount,
        "amount_captured": if paid { row.amount } else { Cents::ZERO }, "amount_refunded": row.amount_refunded,
        "billing_details": billing(&row.billing), "calculated_statement_descriptor": "BIPE SANDBOX",
        "captured": paid, "created": row.created, "currency": row.currency, "customer": row.customer,
        "disputed": row.disputed, "failure_code": code, "failure_message": message, "fraud_details": {},
        "livemode": false, "metadata": row.metadata, "outcome": outcome, "paid": paid,
        "payment_intent": row.intent, "payment_method": row.method,
        "payment_method_details": charge_details(row), "refunded": paid && row.amount_refunded == row.amount,
        "status": if paid { "succeeded" } else { "failed" }
    });
    for unused in CHARGE_NULLS {
        insert(&mut value, unused, Value::Null);
    }
    value
}

/// Fields of a charge that have no value here.
const CHARGE_NULLS: [&str; 18] = [
    "application",
    "application_fee",
    "application_fee_amount",
    "balance_transaction",
    "description",
    "failure_balance_transaction",
    "on_behalf_of",
    "receipt_email",
    "receipt_number",
    "receipt_url",
    "review",
    "shipping",
    "source",
    "source_transfer",
    "statement_descriptor",
    "statement_descriptor_suffix",
    "transfer_data",
    "transfer_group",
];

fn charge_details(row: &Charge) -> Value {
    let name = row.kind.name();
    let mut value = json!({ "type": name });
    let details = match &row.kind {
        MethodKind::Card(row_card) => {
            let mut details = card(row_card);
            insert(&mut details, "network", json!(row_card.brand));
            let authenticated = json!({
                "authentication_flow": "challenge", "result": "authenticated", "result_reason": null,
                "version": "2.2.0"
            });
            insert(
                &mut details,
                "three_d_secure",
                json!(row.authenticated.then_some(authenticated)),
            );
            details
        }
        MethodKind::Pix => json!({"bank_transaction_id": format!("sandbox-{}", row.id)}),
        MethodKind::Boleto { tax_id } => json!({ "tax_id": tax_id }),
    };
    insert(&mut value, name, details);
    value
}

pub fn refund(row: &Refund) -> Value {
    let mut value = json!({
        "id": row.id, "object": "refund", "amount": row.amount, "balance_transaction": null,
        "charge": row.charge, "created": row.created, "currency": row.currency,
        "destination_details": {"type": row.method_type, (row.method_type.as_str()): {"type": "refund"}},
        "metadata": row.metadata, "payment_intent": row.intent, "reason": row.reason,
        "receipt_number": null, "source_transfer_reversal": null,
        "status": if row.has_failed { "failed" } else { "succeeded" }, "transfer_reversal": null
    });
    if row.has_failed {
        insert(&mut value, "failure_reason", json!("expired_or_canceled_card"));
    }
    value
}

pub fn dispute(row: &Dispute) -> Value {
    json!({
        "id": row.id, "object": "dispute", "amount": row.amount, "balance_transactions": [],
        "charge": row.charge, "created": row.created, "currency": row.currency,
        "enhanced_eligibility_types": [], "evidence": {}, "evidence_details":
            {"due_by": null, "has_evidence": false, "past_due": false, "submission_count": 0},
        "is_charge_refundable": !row.status.holds_money(), "livemode": false, "metadata": {},
        "payment_intent": row.intent, "reason": row.reason, "status": row.status.name()
    })
}

pub fn event(row: &Event, pending: bool) -> Value {
    let object: Value = serde_json::from_str(&row.object).unwrap_or_default();
    json!({
        "id": row.id, "object": "event", "api_version": API_VERSION, "created": row.created,
        "data": {"object": object}, "livemode": false, "pending_webhooks": i32::from(pending),
        "request": {"id": row.request, "idempotency_key": row.idempotency_key}, "type": row.kind
    })
}

/// Its secret is shown by the call that made it, and never again.
pub fn webhook_endpoint(row: &Endpoint) -> Value {
    json!({
        "id": row.id, "object": "webhook_endpoint", "api_version": null, "application": null,
        "created": row.created, "description": row.description, "enabled_events": row.enabled_events,
        "livemode": false, "metadata": row.metadata,
        "status": if row.disabled { "disabled" } else { "enabled" }, "url": row.url
    })
}

pub fn insert(value: &mut Value, name: &str, field: Value) {
    if let Value::Object(fields) = value {
        fields.insert(name.to_owned(), field);
    }
}
