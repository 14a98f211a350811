//! The notifications of a person (docs/contract.md, "Notifications"), and which of them the person wants.

use actix_web::{get, post, put, web};
use bipe_core::error::{Error, FieldCode, FieldErrors};
use bipe_core::id::NotificationId;
use bipe_core::json_object;
use bipe_core::notification::NotificationView;
use bipe_core::notification::preference::{
    self, NotificationPreference, NotificationPreferenceView,
};
use bipe_core::notification::store::{self, Page, ReadMark};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::extract::{Body, Caller, Query, SignedIn, optional_id};

/// Ids of one call.
const MAX_IDS: usize = 100;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct NotificationQuery {
    /// The last one of the page before; without it the newest are answered.
    #[serde(default, deserialize_with = "optional_id")]
    before: Option<NotificationId>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notifications {
    /// At most 20.
    notifications: Vec<NotificationView>,
    /// Nobody counts beyond 100.
    unread: i64,
    /// Whether there are older ones than the last of these.
    has_more: bool,
}

#[derive(Deserialize, ToSchema)]
pub struct ReadRequest {
    #[serde(default)]
    #[schema(required = false, max_items = 100, value_type = Vec<NotificationId>)]
    ids: Vec<String>,
    /// This one and every older one.
    until: Option<NotificationId>,
}

impl ReadRequest {
    fn read(&self) -> Result<ReadMark, Error> {
        let mut errors = FieldErrors::default();
        if self.ids.len() > MAX_IDS {
            errors.add("ids", FieldCode::TooLong);
            return errors.into_result(None);
        }
        let mut ids = Vec::with_capacity(self.ids.len());
        for (index, id) in self.ids.iter().enumerate() {
            match id.parse::<NotificationId>() {
                Ok(id) => ids.push(id),
                Err(_) => errors.add(format!("ids[{index}]"), FieldCode::Invalid),
            }
        }
        errors.into_result(Some(ReadMark { ids, until: self.until }))
    }
}

#[derive(Serialize, ToSchema)]
pub struct Unread {
    /// Nobody counts beyond 100.
    unread: i64,
}

#[derive(Serialize, ToSchema)]
pub struct Preferences {
    /// One for each kind.
    preferences: Vec<NotificationPreferenceView>,
}

#[derive(Deserialize, ToSchema)]
pub struct PreferencesRequest {
    /// Kinds that are not named stay as they are.
    #[serde(deserialize_with = "json_object::read_list")]
    preferences: Vec<NotificationPreference>,
}

/// The own notifications, newest first.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), params(NotificationQuery),
    responses((status = 200, body = Answer<Notifications>)))]
#[get("")]
pub async fn list(
    app: web::Data<App>,
    who: SignedIn,
    Query(query): Query<NotificationQuery>,
) -> Reply {
    let tx = app.db.user_tx(who.user_id).await?;
    let page = store::page(&tx, who.user_id, query.before).await?;
    let Page { notifications, unread, has_more } = page;
    Ok(ok(Notifications { notifications, unread, has_more }))
}

/// Marks own notifications as read, in every tab of the person. Ids of others change nothing.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), request_body = ReadRequest,
    responses((status = 200, body = Answer<Unread>)))]
#[post("/read")]
pub async fn read(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<ReadRequest>,
) -> Reply {
    let mark = body.0.read()?;
    let mut tx = app.db.user_tx(who.user_id).await?.caused_by(&caller);
    let unread = store::mark_read(&mut tx, who.user_id, mark).await?;
    tx.commit().await?;
    Ok(ok(Unread { unread }))
}

/// What the person wants to be told, and where.
#[utoipa::path(tag = "notifications", security(("bearer" = [])),
    responses((status = 200, body = Answer<Preferences>)))]
#[get("/preferences")]
pub async fn read_preferences(app: web::Data<App>, who: SignedIn) -> Reply {
    let tx = app.db.user_tx(who.user_id).await?;
    Ok(ok(Preferences { preferences: preference::all(&tx, who.user_id).await? }))
}

/// Saves what the person wants of the named kinds. 422 for a mail that is always sent.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), request_body = PreferencesRequest,
    responses((status = 200, body = Answer<Preferences>)))]
#[put("/preferences")]
pub async fn save_preferences(
    app: web::Data<App>,
    who: SignedIn,
    body: Body<PreferencesRequest>,
) -> Reply {
    let tx = app.db.user_tx(who.user_id).await?;
    preference::save(&tx, who.user_id, &body.0.preferences).await?;
    let preferences = preference::all(&tx, who.user_id).await?;
    tx.commit().await?;
    Ok(ok(Preferences { preferences }))
}
