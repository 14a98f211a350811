//! Code mails, and the reset of a forgotten password.
//!
//! Asking for a code takes a limit and inserts one job; whether the address is known is found out in the
//! job, so that the answer and its timing tell nothing. Guesses are counted before they are compared.

use jiff::SignedDuration;

use super::code::{self, Digits, Purpose};
use super::{Auth, Caller};
use crate::db::{Db, Tx};
use crate::error::{Code, Error, Result};
use crate::job::{self, JobKind};
use crate::mailer::{self, Message};
use crate::rate_limit::{self, Bucket, Rule};
use crate::secret::Key;
use crate::user::store;
use crate::user::{Email, Password, User, UserStatus};

/// How long a network stays known.
const KNOWN_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Payload of a `CodeMail` job.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct CodeRequest {
    pub email: String,
    /// `Reset`: somebody forgot a password; an unverified account gets a new verification code instead.
    pub purpose: Purpose,
}

/// The tokens that a guess stands for until it turns out right.
pub(super) struct Guesses(Vec<(Rule, Bucket)>);

impl Auth {
    /// Is this network one that the owner of the address was seen on?
    pub(super) async fn is_known(&self, db: &Db, email: &Email, caller: &Caller) -> Result<bool> {
        let tx = db.tx().await?;
        let since = tx.now().checked_sub(KNOWN_FOR).map_err(Error::internal)?;
        let mac = self.limits.network_mac(&caller.network);
        let known = store::is_known_network(&tx, email, &mac, since).await?;
        tx.rollback().await?;
        Ok(known)
    }

    pub(super) fn account_bucket(&self, email: &Email) -> Bucket {
        self.limits.bucket(&["email", email.as_str()])
    }

    pub(super) fn code_mail_pause(&self, email: &Email, purpose: Purpose) -> Bucket {
        self.limits.bucket(&["email", email.as_str(), purpose.as_str()])
    }

    /// Rows 9 and 10: takes the tokens of a wrong guess beforehand, so that guesses at once count as well.
    pub(super) async fn take_guess(
        &self,
        db: &Db,
        email: &Email,
        caller: &Caller,
    ) -> Result<Guesses> {
        let account = self.account_bucket(email);
        let ip = self.limits.bucket(&["ip", &caller.network]);
        let system = self.limits.bucket(&["system"]);
        let [day, month] = rate_limit::WRONG_CODE_UNKNOWN;
        // As many statements on either kind of network.
        let (day, month, all) = if self.is_known(db, email, caller).await? {
            (rate_limit::WRONG_CODE_KNOWN, rate_limit::UNMETERED, rate_limit::UNMETERED)
        } else {
            (day, month, rate_limit::WRONG_CODE_SYSTEM)
        };
        let ip = (rate_limit::WRONG_CODE_IP, ip);
        let guesses = vec![ip, (day, account.clone()), (month, account), (all, system)];
        let wanted: Vec<(Rule, &Bucket)> = guesses.iter().map(|(rule, of)| (*rule, of)).collect();
        self.limits.take(db, &wanted).await?;
        Ok(Guesses(guesses))
    }

    pub(super) async fn give_guess_back(&self, tx: &Tx, guesses: &Guesses) -> Result<()> {
        for (rule, bucket) in &guesses.0 {
            self.limits.give_back(tx, *rule, bucket).await?;
        }
        Ok(())
    }

