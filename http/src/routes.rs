//! Every route on one screen, grouped by caller. `api` is what `openapi.json` describes; `plain` is the rest.

use actix_web::dev::HttpServiceFactory;
use actix_web::http::Method;
use actix_web::middleware::Compress;
use actix_web::web;
use utoipa_actix_web::OpenApiFactory;

use crate::App;
use crate::api::{
    admin, auth, billing_profile, companies, company_audit, credentials, dev, docs, invoices,
    mailbox, me, members, notifications, operations, payments, plans, second_factor, statement,
    subscriptions, webhooks,
};
use crate::{live, spa};

/// Takes the operations of the contract: actix, to serve them, and the OpenAPI document, to collect what they declare.
/// Only the latter is expensive, and a worker does not need it.
pub trait Routes {
    /// The calls whose paths begin with the prefix.
    fn scope(&mut self, prefix: &str, calls: impl FnOnce(&mut Self)) -> &mut Self;

    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self;
}

impl Routes for web::ServiceConfig {
    fn scope(&mut self, prefix: &str, calls: impl FnOnce(&mut Self)) -> &mut Self {
        self.service(web::scope(prefix).configure(calls))
    }

    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self {
        self.service(call)
    }
}

/// The calls of the contract.
pub fn api(routes: &mut impl Routes) {
    accounts(routes);
    companies(routes);
    platform(routes);
    routes
        .scope("/api/subscriptions", |calls| {
            calls
                // anyone
                .service(plans::list)
                .service(plans::find)
                // members
                .service(subscriptions::find)
                .service(subscriptions::history)
                // company admins and finance
                .service(subscriptions::create)
                .service(subscriptions::preview)
                .service(subscriptions::upgrade)
                .service(subscriptions::downgrade)
                .service(subscriptions::withdraw)
                .service(subscriptions::cancel)
                .service(subscriptions::cancel_robust)
                .service(subscriptions::renew);
        })
        .scope("/api/payments", |calls| {
            calls
                // the payment provider
                .service(webhooks::stripe)
                // signed in
                .service(payments::methods::providers)
                .service(payments::methods::health)
                // company admins and finance
                .service(payments::process)
                .service(payments::status)
                .service(payments::cancel)
                .service(payments::authenticate)
                .service(payments::list)
                .service(payments::methods::list)
                .service(payments::methods::add)
                .service(payments::methods::remove)
                .service(payments::methods::make_default);
        })
        // signed in
        .scope("/api/addresses", |calls| {
            calls.service(billing_profile::address);
        })
        .scope("/api/notifications", |calls| {
            calls
                // signed in
                .service(notifications::list)
                .service(notifications::read)
                .service(notifications::read_preferences)
                .service(notifications::save_preferences);
        })
        // with a live ticket
        .service(live::connect)
        // anyone
        .service(operations::config);
}

fn accounts(routes: &mut impl Routes) {
    routes.scope("/api/auth", |calls| {
        calls
            // anyone
            .service(auth::register)
            .service(auth::verify_email)
            .service(auth::login)
            .service(auth::refresh)
            .service(auth::logout)
            .service(auth::forgot_password)
            .service(auth::resend_verification)
            .service(auth::reset_password)
            .service(second_factor::finish_sign_in)
            .service(second_factor::passkey_options)
            .service(second_factor::passkey_sign_in)
            // anyone with the token
            .service(credentials::undo)
            // signed in
            .service(me::read)
            .service(me::edit)
            .service(me::export)
            .service(me::erase)
            .service(credentials::change_password)
            .service(credentials::ask_email_change)
            .service(credentials::change_email)
            .service(me::live_ticket)
            .service(me::sessions)
            .service(me::end_other_sessions)
            .service(me::end_session)
            .service(second_factor::read)
            .service(second_factor::step_up_options)
            .service(second_factor::step_up)
            .service(second_factor::offer_totp)
            .service(second_factor::confirm_totp)
            .service(second_factor::remove_totp)
            .service(second_factor::passkey_creation)
            .service(second_factor::add_passkey)
            .service(second_factor::remove_passkey)
            .service(second_factor::replace_recovery_codes);
    });
}

