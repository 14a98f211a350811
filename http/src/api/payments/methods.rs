//! Saved cards, and what the payment provider offers (docs/contract.md, "Payments").

use actix_web::{HttpResponse, delete, get, post, put, web};
use bipe_actors::saved_cards;
use bipe_core::config::SANDBOX_PUBLISHABLE_KEY;
use bipe_core::error::{Code, Error};
use bipe_core::id::CompanyId;
use bipe_core::money::Cents;
use bipe_core::payment::renewal_consent::{self, RenewalConsent};
use bipe_core::payment::saved_cards::PaymentMethodView;
use bipe_core::payment_method::Method;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::request::{consent, provider_id};
use crate::App;
use crate::error::{Answer, Reply, created, ok};
use crate::extract::{Caller, ManagePayments, ReadPayments, Scope, ScopedBody, SignedIn};

/// Where the browser reaches the sandbox inside this server: the same origin.
const SANDBOX_BASE: &str = "/sandbox/v1";

#[derive(Serialize, ToSchema)]
pub struct SavedMethods {
    methods: Vec<PaymentMethodView>,
}

#[derive(Serialize, ToSchema)]
pub struct AddedMethod {
    /// Without the card while the holder's bank asks for the holder.
    methods: Vec<PaymentMethodView>,
    /// The holder's bank asks for the holder. The card is saved when the bank agrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    setup: Option<MethodSetup>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MethodSetup {
    /// Of the provider's SetupIntent, for the browser that saves the card alone.
    client_secret: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveMethod {
    #[schema(min_length = 1, max_length = 200, pattern = "^[A-Za-z0-9_]+$")]
    payment_method_id: String,
    /// Version of the sentence that was shown: saving a card lets it pay the renewals.
    renewal_consent: Option<String>,
}

/// The company's saved cards, the default one first.
#[utoipa::path(tag = "payments", security(("bearer" = [])), params(("companyId" = CompanyId, Path)),
    responses((status = 200, body = Answer<SavedMethods>)))]
#[get("/methods/{companyId}")]
pub async fn list(app: web::Data<App>, scope: Scope<ReadPayments>) -> Reply {
    app.limits.provider.take(&scope.person())?;
    let methods = saved_cards::list(app.actors.directory.steps(), &scope).await?;
    Ok(ok(SavedMethods { methods }))
}

/// Saves a card that the browser made. With `setup` the holder's bank is asked first, by the browser.
#[utoipa::path(tag = "payments", security(("bearer" = [])), params(("companyId" = CompanyId, Path)),
    request_body = SaveMethod,
    responses((status = 201, body = Answer<AddedMethod>), (status = 409)))]
#[post("/methods/{companyId}")]
pub async fn add(
    app: web::Data<App>,
    ScopedBody { scope, body }: ScopedBody<ManagePayments, SaveMethod>,
    caller: Caller,
) -> Reply {
    let card = provider_id(&body.payment_method_id)
        .map_err(|code| Error::invalid("paymentMethodId", code))?;
    let consent = consent(body.renewal_consent.as_deref())
        .map_err(|code| Error::invalid("renewalConsent", code))?;
    let steps = app.actors.directory.steps();
    let saved = saved_cards::save(steps, *scope, card, consent, Some(&caller)).await?;
    let secret = saved.secret.map(|secret| secret.expose().to_owned());
    let setup = secret.map(|client_secret| MethodSetup { client_secret });
    Ok(created(AddedMethod { methods: saved.methods, setup }))
}

/// Forgets a saved card.
#[utoipa::path(tag = "payments", security(("bearer" = [])),
    params(("companyId" = CompanyId, Path), ("methodId" = String, Path)),
    responses((status = 200, body = Answer<SavedMethods>)))]
#[delete("/methods/{companyId}/{methodId}")]
pub async fn remove(
    app: web::Data<App>,
    scope: Scope<ManagePayments>,
    path: web::Path<(CompanyId, String)>,
    caller: Caller,
) -> Reply {
    app.limits.provider.take(&scope.person())?;
    let (_, card) = path.into_inner();
    let steps = app.actors.directory.steps();
    let methods = saved_cards::remove(steps, *scope, card, &caller).await?;
    Ok(ok(SavedMethods { methods }))
}

