//! Mail leaves through the jobs table: enqueued in the business transaction, sent after it (invariant I2).
//!
//! With `SMTP_URL` a mail leaves by SMTP; without it, it is stored in the local mailbox that `/dev/mailbox` shows. A
//! message has one Message-ID for all tries. `queue` has the jobs, `message` the messages, `mail_pt_br` their texts,
//! `attachment` their files, `smtp` the mail server.

mod attachment;
pub mod message;
mod queue;
mod smtp;

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use serde::Serialize;

use crate::auth::Keys;
use crate::config::Config;
use crate::db::{Db, Params};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::mail_pt_br::{self, Derived, Rendered};
use crate::rate_limit::RateLimiter;
use crate::row::from_row;
use crate::scope::{CompanyScope, JobScope};
use crate::secret::{KeyRing, sha256};
use crate::subscription::steps::{self, RenewalPeriod};

use attachment::PdfAttachment;
pub use message::{
    InviteNotice, Message, NoticeState, PaymentNotice, SubscriptionNotice, UnpaidPeriod,
    WelcomeNotice,
};
pub use queue::{MailedInvoice, enqueue, enqueue_for, enqueue_invoice};
use queue::{Payload, QueuedMail};
use smtp::SmtpServer;
pub use smtp::greet;

/// 5 s · 2ⁿ up to an hour, for 24 hours: ten doublings and the hours after them.
const FIRST_PAUSE: i64 = 5;
const LONGEST_PAUSE: i64 = 3_600;
const MAX_TRIES: i32 = 33;
/// What a mail tells still holds when it leaves within this time.
const AT_ONCE: SignedDuration = SignedDuration::from_mins(1);
/// Newest messages that the mailbox page lists.
const MAILBOX_PAGE: i64 = 200;

/// Sends. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Mailer {
    from: Mailbox,
    /// Where an answer goes: nobody reads the sender's mailbox.
    reply_to: Mailbox,
    public_url: String,
    /// What codes and links are derived by.
    pub(crate) code_keys: KeyRing,
    /// How often an address is told that it has an account.
    pub(crate) limits: RateLimiter,
    transport: MailTransport,
}

#[derive(Clone, Debug)]
enum MailTransport {
    Smtp(SmtpServer),
    LocalMailbox,
}

impl Mailer {
    /// # Errors
    /// `Internal` when `MAIL_FROM`, `SALES_EMAIL` or `SMTP_URL` cannot be understood.
    pub fn new(config: &Config, keys: &Keys) -> Result<Self> {
        let mailbox = |name: &str, text: &str| {
            Mailbox::from_str(text).map_err(|error| Error::internal(format!("{name}: {error}")))
        };
        let from = mailbox("MAIL_FROM", &config.mail_from)?;
        let reply_to = mailbox("SALES_EMAIL", &config.sales_email)?;
        let public_url = config.public_url();
        let transport = match &config.smtp_url {
            None => MailTransport::LocalMailbox,
            Some(url) => MailTransport::Smtp(SmtpServer::at(url, &public_url)?),
        };
        let limits = RateLimiter::new(keys.limit.clone(), config.rate_limits);
        Ok(Self { from, reply_to, public_url, code_keys: keys.code.clone(), limits, transport })
    }

    fn render(
        &self,
        QueuedMail { to, message }: &QueuedMail,
        attachment: Option<&PdfAttachment>,
    ) -> Rendered {
        let keys = &self.code_keys;
        let mut derived = match message {
            Message::Code { issue, .. } => {
                let (code, token) = (issue.digits(keys), issue.link(keys));
                Derived { code, token, recipient: to.clone(), ..Derived::default() }
            }
            Message::Invite(notice) => {
                Derived { token: notice.issue.token(keys), ..Derived::default() }
            }
            other => {
                let token = other.undo().map(|issue| issue.token(keys));
                Derived { token: token.unwrap_or_default(), ..Derived::default() }
            }
        };
        derived.attached = attachment.map(|file| file.name.clone());
        mail_pt_br::render(message, &derived, &self.public_url)
    }

    async fn send(&self, db: &Db, id: &str, queued: &QueuedMail) -> Result<()> {
        let attachment = PdfAttachment::of(&queued.message).await?;
        let rendered = self.render(queued, attachment.as_ref());
        match &self.transport {
            MailTransport::LocalMailbox => deliver_locally(db, id, &queued.to, &rendered).await,
            MailTransport::Smtp(server) => {
                server.send(self.compose(id, &queued.to, rendered, attachment)?).await
            }
        }
    }

