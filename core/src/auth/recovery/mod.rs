//! A forgotten password: asking for a code, and the reset by the code or by the link in the same mail. A person who
//! has the code or the link reads the mailbox. So a reset also verifies the address, and the account belongs to that
//! person, even if somebody else signed up with the address.
//!
//! Asking for a code takes a limit and inserts one job. The job finds out whether the address has an account, so that
//! neither the answer nor its time tells. Guesses are counted before they are compared.

pub mod code_mail;
pub mod undo;
pub mod undo_link;

use jiff::SignedDuration;

use self::undo_link::Cause;

use crate::audit::{self, AuditAction};
use crate::auth::Auth;
use crate::auth::code::{self, Digits, Purpose};
use crate::auth::personal_data::erasure::DELETE_NETWORKS;
use crate::caller::Caller;
use crate::company::joining;
use crate::db::Tx;
use crate::error::{Code, Error, Result};
use crate::mailer::{self, Message};
use crate::rate_limit::{self, Bucket, Rule};
use crate::user::store;
use crate::user::{Email, Password};

/// How long a network stays known.
const KNOWN_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);

/// What somebody sets a new password with.
#[derive(Clone, Copy)]
pub enum ResetBy<'a> {
    Code(&'a Email, &'a Digits),
    /// What the mailed link ends with.
    Link(&'a str),
}

/// A guess, with the tokens that it has taken until it turns out right.
pub(in crate::auth) struct CountedGuess {
    taken: Vec<(Rule, Bucket)>,
    /// The owner of the address was seen on the caller's network.
    pub is_known: bool,
}

/// A code mail that may go out, with the tokens that it has taken.
pub(in crate::auth) struct CountedCodeMail {
    /// Taken by the transaction that adds the mail's job, so that no failure in between keeps the next try silent.
    pause: (Rule, Bucket),
    taken: Vec<(Rule, Bucket)>,
}

impl Auth {
    /// Is this network one that the owner of the address was seen on?
    pub(in crate::auth) async fn is_known(&self, email: &Email, caller: &Caller) -> Result<bool> {
        let tx = self.db.tx().await?;
        let since = tx.now().checked_sub(KNOWN_FOR).map_err(Error::internal)?;
        let macs = self.limits.network_macs(&caller.network);
        store::is_known_network(&tx, email, &macs, since).await
    }

    pub(in crate::auth) fn account_bucket(&self, email: &Email) -> Bucket {
        self.limits.bucket(&["email", email.as_str()])
    }

    pub(in crate::auth) fn code_mail_pause(&self, email: &Email, purpose: Purpose) -> Bucket {
        self.limits.bucket(&["email", email.as_str(), purpose.as_str()])
    }

    /// Takes the tokens of a wrong guess beforehand, so that guesses at once count as well.
    pub(in crate::auth) async fn take_guess(
        &self,
        email: &Email,
        caller: &Caller,
    ) -> Result<CountedGuess> {
        let (tokens, is_known) = self.guess_tokens(email, caller).await?;
        self.take_guesses(tokens, is_known).await
    }

    /// What a wrong guess costs, by rows 9 and 10 of docs/security.md, "Limits", and whether the owner of the address was
    /// seen on the caller's network.
    pub(in crate::auth) async fn guess_tokens(
        &self,
        email: &Email,
        caller: &Caller,
    ) -> Result<(Vec<(Rule, Bucket)>, bool)> {
        let account = self.account_bucket(email);
        let ip = self.limits.bucket(&["ip", &caller.network]);
        let system = self.limits.bucket(&["system"]);
        let [day, month] = rate_limit::WRONG_CODE_UNKNOWN;
        // A known network takes tokens of buckets that never empty: the same statements run on every network.
        let is_known = self.is_known(email, caller).await?;
        let (day, month, all) = if is_known {
            (rate_limit::WRONG_CODE_KNOWN, rate_limit::UNMETERED, rate_limit::UNMETERED)
        } else {
            (day, month, rate_limit::WRONG_CODE_SYSTEM)
        };
        let ip = (rate_limit::WRONG_CODE_IP, ip);
        let tokens = vec![ip, (day, account.clone()), (month, account), (all, system)];
        Ok((tokens, is_known))
    }

    pub(in crate::auth) async fn take_guesses(
        &self,
        taken: Vec<(Rule, Bucket)>,
        is_known: bool,
    ) -> Result<CountedGuess> {
        self.take_all(&taken).await?;
        Ok(CountedGuess { taken, is_known })
    }

    /// A link cannot be guessed: its tries are counted for the network alone, never for an account.
    async fn take_link_try(&self, caller: &Caller) -> Result<CountedGuess> {
        let ip = self.limits.bucket(&["ip", &caller.network]);
        self.take_guesses(vec![(rate_limit::WRONG_CODE_IP, ip)], false).await
    }

    pub(in crate::auth) async fn give_guess_back(
        &self,
        tx: &Tx,
        guess: &CountedGuess,
    ) -> Result<()> {
        self.give_all_back(tx, &guess.taken).await
    }

    async fn take_all(&self, tokens: &[(Rule, Bucket)]) -> Result<()> {
        let wanted: Vec<(Rule, &Bucket)> = tokens.iter().map(|(rule, of)| (*rule, of)).collect();
        self.limits.take(&self.db, &wanted).await
    }

    async fn give_all_back(&self, tx: &Tx, taken: &[(Rule, Bucket)]) -> Result<()> {
        for (rule, bucket) in taken {
            self.limits.give_back(tx, *rule, bucket).await?;
        }
        Ok(())
    }

