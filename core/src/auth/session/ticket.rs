//! Live tickets: 256 random bits for one `hello` within 30 seconds, stored as SHA-256. The node that takes a ticket may
//! not be the one that made it, so it takes one for 60 seconds more, by which clocks may differ (`CLOCK_TOLERANCE`).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};

use crate::auth::Auth;
use crate::auth::session::resume::SocketOwner;
use crate::auth::session::token::CLOCK_TOLERANCE;
use crate::auth::session::{find_locked, mark_used, prove_alive};
use crate::error::{Error, Result};
use crate::scope::SignedIn;
use crate::secret::sha256;

/// Seconds.
pub const LIFETIME: i64 = 30;
const MAX_OPEN: i64 = 5;
const LENGTH: usize = 32;

impl Auth {
    /// A ticket of the session; of the person's open ones the newest five stay.
    ///
    /// # Errors
    /// `SignInRequired(UNAUTHORIZED)` when the session has ended since it was proven.
    pub async fn live_ticket(&self, who: SignedIn) -> Result<String> {
        let ticket = URL_SAFE_NO_PAD.encode(self.db.clock().bytes::<LENGTH>());
        let tx = self.db.tx().await?;
        // People before sessions, as where sessions end: the row of the ticket names both.
        tx.execute(HOLD_OWNER, &[&who.user_id]).await?;
        prove_alive(&tx, who.session_id).await?;
        let lifetime = SignedDuration::from_secs(LIFETIME);
        let expires_at = tx.now().checked_add(lifetime).map_err(Error::internal)?;
        let hash = sha256(ticket.as_bytes());
        tx.execute(ADD, &[&hash.as_slice(), &who.session_id, &who.user_id, &expires_at]).await?;
        tx.execute(TRIM, &[&who.user_id, &late_since(tx.now())?, &MAX_OPEN]).await?;
        tx.commit().await?;
        Ok(ticket)
    }

    /// Whose ticket it is; none when it is unknown, used, late or its session has ended. It is gone afterwards.
    pub async fn redeem_ticket(&self, ticket: &str) -> Result<Option<SocketOwner>> {
        let tx = self.db.tx().await?;
        let hash = sha256(ticket.as_bytes());
        let owner = tx.find_value(OWNER, &[&hash.as_slice()]).await?;
        let Some(owner) = owner else { return Ok(None) };
        // Sessions before tickets, as where a session ends; whoever ends it meanwhile waits, and tells the socket.
        let session = find_locked(&tx, owner).await?;
        if tx.execute(REDEEM, &[&hash.as_slice(), &late_since(tx.now())?]).await? == 0 {
            return Ok(None);
        }
        let session = session.filter(|session| session.is_alive(tx.now()));
        if let Some(session) = &session {
            mark_used(&tx, session.id, session.counter).await?;
        }
        tx.commit().await?;
        Ok(session.map(|session| SocketOwner { who: session.who(), until: session.ends_at() }))
    }
}

/// A ticket that expired by then is late by every clock.
fn late_since(now: Timestamp) -> Result<Timestamp> {
    now.checked_sub(SignedDuration::from_secs(CLOCK_TOLERANCE)).map_err(Error::internal)
}

/// The lock that the foreign key of the new row takes as well.
const HOLD_OWNER: &str = "SELECT id FROM users WHERE id = $1 FOR KEY SHARE";
const ADD: &str = "INSERT INTO live_tickets (ticket_sha256, session_id, user_id, expires_at) \
     VALUES ($1, $2, $3, $4)";
/// Locked in one order: two sessions of a person may take a ticket at once.
const TRIM: &str = "WITH own AS (SELECT t.ticket_sha256, t.expires_at FROM sessions s \
     JOIN live_tickets t ON t.session_id = s.id WHERE s.user_id = $1 AND s.revoked_at IS NULL \
     ORDER BY t.ticket_sha256 FOR UPDATE OF t) \
     DELETE FROM live_tickets WHERE ticket_sha256 IN (\
     SELECT ticket_sha256 FROM own WHERE expires_at <= $2 UNION ALL \
     (SELECT ticket_sha256 FROM own ORDER BY expires_at DESC, ticket_sha256 OFFSET $3))";
const OWNER: &str = "SELECT session_id FROM live_tickets WHERE ticket_sha256 = $1";
const REDEEM: &str = "DELETE FROM live_tickets WHERE ticket_sha256 = $1 AND expires_at > $2";