    fn compose(
        &self,
        id: &str,
        to: &str,
        mail: Rendered,
        attachment: Option<PdfAttachment>,
    ) -> Result<lettre::Message> {
        let both = MultiPart::alternative_plain_html(mail.text, mail.html);
        let body = match attachment {
            Some(file) => MultiPart::mixed().multipart(both).singlepart(file.part()),
            None => both,
        };
        let to = to.parse().map_err(|_| Error::internal("a recipient is no address"))?;
        let host = self.from.email.domain();
        // Nobody's out-of-office reply answers a machine: RFC 3834, and Exchange, which reads a header of its own.
        let header = |name, value: &str| {
            HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
        };
        lettre::Message::builder()
            .from(self.from.clone())
            .reply_to(self.reply_to.clone())
            .to(Mailbox::new(None, to))
            .subject(mail.subject)
            .date(written_at(id).into())
            .message_id(Some(format!("<{id}@{host}>")))
            .raw_header(header("Auto-Submitted", "auto-generated"))
            .raw_header(header("X-Auto-Response-Suppress", "OOF, AutoReply"))
            .multipart(body)
            .map_err(|error| Error::internal(format!("mail: {error}")))
    }
}

/// A message is dated when it was written, whichever try delivers it: its id is a UUIDv7.
fn written_at(id: &str) -> Timestamp {
    let id = id.parse::<uuid::Uuid>().ok().and_then(|id| id.get_timestamp());
    let (seconds, nanos) = id.map(|time| time.to_unix()).unwrap_or_default();
    let parts = (i64::try_from(seconds), i32::try_from(nanos));
    match parts {
        (Ok(seconds), Ok(nanos)) => Timestamp::new(seconds, nanos).unwrap_or_default(),
        _ => Timestamp::default(),
    }
}

/// Runs a job of kind `Mail`. Safe to repeat.
///
/// # Errors
/// When the mail could not be handed over: put the job off until [`again_at`].
pub async fn run_job(mailer: &Mailer, db: &Db, proof: &JobScope, job: &Job) -> Result<()> {
    let queued = job.payload::<Payload>()?.mail(db, proof).await?;
    let now = db.clock().now();
    let has_waited = now.duration_since(written_at(&job.key)) > AT_ONCE;
    if has_waited && is_settled(mailer, db, proof, &queued.message).await? {
        return Ok(());
    }
    // A code or link that died while the mail server was away helps nobody.
    match &queued.message {
        Message::Code { issue, .. } if issue.expires_at() <= now => Ok(()),
        Message::Invite(notice) if notice.issue.expires_at() <= now => Ok(()),
        message => match mailer.send(db, &job.key, &queued).await {
            // Somebody has mistyped an address, and sees that no code comes: that calls for no operator.
            Err(error) if smtp::is_final(&error) && matches!(message, Message::Code { .. }) => {
                tracing::info!(id = %job.id, %error, "there is no mailbox for a code");
                Ok(())
            }
            sent => sent,
        },
    }
}

/// What the message asks for or announces was paid or closed while the mail server was away.
async fn is_settled(mailer: &Mailer, db: &Db, proof: &JobScope, message: &Message) -> Result<bool> {
    if let Message::PaymentPending(PaymentNotice { payment: Some(payment), .. }) = message {
        let tx = db.platform_tx(proof).await?;
        return Ok(tx.query_opt(WAITS, &[payment]).await?.is_none());
    }
    if let Message::Invite(InviteNotice { issue, .. }) = message {
        let hash = sha256(issue.token(&mailer.code_keys).as_bytes());
        let tx = db.platform_tx(proof).await?;
        return Ok(tx.query_opt(INVITES, &[&hash.as_slice()]).await?.is_none());
    }
    let Some(unpaid) = message.unpaid() else { return Ok(false) };
    let UnpaidPeriod { company_id, subscription_id: subscription, period_start } = unpaid;
    let scope = CompanyScope::of_job(proof, company_id);
    let is_owed = steps::is_owed(db, &scope, RenewalPeriod { subscription, period_start }).await?;
    Ok(!is_owed)
}

/// The company whose payment waits for its payer.
const WAITS: &str = "SELECT company_id FROM payments WHERE id = $1 AND state = 'requires_action'";
/// The company that a link still invites to.
const INVITES: &str =
    "SELECT company_id FROM invites WHERE token_sha256 = $1 AND closed_at IS NULL";

