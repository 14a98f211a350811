//! The development surface (docs/contract.md, "Development surface"); not routed in production.

use actix_web::{HttpResponse, get, post, web};
use bipe_core::development;
use bipe_core::error::{Error, FieldCode};
use serde_json::json;

use crate::App;
use crate::error::Reply;
use crate::extract::Body;

/// At most ten years at once.
const MAX_ADVANCE: u32 = 10 * 366 * 24 * 60 * 60;

#[get("/dev/clock")]
pub async fn read_clock(app: web::Data<App>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "now": app.clock.now() }))
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Advance {
    advance_seconds: u32,
}

#[post("/dev/clock")]
pub async fn advance_clock(app: web::Data<App>, body: Body<Advance>) -> Reply {
    if body.0.advance_seconds > MAX_ADVANCE {
        return Err(Error::invalid("advanceSeconds", FieldCode::Invalid).into());
    }
    development::advance_clock(&app.db, body.0.advance_seconds).await?;
    Ok(HttpResponse::Ok().json(json!({ "now": app.clock.now() })))
}

/// Runs due jobs, and what is due at the sandbox, until nothing is.
#[post("/dev/jobs/run")]
pub async fn run_jobs(app: web::Data<App>) -> Reply {
    let mut ran = 0;
    loop {
        // The sandbox first: it waits for webhooks already under way, and their jobs must be seen.
        let provider = match &app.sandbox {
            Some(sandbox) => u64::try_from(sandbox.run_due().await).unwrap_or(0),
            None => 0,
        };
        let jobs = u64::from(app.actors.jobs.run_all_due().await?);
        if jobs + provider == 0 {
            return Ok(HttpResponse::Ok().json(json!({ "ran": ran })));
        }
        ran += jobs + provider;
    }
}
