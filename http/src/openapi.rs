//! Generates the contract, `http/openapi.json`, from the handlers that `routes.rs` lists. The checked-in file equals it
//! (`tests/it/openapi.rs`). `served` is what the server uses of the contract.

mod answers;
mod frames;
pub mod served;

use std::sync::LazyLock;

use actix_web::dev::HttpServiceFactory;
use bipe_actors::envelope::{
    ErrorFrame, EventEnvelope, LiveEnvelope, ResetEnvelope, ResetReason, Since, SnapshotEnvelope,
};
use bipe_core::Code;
use bipe_core::company::admin::CompanySort;
use bipe_core::error::FieldCode;
use bipe_core::invoice::IssuedInvoice;
use bipe_core::notification::ReadNotifications;
use bipe_core::payment::admin::PaymentSort;
use bipe_core::plan::ChangedPlan;
use bipe_core::saved_view::ChangedViews;
use bipe_core::user::admin::UserSort;
use utoipa::openapi::path::{Operation, Paths};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, RefOr, Schema};
use utoipa::{Modify, OpenApi};
use utoipa_actix_web::OpenApiFactory;

use crate::error::{ErrorDetail, ErrorEnvelope};
use crate::live::frame;
use crate::live::snapshot::{CompanySnapshot, PlansSnapshot, UserSnapshot};
use crate::permissions::{self, Who};
use crate::routes::{self, Routes};

#[derive(OpenApi)]
#[openapi(
    info(title = "Bipe", description = "REST and live protocol of Bipe. Errors answer `ErrorEnvelope`."),
    components(schemas(
        ErrorEnvelope, ErrorDetail, Code, FieldCode,
        // rt.v1
        frame::ClientFrame, frame::RequestedChannel, frame::ServerFrame, frame::Retry,
        EventEnvelope, SnapshotEnvelope, LiveEnvelope, ResetEnvelope, ErrorFrame,
        ResetReason, Since, CompanySnapshot, UserSnapshot, PlansSnapshot, ChangedPlan,
        IssuedInvoice, ReadNotifications,
        // the platform admin's area
        ChangedViews, UserSort, CompanySort, PaymentSort,
    )),
    modifiers(&Bearer)
)]
struct Document;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

/// What the calls declare.
#[derive(Default)]
struct Declared {
    /// Of the scope that is being asked.
    prefix: String,
    paths: Paths,
    schemas: Vec<(String, RefOr<Schema>)>,
}

impl Routes for Declared {
    fn scope(&mut self, prefix: &str, calls: impl FnOnce(&mut Self)) -> &mut Self {
        let outside = self.prefix.len();
        self.prefix.push_str(prefix);
        calls(self);
        self.prefix.truncate(outside);
        self
    }

    fn service(&mut self, call: impl HttpServiceFactory + OpenApiFactory + 'static) -> &mut Self {
        let mut declared = call.paths();
        let whole = |(path, item)| (format!("{}{path}", self.prefix), item);
        declared.paths = declared.paths.into_iter().map(whole).collect();
        self.paths.merge(declared);
        call.schemas(&mut self.schemas);
        self
    }
}

static DOCUMENT: LazyLock<utoipa::openapi::OpenApi> = LazyLock::new(|| {
    let mut document = Document::openapi();
    let mut declared = Declared::default();
    routes::api(&mut declared);
    document.paths.merge(declared.paths);
    let components = document.components.get_or_insert_default();
    components.schemas.extend(declared.schemas);
    complete_operations(&mut document.paths, components);
    frames::declare(components);
    document
});

/// The document that the handlers of this build declare, made once in a process.
pub fn document() -> &'static utoipa::openapi::OpenApi {
    &DOCUMENT
}

/// Adds `x-roles` to an operation; none if `permissions` does not know it.
fn tell_roles(operation: &mut Operation, who: Option<Who>) {
    let Some(who) = who else { return };
    let roles = [("x-roles", serde_json::json!(who.roles()))];
    operation.extensions.get_or_insert_default().merge(roles.into_iter().collect());
}

/// Gives each operation its id, of method and path because handlers are called `list`, `find`, `create` in every module;
/// and adds who may call it and what it may refuse.
fn complete_operations(paths: &mut Paths, components: &mut Components) {
    for (path, item) in &mut paths.paths {
        let words =
            path.trim_start_matches("/api/").replace(['{', '}'], "").replace(['/', '-'], "_");
        let operations = [
            ("get", &mut item.get),
            ("post", &mut item.post),
            ("put", &mut item.put),
            ("delete", &mut item.delete),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation {
                operation.operation_id = Some(format!("{method}_{words}"));
                let who = permissions::who(method, path, operation.security.is_some());
                tell_roles(operation, who);
                answers::declare(operation, who, components);
            }
        }
    }
}