    /// Row 7 of docs/security.md, "Limits". None within 60 s of the last mail, when nothing is sent.
    ///
    /// # Errors
    /// `TooMany` beyond the hourly and daily limits.
    pub(in crate::auth) async fn may_mail_code(
        &self,
        email: &Email,
        purpose: Purpose,
        caller: &Caller,
    ) -> Result<Option<CountedCodeMail>> {
        let pause = self.code_mail_pause(email, purpose);
        let (rule, [hour, day]) = if self.is_known(email, caller).await? {
            (rate_limit::CODE_MAIL_PAUSE_KNOWN, rate_limit::CODE_MAIL_ADDRESS_KNOWN)
        } else {
            (rate_limit::CODE_MAIL_PAUSE, rate_limit::CODE_MAIL_ADDRESS)
        };
        let tx = self.db.tx().await?;
        let was_mailed = self.limits.is_empty(&tx, rule, &pause).await?;
        tx.rollback().await?;
        if was_mailed {
            return Ok(None);
        }
        let account = self.account_bucket(email);
        let ip = self.limits.bucket(&["ip", &caller.network]);
        let taken = vec![(rate_limit::CODE_MAIL_IP, ip), (hour, account.clone()), (day, account)];
        self.take_all(&taken).await?;
        Ok(Some(CountedCodeMail { pause: (rule, pause), taken }))
    }

    /// Whether the transaction may add the mail's job. Of two requests at once one mails, and the other gives back what
    /// it has taken.
    pub(in crate::auth) async fn begin_code_mail(
        &self,
        tx: &Tx,
        mail: &CountedCodeMail,
    ) -> Result<bool> {
        let (rule, pause) = &mail.pause;
        if self.limits.try_take(tx, *rule, pause).await?.is_none() {
            return Ok(true);
        }
        self.give_all_back(tx, &mail.taken).await?;
        Ok(false)
    }

    /// Asks for a code mail. The answer is the same for every address. Within 60 s of the last mail nothing is sent.
    ///
    /// # Errors
    /// `TooMany` beyond the hourly and daily limits.
    pub async fn request_code(
        &self,
        email: &Email,
        purpose: Purpose,
        caller: &Caller,
    ) -> Result<()> {
        let Some(mail) = self.may_mail_code(email, purpose, caller).await? else {
            return Ok(());
        };
        let mut tx = self.db.tx().await?.caused_by(caller);
        if self.begin_code_mail(&tx, &mail).await? {
            code::request_mail(&mut tx, email, purpose, None)?;
        }
        tx.commit().await
    }

    /// Sets a new password, ends every session of the person and signs nobody in. An address that was not verified is
    /// from here on, and joins the companies that have invited it.
    ///
    /// # Errors
    /// `Rejected(INVALID_RESET_TOKEN)` for an unknown address and a dead, expired or wrong code or link alike,
    /// `TooMany`.
    pub async fn reset_password(
        &self,
        by: ResetBy<'_>,
        password: &Password,
        caller: &Caller,
    ) -> Result<()> {
        let refused = || Error::Rejected(Code::InvalidResetToken);
        let (guess, right) = match by {
            ResetBy::Code(email, digits) => {
                let guess = self.take_guess(email, caller).await?;
                let key = &self.keys.code;
                (guess, code::try_code(&self.db, key, Purpose::Reset, email, digits).await?)
            }
            ResetBy::Link(link) => {
                (self.take_link_try(caller).await?, code::by_link(&self.db, link).await?)
            }
        };
        let Some(right) = right else {
            self.audit_wrong(None, AuditAction::UserResetPassword, caller).await?;
            return Err(refused());
        };
        let hash = self.hasher.hash(password.as_str()).await?;
        let mut tx = self.db.user_tx(right.user_id).await?.caused_by(caller);
        // The order of locks: people, then their codes.
        let found = store::lock_credentials(&tx, right.user_id).await?;
        let user = found.ok_or_else(refused)?.user;
        if !code::consume(&tx, &right).await? {
            return Err(refused());
        }
        store::set_password(&tx, user.id, &hash).await?;
        let is_verified_now = store::verify_email(&tx, user.id).await?.is_some();
        let proves_mailbox = store::prove_mailbox(&tx, user.id).await?;
        // Who signed up by an invitation has proven the mailbox before the address.
        let joins = proves_mailbox || is_verified_now;
        if proves_mailbox {
            // Whoever signed up may have been somebody else: their networks are not the owner's.
            tx.execute(DELETE_NETWORKS, &[&user.id]).await?;
        }
        self.end_sessions(&mut tx, user.id, None).await?;
        store::know_network(&tx, user.id, &self.limits.network_mac(&caller.network)).await?;
        self.give_guess_back(&tx, &guess).await?;
        self.clear_sign_in_failures(&tx, &user.email, caller).await?;
        audit::record(&tx, caller.audit_by(user.id, AuditAction::UserResetPassword));
        let undo = Some(undo::issue(&tx, &self.keys.code, &user, Cause::Password).await?);
        mailer::enqueue_for(&mut tx, &user, |name, at| Message::PasswordReset { name, at, undo })?;
        if joins {
            joining::schedule(&mut tx, user.id).await?;
        }
        tx.commit().await?;
        if joins {
            joining::join_at_once(&self.db, user.id).await;
        }
        Ok(())
    }

    /// The person has proven to be the owner: failed sign-ins of the past no longer count.
    async fn clear_sign_in_failures(&self, tx: &Tx, email: &Email, caller: &Caller) -> Result<()> {
        let account = self.account_bucket(email);
        self.limits.refill(tx, rate_limit::SIGN_IN_ROW, &account).await?;
        self.limits.clear_sign_in(tx, &self.pair_bucket(email, caller)).await
    }
}
