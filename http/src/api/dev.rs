//! The development surface (contract, section 10); not routed in production.

use actix_web::{HttpResponse, get, post, web};
use bipe_core::development;
use bipe_core::error::{Error, FieldCode};
use jiff::Timestamp;

use crate::App;
use crate::error::Reply;
use crate::extract::Body;

/// At most ten years at once.
const MAX_ADVANCE: u32 = 10 * 366 * 24 * 60 * 60;

#[derive(serde::Serialize)]
struct Now {
    now: Timestamp,
}

#[get("/dev/clock")]
pub async fn read_clock(app: web::Data<App>) -> HttpResponse {
    HttpResponse::Ok().json(Now { now: app.clock.now() })
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
    Ok(HttpResponse::Ok().json(Now { now: app.clock.now() }))
}
