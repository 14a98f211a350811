//! Writes notifications, in the transaction of what they are about, and reads those of one person.
//!
//! One statement of the commit writes the rows of all recipients and appends `notification.created` to the channel of
//! each. So nobody is notified of what did not happen, and nobody twice. Row-level security leaves a person's
//! transaction the own rows alone.

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use super::{NewNotification, NotificationView, ReadNotifications};
use crate::db::{AppendStatement, CompanyTx, Tx, UserTx};
use crate::error::{Error, Result};
use crate::event::{Channel, Event, EventName, NewEvent};
use crate::id::{CompanyId, NotificationId, UserId};
use crate::row::from_row;

/// Notifications of one answer.
pub const PAGE: i64 = 20;
/// Nobody counts unread ones beyond it.
const MAX_UNREAD: i64 = 100;

/// Notifies with the commit of this transaction. What the person behind it did themself they have read.
pub fn notify(tx: &mut CompanyTx, new: NewNotification) {
    let staged = StagedNotification {
        id: NotificationId::new(tx.clock()),
        company: tx.company_id(),
        by: tx.scope().user_id(),
        new,
    };
    tx.append_to_users(Box::new(staged));
}

struct StagedNotification {
    id: NotificationId,
    company: CompanyId,
    by: Option<UserId>,
    new: NewNotification,
}

impl StagedNotification {
    /// What everybody gets alike; the statement adds the names, and whether it is read.
    fn data(&self, at: Timestamp) -> Result<String> {
        let NewNotification { topic, amount, deadline, role, payment_id, .. } = &self.new;
        let view = NotificationView {
            id: self.id,
            topic: topic.as_str().to_owned(),
            company_id: self.company,
            company_name: String::new(),
            plan_name: None,
            amount: *amount,
            deadline: *deadline,
            role: *role,
            payment_id: *payment_id,
            at,
            is_read: false,
        };
        serde_json::to_string(&view).map_err(Error::internal)
    }
}

impl AppendStatement for StagedNotification {
    fn sql(&self) -> &'static str {
        NOTIFY
    }

    fn write<'a>(&'a self, tx: &'a Tx) -> BoxFuture<'a, Result<Vec<Event>>> {
        Box::pin(async move {
            let NewNotification { topic, to, source, plan_id, amount, deadline, role, payment_id } =
                &self.new;
            let source = source.clone().unwrap_or_else(|| self.id.to_string());
            tx.all(
                NOTIFY,
                &[
                    &self.id,
                    &self.company,
                    topic,
                    &source,
                    amount,
                    deadline,
                    role,
                    payment_id,
                    &tx.now(),
                    &self.by,
                    &to.roles(),
                    &to.people(),
                    plan_id,
                    &topic.kind(),
                    &tx.new_epoch(),
                    &self.data(tx.now())?,
                    &tx.cause(),
                ],
            )
            .await
        })
    }
}

/// Heads are locked by the ids of people, as everywhere.
const NOTIFY: &str = "WITH created AS (\
     INSERT INTO notifications (user_id, id, company_id, company_name, plan_name, topic, source, amount_cents, \
       deadline, role, payment_id, at, read_at) \
     SELECT u.id, $1::uuid, c.id, c.name, p.display_name, $3::text, $4::text, $5::bigint, $6::timestamptz, $7::text, \
       $8::uuid, $9::timestamptz, CASE WHEN u.id = $10::uuid THEN $9::timestamptz END \
     FROM companies c JOIN users u ON u.status = 'active' AND u.id IN (\
       SELECT m.user_id FROM members m WHERE m.company_id = $2::uuid AND m.role = ANY ($11::text[]) \
       UNION SELECT unnest($12::uuid[])) \
     LEFT JOIN plans p ON p.id = $13::uuid \
     LEFT JOIN notification_preferences f ON f.user_id = u.id AND f.kind = $14::text \
     WHERE c.id = $2::uuid AND coalesce(f.screen, true) \
     ON CONFLICT (user_id, source) DO NOTHING RETURNING user_id, company_name, plan_name, read_at), \
     heads AS (\
     INSERT INTO channel_heads (channel, epoch, seq) \
     SELECT 'user/' || user_id, $15::text, 1 FROM created ORDER BY user_id \
     ON CONFLICT (channel) DO UPDATE SET seq = channel_heads.seq + 1 RETURNING channel, epoch, seq), \
     appended AS (\
     INSERT INTO events (channel, seq, name, key, data, finance_only, cause, at) \
     SELECT h.channel, h.seq, 'notification.created', $1::uuid::text, \
       ($16::text::jsonb || jsonb_strip_nulls(jsonb_build_object('companyName', c.company_name, \
         'planName', c.plan_name, 'isRead', c.read_at IS NOT NULL)))::text, \
       false, $17::text, $9::timestamptz \
     FROM created c JOIN heads h ON h.channel = 'user/' || c.user_id \
     RETURNING channel, seq, name, key, data, finance_only, operator_data, cause, at) \
     SELECT a.*, epoch_in_history(h.epoch, history) AS epoch \
     FROM appended a JOIN heads h ON h.channel = a.channel, current_history() AS history";