fn companies(routes: &mut impl Routes) {
    routes.scope("/api/companies", |calls| {
        calls
            // anyone with the token
            .service(members::preview_invite)
            // signed in
            .service(companies::list)
            .service(companies::create)
            .service(members::accept_invite)
            // members
            .service(companies::find)
            .service(members::remove)
            // company admins and finance
            .service(invoices::list)
            .service(invoices::zip)
            .service(invoices::find)
            .service(invoices::pdf)
            .service(invoices::send)
            .service(statement::balance::read)
            .service(statement::transactions::list)
            .service(statement::spending::read)
            .service(billing_profile::read)
            .service(billing_profile::save)
            // company admins
            .service(companies::edit)
            .service(members::invite)
            .service(members::cancel_invite)
            .service(members::resend_invite)
            .service(members::set_role)
            .service(second_factor::reset)
            .service(company_audit::list)
            .service(company_audit::export_file)
            // the creator
            .service(companies::remove);
    });
}

/// Platform admins only: every handler takes their proof.
fn platform(routes: &mut impl Routes) {
    routes.scope("/api/admin", |calls| {
        calls
            .service(admin::plans::list)
            .service(admin::plans::create)
            .service(admin::plans::find)
            .service(admin::plans::edit)
            .service(admin::plans::set_status)
            .service(admin::users::list)
            .service(admin::users::find)
            .service(admin::users::edit)
            .service(admin::users::erase)
            .service(admin::users::end_sessions)
            .service(admin::companies::list)
            .service(admin::companies::find)
            .service(admin::companies::edit)
            .service(admin::payments::list)
            .service(admin::payments::figures)
            .service(admin::payments::find)
            .service(admin::payments::resolve)
            .service(admin::refunds::create)
            .service(admin::analytics::dashboard)
            .service(admin::analytics::mrr)
            .service(admin::analytics::arr)
            .service(admin::analytics::churn)
            .service(admin::analytics::mau)
            .service(admin::analytics::revenue)
            .service(admin::analytics::activity)
            .service(admin::analytics::export_file)
            .service(admin::analytics::costs)
            .service(admin::analytics::set_cost)
            .service(admin::audit::list)
            .service(admin::nodes::list)
            .service(admin::views::list)
            .service(admin::views::create)
            .service(admin::views::edit)
            .service(admin::views::remove);
    });
}

/// The routes of [`plain`], for the table of methods. Files and the payment sandbox refuse other methods themselves.
pub fn plain_methods(app: &App) -> Vec<(&'static str, Method)> {
    let mut all = vec![
        ("/health", Method::GET),
        ("/health/ready", Method::GET),
        ("/version", Method::GET),
        ("/metrics", Method::GET),
        ("/.well-known/security.txt", Method::GET),
        ("/.well-known/change-password", Method::GET),
        ("/api/openapi.json", Method::GET),
        ("/api/docs", Method::GET),
        ("/api/docs/", Method::GET),
        ("/api/docs/{file}", Method::GET),
    ];
    if !app.config.is_production() {
        all.extend([
            ("/dev/clock", Method::GET),
            ("/dev/clock", Method::POST),
            ("/dev/jobs/run", Method::POST),
            ("/dev/mailbox", Method::GET),
            ("/dev/mailbox.json", Method::GET),
        ]);
    }
    all
}

/// Operations, documentation, the development surface, and the web app for every other path.
pub fn plain(routes: &mut web::ServiceConfig, app: &App) {
    routes
        .service(operations::health)
        .service(operations::ready)
        .service(operations::version)
        .service(operations::metrics)
        .service(operations::security_txt)
        .service(operations::change_password)
        .service(docs::contract)
        .service(docs::page);
    if !app.config.is_production() {
        routes.service(dev::read_clock).service(dev::advance_clock).service(dev::run_jobs);
        routes.service(mailbox::list).service(mailbox::show);
    }
    if let Some(provider) = app.sandbox.clone().filter(|_| !app.config.is_production()) {
        routes.app_data(web::Data::new(provider)).configure(bipe_sandbox::configure);
    }
    // All other paths: unknown calls, also below the scopes above, and the pages of the web app.
    // Assets come compressed from the build; the pages, which carry a nonce, are compressed as they leave.
    routes.default_service(web::to(spa::serve).wrap(Compress::default()));
}