/// Makes a saved card the one that renewals are charged to.
#[utoipa::path(tag = "payments", security(("bearer" = [])),
    params(("companyId" = CompanyId, Path), ("methodId" = String, Path)),
    responses((status = 200, body = Answer<SavedMethods>)))]
#[put("/methods/{companyId}/{methodId}/default")]
pub async fn make_default(
    app: web::Data<App>,
    scope: Scope<ManagePayments>,
    path: web::Path<(CompanyId, String)>,
    caller: Caller,
) -> Reply {
    scope.prove_step_up(app.clock.now())?;
    let (_, card) = path.into_inner();
    let steps = app.actors.directory.steps();
    let methods = saved_cards::prefer(steps, &scope, card, Some(&caller)).await?;
    Ok(ok(SavedMethods { methods }))
}

#[derive(Serialize, ToSchema)]
pub struct Providers {
    providers: Vec<Provider>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    name: &'static str,
    methods: Vec<OfferedMethod>,
    publishable_key: String,
    /// The sandbox, for its browser form: a path of this origin, or a whole address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    api_base: Option<String>,
    sandbox: bool,
    /// What a person agrees to who saves a card; shown word for word. Nodes of older versions leave it out.
    #[schema(required = false)]
    renewal_consent: RenewalConsent,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferedMethod {
    #[serde(rename = "type")]
    kind: Method,
    available: bool,
    /// PAYMENT_METHOD_UNAVAILABLE: the provider refused it, whoever would have paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<Code>,
    /// When it is offered again, whatever the provider says then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    unavailable_until: Option<Timestamp>,
    /// Minor units.
    #[schema(value_type = i64)]
    min_amount: Cents,
    /// Minor units. Nodes of older versions leave it out.
    #[schema(value_type = i64, required = false)]
    max_amount: Cents,
    /// Below `billing` of the request.
    required_fields: &'static [&'static str],
}

/// What can be paid with.
#[utoipa::path(tag = "payments", security(("bearer" = [])),
    responses((status = 200, body = Answer<Providers>)))]
#[get("/providers")]
pub async fn providers(app: web::Data<App>, _who: SignedIn) -> HttpResponse {
    let (available, now) = (app.actors.directory.steps().available_methods(), app.clock.now());
    let offer = |kind: Method| {
        let unavailable_until = available.unavailable_until(kind, now);
        let rules = kind.rules();
        OfferedMethod {
            kind,
            available: unavailable_until.is_none(),
            reason: unavailable_until.map(|_| Code::PaymentMethodUnavailable),
            unavailable_until,
            min_amount: *rules.amounts.start(),
            max_amount: *rules.amounts.end(),
            required_fields: rules.required_fields,
        }
    };
    let config = &app.config;
    let key = config.stripe_publishable_key.clone();
    let elsewhere = config.stripe_api_base.as_ref();
    let api_base = elsewhere.map(|base| format!("{}/v1", base.trim_end_matches('/')));
    let here = app.sandbox.as_ref().map(|_| SANDBOX_BASE.to_owned());
    ok(Providers {
        providers: vec![Provider {
            name: app.actors.directory.steps().gateway().name(),
            methods: Method::ALL.into_iter().map(offer).collect(),
            publishable_key: key.unwrap_or_else(|| SANDBOX_PUBLISHABLE_KEY.to_owned()),
            api_base: here.or(api_base).filter(|_| config.is_sandbox()),
            sandbox: config.is_sandbox(),
            renewal_consent: renewal_consent::CURRENT,
        }],
    })
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderHealth {
    /// `ok` or `unavailable`
    status: &'static str,
    provider: &'static str,
    latency_ms: u64,
}

/// Whether the provider answers, and how fast.
#[utoipa::path(tag = "payments", security(("bearer" = [])),
    responses((status = 200, body = Answer<ProviderHealth>)))]
#[get("/health")]
pub async fn health(app: web::Data<App>, _who: SignedIn) -> Reply {
    let steps = app.actors.directory.steps();
    let sign = steps.provider_sign().await?;
    Ok(ok(ProviderHealth {
        status: if sign.is_alive { "ok" } else { "unavailable" },
        provider: steps.gateway().name(),
        latency_ms: u64::try_from(sign.latency.as_millis()).unwrap_or(u64::MAX),
    }))
}
