//! Every call of the sandbox on one screen.

use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, Route, Scope};
use serde_json::Value;

use crate::fault::Fault;
use crate::objects::{Charge, Dispute, Endpoint, Event, Refund};
use crate::pipeline::{Call, Operation, Policy, preflight, serve};
use crate::store::{Object, Tx};
use crate::{
    Sandbox, charges, control, customers, disputes, events, intents, pages, payment_methods,
    refunds, setup_intents, webhook_endpoints,
};

/// Mounts the provider under `/sandbox`; the application's data must hold the `Sandbox`.
pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(web::scope("/sandbox/v1").configure(calls))
        .service(pages(web::scope("/sandbox/pages")))
        .service(web::scope("/sandbox").default_service(web::to(control::unknown)));
}

/// Mounts `/v1` too, for clients whose base path is fixed (the `stripe` package), in a process of its own.
pub fn configure_root(cfg: &mut ServiceConfig) {
    configure(cfg);
    cfg.service(web::scope("/v1").configure(calls));
}

fn calls(cfg: &mut ServiceConfig) {
    cfg.configure(customer_calls)
        .configure(intent_calls)
        .configure(other_calls)
        .route("/test/faults", web::post().to(control::faults))
        .route("/{any:.*}", web::method(actix_web::http::Method::OPTIONS).to(preflight))
        .default_service(web::to(control::unknown));
}

fn customer_calls(cfg: &mut ServiceConfig) {
    use Policy::{Browser, Secret};
    cfg.route("/{noun}/search", web::get().to(control::unknown))
        .route("/customers", post(Secret, customers::create))
        .route("/customers", get(Secret, customers::list))
        .route("/customers/{id}", get(Secret, customers::retrieve))
        .route("/customers/{id}", post(Secret, customers::update))
        .route("/customers/{id}", delete(Secret, customers::delete))
        .route("/customers/{id}/payment_methods", get(Secret, payment_methods::list_of_customer))
        .route("/payment_methods", post(Browser, payment_methods::create))
        .route("/payment_methods", get(Secret, payment_methods::list))
        .route("/payment_methods/{id}", get(Secret, payment_methods::retrieve))
        .route("/payment_methods/{id}", post(Secret, payment_methods::update))
        .route("/payment_methods/{id}/attach", post(Secret, payment_methods::attach))
        .route("/payment_methods/{id}/detach", post(Secret, payment_methods::detach));
}

fn intent_calls(cfg: &mut ServiceConfig) {
    use Policy::{Browser, Control, Secret};
    cfg.route("/payment_intents", post(Secret, intents::create))
        .route("/payment_intents", get(Secret, intents::list))
        .route("/payment_intents/{id}", get(Browser, intents::retrieve))
        .route("/payment_intents/{id}", post(Secret, intents::update))
        .route("/payment_intents/{id}/confirm", post(Browser, intents::confirm))
        .route("/payment_intents/{id}/cancel", post(Secret, intents::cancel))
        .route("/setup_intents", post(Secret, setup_intents::create))
        .route("/setup_intents", get(Secret, setup_intents::list))
        .route("/setup_intents/{id}", get(Browser, setup_intents::retrieve))
        .route("/setup_intents/{id}/confirm", post(Browser, setup_intents::confirm))
        .route("/setup_intents/{id}/cancel", post(Secret, setup_intents::cancel))
        .route("/test/payment_intents/{id}/authenticate", post(Control, control::authenticate))
        .route("/test/payment_intents/{id}/settle", post(Control, control::settle))
        .route("/test/setup_intents/{id}/authenticate", post(Control, setup_intents::authenticate));
}

fn other_calls(cfg: &mut ServiceConfig) {
    use Policy::Secret;
    cfg.route("/charges", get(Secret, charges::list))
        .route("/charges/{id}", get(Secret, retrieve::<Charge>))
        .route("/disputes", get(Secret, disputes::list))
        .route("/disputes/{id}", get(Secret, retrieve::<Dispute>))
        .route("/disputes/{id}", post(Secret, disputes::update))
        .route("/disputes/{id}/close", post(Secret, disputes::close))
        .route("/refunds", post(Secret, refunds::create))
        .route("/refunds", get(Secret, refunds::list))
        .route("/refunds/{id}", get(Secret, retrieve::<Refund>))
        .route("/refunds/{id}", post(Secret, refunds::update))
        .route("/webhook_endpoints", post(Secret, webhook_endpoints::create))
        .route("/webhook_endpoints", get(Secret, webhook_endpoints::list))
        .route("/webhook_endpoints/{id}", get(Secret, retrieve::<Endpoint>))
        .route("/webhook_endpoints/{id}", post(Secret, webhook_endpoints::update))
        .route("/webhook_endpoints/{id}", delete(Secret, webhook_endpoints::delete))
        .route("/events", get(Secret, events::list))
        .route("/events/{id}", get(Secret, retrieve::<Event>));
}

/// The hosted pages, which a payer's browser opens without a key.
fn pages(scope: Scope) -> Scope {
    scope
        .route("/style.css", web::get().to(pages::style))
        .route("/{kind:pix|boleto|authenticate}/{id}", web::get().to(pages::show))
        .route("/{kind:boleto}/{id}/pdf", web::get().to(pages::show))
        .route("/authenticate/{id}", web::post().to(pages::answer_authentication))
}

fn retrieve<T: Object>(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    tx.state.find::<T>(&call.id).map(|row| row.wire(tx.state, tx.base_url))
}

fn post(policy: Policy, operation: Operation) -> Route {
    through(web::post(), policy, operation)
}

fn get(policy: Policy, operation: Operation) -> Route {
    through(web::get(), policy, operation)
}

fn delete(policy: Policy, operation: Operation) -> Route {
    through(web::delete(), policy, operation)
}

fn through(route: Route, policy: Policy, operation: Operation) -> Route {
    route.to(move |sandbox: web::Data<Sandbox>, request: HttpRequest, payload: web::Payload| {
        serve(sandbox, request, payload, policy, operation)
    })
}