/// When a failed mail job is tried again; none when it has failed for a day, or at once where there is no mailbox:
/// providers block who knocks again and again where nobody lives.
pub fn again_at(job: &Job, error: &Error, now: Timestamp) -> Option<Timestamp> {
    if smtp::is_final(error) {
        return None;
    }
    now.checked_add(SignedDuration::from_secs(pause(job.attempts)?)).ok()
}

/// Seconds after so many tries before the failed one.
fn pause(tries: i32) -> Option<i64> {
    if tries >= MAX_TRIES {
        return None;
    }
    let doublings = u32::try_from(tries).unwrap_or(0).min(20);
    Some(FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE))
}

/// A repeat of the job finds its mail delivered.
async fn deliver_locally(db: &Db, id: &str, to: &str, mail: &Rendered) -> Result<()> {
    let id: uuid::Uuid = id.parse().map_err(Error::internal)?;
    let now = db.clock().now();
    let params: Params<'_> = &[&id, &to, &mail.subject, &mail.text, &mail.html, &now];
    db.job_statement(DELIVER, params).await.map(drop)
}

const DELIVER: &str = "INSERT INTO mailbox (id, recipient, subject, body_text, body_html, sent_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING";

/// A mail in the local mailbox.
#[derive(Clone, Debug, Serialize)]
pub struct LocalMail {
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    pub at: Timestamp,
}

from_row! {
    LocalMail { to: "recipient", subject, text: "body_text", html: "body_html", at: "sent_at" }
}

/// The local mailbox, newest first; of one address or of all.
pub async fn mailbox(db: &Db, to: Option<&str>) -> Result<Vec<LocalMail>> {
    let to = to.map(str::to_lowercase);
    db.tx().await?.all(MAILBOX, &[&to, &MAILBOX_PAGE]).await
}

const MAILBOX: &str = "SELECT recipient, subject, body_text, body_html, sent_at FROM mailbox \
     WHERE $1::text IS NULL OR lower(recipient) = $1 ORDER BY sent_at DESC, id DESC LIMIT $2";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn composed(id: &str, subject: &str) -> String {
        let config = crate::testing::config(&[]);
        let keys = Keys::derive(&Secret::new("0".repeat(32)));
        let mail =
            Rendered { subject: subject.into(), text: "Olá!".into(), html: "<p>Olá!</p>".into() };
        let mailer = Mailer::new(&config, &keys).unwrap();
        let mail = mailer.compose(id, "ana@example.com", mail, None).unwrap();
        String::from_utf8(mail.formatted()).unwrap()
    }

    #[test]
    fn a_subject_adds_no_header() {
        let id = "019e0000-0000-7000-8000-000000000000";
        let mail = composed(id, "Plano\r\nBcc: eve@evil.example\r\n\r\nOi");
        let (headers, _body) = mail.split_once("\r\n\r\n").unwrap();
        assert!(!headers.lines().any(|line| line.starts_with("Bcc:")), "{headers}");
        assert!(headers.contains("multipart/alternative"), "{headers}");
    }

    #[test]
    fn a_mail_asks_for_no_automatic_answer() {
        let mail = composed("019e0000-0000-7000-8000-000000000000", "Plano");
        for header in ["Auto-Submitted: auto-generated", "X-Auto-Response-Suppress: OOF, AutoReply"]
        {
            assert!(mail.lines().any(|line| line == header), "{mail}");
        }
    }

    #[test]
    fn a_mail_keeps_its_id_and_date_over_all_tries() {
        let id = "019aa6e0-5b80-7000-8000-000000000000";
        let headers = |mail: String| -> Vec<String> {
            let stable = ["Message-ID: ", "Date: "];
            let lines =
                mail.lines().filter(|line| stable.iter().any(|name| line.starts_with(name)));
            lines.map(str::to_owned).collect()
        };
        let first = headers(composed(id, "Plano"));
        assert_eq!(first, headers(composed(id, "Plano")));
        assert!(first.contains(&format!("Message-ID: <{id}@bipe.localhost>")), "{first:?}");
        assert!(
            first.iter().any(|line| line.starts_with("Date: ") && line.contains(" 2025 ")),
            "{first:?}"
        );
    }

    #[test]
    fn a_server_that_is_down_for_a_day_gets_its_mail() {
        let waited: i64 = (0..).map_while(pause).sum();
        let hours = waited / 3_600;
        assert!((24..26).contains(&hours), "{hours} h");
    }
}