    /// Asks for a code mail. The answer is the same whoever asks; within 60 s of the last one nothing is sent.
    ///
    /// # Errors
    /// `TooMany` beyond the hourly and daily limits.
    pub async fn request_code(
        &self,
        db: &Db,
        email: &Email,
        purpose: Purpose,
        caller: &Caller,
    ) -> Result<()> {
        let pause = self.code_mail_pause(email, purpose);
        let tx = db.tx().await?;
        let wait = self.limits.try_take(&tx, rate_limit::CODE_MAIL_PAUSE, &pause).await?;
        tx.commit().await?;
        if wait.is_some() {
            return Ok(());
        }
        let account = self.account_bucket(email);
        let ip = self.limits.bucket(&["ip", &caller.network]);
        let [hour, day] = rate_limit::CODE_MAIL_ADDRESS;
        let wanted = [(rate_limit::CODE_MAIL_IP, &ip), (hour, &account), (day, &account)];
        self.limits.take(db, &wanted).await?;
        let mut tx = db.tx().await?;
        tx.set_cause(Some(&caller.request_id));
        let request = CodeRequest { email: email.as_str().to_owned(), purpose };
        let key = tx.clock().uuid().to_string();
        let now = tx.now();
        job::add(&mut tx, JobKind::CodeMail, &key, now, &request).await?;
        tx.commit().await
    }

    /// Sets a new password with a code, ends every session of the person and signs nobody in.
    ///
    /// # Errors
    /// `Rejected(INVALID_RESET_TOKEN)` for an unknown address and a dead, expired or wrong code alike, `TooMany`.
    pub async fn reset_password(
        &self,
        db: &Db,
        (email, digits): (&Email, &Digits),
        password: &Password,
        caller: &Caller,
    ) -> Result<()> {
        let refused = || Error::Rejected(Code::InvalidResetToken);
        let guesses = self.take_guess(db, email, caller).await?;
        let right = code::try_code(db, &self.keys.code, Purpose::Reset, email, digits).await?;
        let right = right.ok_or_else(refused)?;
        let hash = self.hasher.hash(db.runtime(), password.as_str(), db.clock()).await?;
        let mut tx = db.tx().await?;
        tx.set_cause(Some(&caller.request_id));
        if !code::consume(&tx, &right).await? {
            return Err(refused());
        }
        let user = store::find(&tx, right.user_id).await?.ok_or_else(refused)?;
        store::set_password(&tx, user.id, &hash).await?;
        self.end_sessions(&mut tx, user.id, None).await?;
        store::know_network(&tx, user.id, &self.limits.network_mac(&caller.network)).await?;
        self.give_guess_back(&tx, &guesses).await?;
        self.forgive(&tx, email, caller).await?;
        self.audit_code(&tx, &user, "user.reset_password", caller).await?;
        let name = user.name.as_str().to_owned();
        let notice = Message::PasswordChanged { name, at: tx.now() };
        mailer::enqueue(&mut tx, email.as_str(), &notice).await?;
        tx.commit().await
    }

    /// The person has proven to be the owner: failed sign-ins of the past no longer count.
    async fn forgive(&self, tx: &Tx, email: &Email, caller: &Caller) -> Result<()> {
        let account = self.account_bucket(email);
        self.limits.refill(tx, rate_limit::SIGN_IN_ROW, &account).await?;
        self.limits.clear_sign_in(tx, &self.pair_bucket(email, caller)).await
    }
}

/// The `CodeMail` job: looks the address up and mails the code that its account needs, if there is one.
pub async fn run_code_mail(db: &Db, key: &Key, request: &CodeRequest) -> Result<()> {
    let Ok(email) = Email::parse(&request.email) else { return Ok(()) };
    let mut tx = db.job_tx().await?;
    let Some(found) = store::by_email(&tx, &email).await? else { return Ok(()) };
    let user = found.user;
    let purpose = match (user.email_verified, request.purpose) {
        (false, _) => Purpose::Verification,
        (true, Purpose::Reset) if user.status == UserStatus::Active => Purpose::Reset,
        (true, _) => return Ok(()),
    };
    if code::is_fresh(&tx, user.id, purpose).await? {
        return Ok(());
    }
    mail_code(&mut tx, key, &user, purpose).await?;
    tx.commit().await
}

/// Makes a code and the job that mails it, in one transaction.
pub(super) async fn mail_code(tx: &mut Tx, key: &Key, user: &User, purpose: Purpose) -> Result<()> {
    let issue = code::issue(tx, key, user.id, purpose).await?;
    let name = user.name.as_str().to_owned();
    mailer::enqueue(tx, user.email.as_str(), &Message::Code { name, issue }).await
}