/// One page of a person's notifications, the newest first.
#[derive(Clone, Debug)]
pub struct Page {
    pub notifications: Vec<NotificationView>,
    /// At most `MAX_UNREAD`.
    pub unread: i64,
    /// There are older ones than the last of the page.
    pub has_more: bool,
}

/// Those before `before`; without it the newest.
pub async fn page(tx: &UserTx, user: UserId, before: Option<NotificationId>) -> Result<Page> {
    let mut notifications: Vec<NotificationView> =
        tx.all(LIST, &[&user, &before, &(PAGE + 1)]).await?;
    let most = usize::try_from(PAGE).map_err(Error::internal)?;
    let has_more = notifications.len() > most;
    notifications.truncate(most);
    Ok(Page { notifications, unread: unread(tx, user).await?, has_more })
}

const LIST: &str = "SELECT id, topic, company_id, company_name, plan_name, amount_cents, deadline, role, payment_id, \
     at, read_at IS NOT NULL AS is_read FROM notifications \
     WHERE user_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3";

from_row! {
    NotificationView {
        id, topic, company_id, company_name, plan_name, amount: "amount_cents", deadline, role, payment_id, at,
        is_read,
    }
}

async fn unread(tx: &UserTx, user: UserId) -> Result<i64> {
    tx.value(UNREAD, &[&user, &MAX_UNREAD]).await
}

const UNREAD: &str = "SELECT count(*) FROM (SELECT FROM notifications \
     WHERE user_id = $1 AND read_at IS NULL LIMIT $2) AS unread";

/// What to mark as read: those of the ids, and everything up to `until`. Ids of others change nothing.
#[derive(Clone, Debug, Default)]
pub struct ReadMark {
    pub ids: Vec<NotificationId>,
    pub until: Option<NotificationId>,
}

/// Marks what is still unread, and tells the person's other tabs. Answers how many are left unread.
pub async fn mark_read(tx: &mut UserTx, user: UserId, mark: ReadMark) -> Result<i64> {
    let ReadMark { ids, until } = mark;
    let marked = tx.execute(MARK_READ, &[&user, &ids, &until, &tx.now()]).await?;
    let unread = unread(tx, user).await?;
    if marked > 0 {
        let read = ReadNotifications { ids, until, unread };
        let channel = Channel::User(user);
        tx.emit(NewEvent::new(channel, EventName::NotificationRead, user, &read)?);
    }
    Ok(unread)
}

const MARK_READ: &str = "UPDATE notifications SET read_at = $4 \
     WHERE user_id = $1 AND read_at IS NULL AND (id = ANY ($2) OR id <= $3)";

/// Nobody can follow a link into a company that is gone.
pub(crate) async fn forget_company(tx: &Tx, company: CompanyId) -> Result<()> {
    tx.execute(FORGET_COMPANY, &[&company]).await.map(drop)
}

const FORGET_COMPANY: &str = "DELETE FROM notifications WHERE company_id = $1";
