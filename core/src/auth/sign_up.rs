//! Registration and e-mail verification.
//!
//! The person who signs up and the person who reads the mailbox may be two people. A verification joins companies only
//! when both are the same: the token of [`Registered::registration`] or the network proves it. A second registration
//! with an address that nobody has verified replaces everything of the first; so does one with the same document by the
//! same party, who mistyped the address.
//!
//! A registration tells whether an address or a document has an account. So probing is bounded
//! (docs/security.md, "Uniform answers"): an address that asks too often is refused before any look-up, by an answer
//! that tells nothing.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use utoipa::ToSchema;

use super::Auth;
use super::code::{self, Digits, Purpose};
use super::recovery::code_mail::mail_code;
use super::session::sign_in::{SignInContext, refusal_of};
use super::session::token::Tokens;
use crate::audit::{self, AuditAction};
use crate::caller::Caller;
use crate::company::joining;
use crate::db::Tx;
use crate::error::{Code, Error, FieldCode, FieldErrors, Result};
use crate::id::UserId;
use crate::mailer::{self, Message};
use crate::rate_limit::{self, Bucket};
use crate::secret::Key;
use crate::user::store::{self, Consent, NewUser};
use crate::user::{self, Email, Password, Phone, User, UserName, UserStatus};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisterRequest {
    #[schema(min_length = 2, max_length = 200)]
    pub user_name: String,
    #[schema(format = Email, max_length = 254)]
    pub user_email: String,
    /// CPF, with or without its mask.
    #[schema(pattern = r"^[. /-]*([0-9][. /-]*){11}$")]
    pub user_document: String,
    #[schema(min_length = 10, max_length = 32, pattern = r"^\s*\+?[0-9 ()-]+\s*$")]
    pub user_phone: String,
    /// `YYYY-MM-DD`
    #[schema(format = Date)]
    pub user_birth_date: String,
    /// With a small and a capital letter, a digit and one of `#@$!%*?&`.
    #[schema(format = Password, min_length = 8, max_length = 128)]
    pub password: String,
    #[serde(rename = "password_confirmation")]
    pub password_confirmation: String,
    #[serde(rename = "consent_legal_terms")]
    pub consent_legal_terms: bool,
    #[serde(rename = "consent_privacy_terms")]
    pub consent_privacy_terms: bool,
    #[serde(rename = "consent_lgpd_terms")]
    pub consent_lgpd_terms: bool,
    /// Of the invitation that led here; its address must be the one that signs up.
    pub invite_token: Option<String>,
    /// What an earlier sign-up answered, whose address was wrong: its account has the same document and makes room, if
    /// nobody has verified it.
    pub registration: Option<String>,
}

/// A registration whose every field is right.
#[derive(Debug)]
pub struct Registration {
    new: NewUser,
    password: Password,
    /// Its invitation was mailed to the address.
    came_by_mail: bool,
    /// [`Registered::registration`] of an earlier one.
    earlier: Option<String>,
}

/// An account that waits for its verification.
#[derive(Debug)]
pub struct Registered {
    pub user: User,
    /// Proves that the same person registered: to [`Auth::verify_email`], and to a later [`Auth::register`] with the
    /// same document, which replaces this account. Good for nothing else.
    pub registration: String,
}

/// An account whose address is proven.
#[derive(Debug)]
pub struct Verified {
    pub user: User,
    /// For who has registered as well: they chose the password a moment ago, and need not type it again.
    pub tokens: Option<Tokens>,
}

impl Registration {
    pub fn email(&self) -> &Email {
        &self.new.email
    }
}

impl Auth {
    /// Proves that a registration uses the address that the invitation of the token was mailed to.
    ///
    /// # Errors
    /// As [`joining::preview`]; `Invalid` with `userEmail` for another address.
    pub async fn prove_invited(
        &self,
        token: &str,
        registration: Registration,
        caller: &Caller,
    ) -> Result<Registration> {
        let invited = joining::preview(self, token, caller).await?.user_email;
        if invited == registration.email().as_str() {
            return Ok(Registration { came_by_mail: true, ..registration });
        }
        Err(Error::invalid("userEmail", FieldCode::Invalid))
    }

    /// # Errors
    /// `Invalid` with every wrong field at once.
    pub fn parse_registration(&self, raw: &RegisterRequest) -> Result<Registration> {
        let mut errors = FieldErrors::default();
        let name = errors.take("userName", UserName::parse(&raw.user_name));
        let email = errors.take("userEmail", Email::parse(&raw.user_email));
        let document = errors.take("userDocument", user::parse_cpf(&raw.user_document));
        let phone = errors.take("userPhone", Phone::parse(&raw.user_phone));
        let now = self.db.clock().now();
        let birth_date = user::parse_birth_date(&raw.user_birth_date, self.min_age, now);
        let birth_date = errors.take("userBirthDate", birth_date);
        let password = errors.take("password", Password::parse(&raw.password));
        if raw.password_confirmation != raw.password {
            errors.add("password_confirmation", FieldCode::PasswordMismatch);
        }
        let consents = [
            ("consent_legal_terms", raw.consent_legal_terms),
            ("consent_privacy_terms", raw.consent_privacy_terms),
            ("consent_lgpd_terms", raw.consent_lgpd_terms),
        ];
        for (field, given) in consents {
            if !given {
                errors.add(field, FieldCode::ConsentRequired);
            }
        }
        let registration = || {
            let new = NewUser {
                name: name?,
                email: email?,
                document: document?,
                phone: phone?,
                birth_date: birth_date?,
            };
            let earlier = raw.registration.clone();
            Some(Registration { new, password: password?, came_by_mail: false, earlier })
        };
        errors.into_result(registration())
    }

    /// Adds a pending account and mails its address a code. One of the same address that was never verified makes room
    /// for it, and one of the same document and party; neither party learns of the other.
    ///
    /// # Errors
    /// `Conflict` EMAIL_EXISTS or DOCUMENT_EXISTS (one fact, the e-mail first), `TooMany`, also when the address has
    /// got enough mails.
    pub async fn register(
        &self,
        registration: Registration,
        consents: &[Consent; 3],
        caller: &Caller,
    ) -> Result<Registered> {
        let ip = self.limits.bucket(&["ip", &caller.network]);
        self.limits.take(&self.db, &[(rate_limit::REGISTER, &ip)]).await?;
        self.count_answer(&ip).await?;
        let mistyped = self.mistyped(&registration).await?;
        if let Some(known) = self.known(&registration.new, mistyped).await? {
            return Err(self.existence(known, &registration.new.email).await);
        }
        self.uncount_answer(&ip).await?;
        let password = registration.password.as_str();
        let hash = self.hasher.hash(password).await?;
        let mut tx = self.db.tx().await?.caused_by(caller);
        // Two registrations of one address wait for each other here: the later one replaces the earlier.
        self.take_first_code_mail(&tx, &registration.new.email).await?;
        store::drop_pending(&tx, &registration.new.email, mistyped).await?;
        let user = match store::insert(&tx, &registration.new, &hash).await {
            // Verified or registered with the same document since the look-up: the constraint says what that could not.
            Err(Error::Conflict(code, _)) => {
                drop(tx);
                self.count_answer(&ip).await?;
                return Err(self.existence(code, &registration.new.email).await);
            }
            other => other?,
        };
        for consent in consents {
            store::record_consent(&tx, user.id, consent, &caller.ip).await?;
        }
        if registration.came_by_mail {
            store::prove_mailbox(&tx, user.id).await?;
        }
        store::know_network(&tx, user.id, &self.limits.network_mac(&caller.network)).await?;
        mail_code(&mut tx, &self.keys.code, &user, Purpose::Verification).await?;
        audit::record(&tx, caller.audit_by(user.id, AuditAction::UserRegister));
        tx.commit().await?;
        let registration = Self::registration_of(self.keys.code.newest(), &user);
        Ok(Registered { user, registration })
    }

    /// Row 7 of docs/security.md, "Limits": a registration mails a code as well.
    async fn take_first_code_mail(&self, tx: &Tx, email: &Email) -> Result<()> {
        // The order of locks: the pause, then the address, as `begin_code_mail` gives back.
        let pause = self.code_mail_pause(email, Purpose::Verification);
        for rule in [rate_limit::CODE_MAIL_PAUSE, rate_limit::CODE_MAIL_PAUSE_KNOWN] {
            self.limits.try_take(tx, rule, &pause).await?;
        }
        let account = self.account_bucket(email);
        for rule in rate_limit::CODE_MAIL_ADDRESS {
            self.limits.take_within(tx, rule, &account).await?;
        }
        Ok(())
    }

    /// Names one registration: another one of the same address is another account.
    fn registration_of(key: &Key, user: &User) -> String {
        let at = user.created_at.as_microsecond().to_be_bytes();
        URL_SAFE_NO_PAD.encode(key.mac(&[b"registration", user.id.0.as_bytes(), &at]))
    }

    /// Row 6 of docs/security.md, "Limits": takes the tokens of an answer that tells, before anything is looked up, so
    /// that questions at once count as well. 429 for a network that has learnt enough.
    async fn count_answer(&self, ip: &Bucket) -> Result<()> {
        self.limits.take(&self.db, &rate_limit::EXISTENCE.map(|rule| (rule, ip))).await
    }

    /// Nothing was told.
    async fn uncount_answer(&self, ip: &Bucket) -> Result<()> {
        let tx = self.db.tx().await?;
        for rule in rate_limit::EXISTENCE {
            self.limits.give_back(&tx, rule, ip).await?;
        }
        tx.commit().await
    }

    /// The unverified account of an earlier registration of the same party with the same document.
    async fn mistyped(&self, registration: &Registration) -> Result<Option<UserId>> {
        let Some(earlier) = &registration.earlier else { return Ok(None) };
        let tx = self.db.tx().await?;
        let pending = store::pending_with(&tx, &registration.new.document).await?;
        let is_earlier = |user: &User| {
            let make = |key: &Key| Self::registration_of(key, user);
            self.keys.code.any_gives(earlier.as_bytes(), make)
        };
        Ok(pending.filter(|found| is_earlier(&found.user)).map(|found| found.user.id))
    }

    /// `mistyped` makes room.
    async fn known(&self, new: &NewUser, mistyped: Option<UserId>) -> Result<Option<Code>> {
        let tx = self.db.tx().await?;
        let found = store::by_email(&tx, &new.email).await?;
        let has_email = found.is_some_and(|found| found.user.status != UserStatus::Pending);
        let has_cpf = store::has_cpf(&tx, &new.document, &new.email, mistyped).await?;
        Ok(match (has_email, has_cpf) {
            (true, _) => Some(Code::EmailExists),
            (false, true) => Some(Code::DocumentExists),
            (false, false) => None,
        })
    }

    /// The answer that tells: the owner of the address hears of it once a day.
    async fn existence(&self, code: Code, email: &Email) -> Error {
        if code == Code::EmailExists
            && let Err(error) = self.notify_owner(email).await
        {
            return error;
        }
        Error::conflict(code)
    }

    async fn notify_owner(&self, email: &Email) -> Result<()> {
        let mut tx = self.db.tx().await?;
        let owner = self.limits.bucket(&["email", email.as_str()]);
        let was_notified =
            self.limits.try_take(&tx, rate_limit::EXISTS_NOTICE, &owner).await?.is_some();
        if !was_notified && let Some(found) = store::by_email(&tx, email).await? {
            let message = |name, _| Message::AlreadyRegistered { name };
            mailer::enqueue_for(&mut tx, &found.user, message)?;
        }
        tx.commit().await
    }

    /// Proves an address by its code; the account becomes active. It becomes a member where the address was invited,
    /// if whoever verifies has also registered: they show the `registration`, or none and come from its network. Only
    /// the `registration` starts a session: the code alone proves the mailbox and not the password, and so does a
    /// network.
    ///
    /// # Errors
    /// `Rejected(INVALID_VERIFICATION_CODE)` for an unknown address, a dead, expired or wrong code and the registration
    /// of another account alike, `Conflict(EMAIL_ALREADY_VERIFIED)`, `TooMany`.
    pub async fn verify_email(
        &self,
        email: &Email,
        digits: &Digits,
        registration: Option<&str>,
        caller: &Caller,
    ) -> Result<Verified> {
        let ip = self.limits.bucket(&["ip", &caller.network]);
        let (mut tokens, is_known) = self.guess_tokens(email, caller).await?;
        // Those of an answer that tells: with the guess they are taken all or none, and given back.
        tokens.extend(rate_limit::EXISTENCE.map(|rule| (rule, ip.clone())));
        let guess = self.take_guesses(tokens, is_known).await?;
        let right =
            code::try_code(&self.db, &self.keys.code, Purpose::Verification, email, digits).await?;
        let Some(right) = right else { return Err(self.not_verified(email, &ip, caller).await) };
        let mut tx = self.db.user_tx(right.user_id).await?.caused_by(caller);
        // The order of locks: people, then their codes.
        let found = store::lock_credentials(&tx, right.user_id).await?;
        let is_same_party = match (registration, &found) {
            (Some(given), Some(found)) => {
                let make = |key: &Key| Self::registration_of(key, &found.user);
                self.keys.code.any_gives(given.as_bytes(), make)
            }
            (Some(_), None) => false,
            (None, _) => guess.is_known,
        };
        let is_another = registration.is_some() && !is_same_party;
        if is_another || !code::consume(&tx, &right).await? {
            drop(tx);
            return Err(self.not_verified(email, &ip, caller).await);
        }
        let user = store::verify_email(&tx, right.user_id).await?;
        let user = user.ok_or_else(|| Error::conflict(Code::EmailAlreadyVerified))?;
        if is_same_party {
            store::prove_mailbox(&tx, user.id).await?;
        }
        self.give_guess_back(&tx, &guess).await?;
        audit::record(&tx, caller.audit_by(user.id, AuditAction::UserVerifyEmail));
        joining::schedule(&mut tx, user.id).await?;
        let has_registered = registration.is_some() && is_same_party;
        let has_second_factor = found.is_some_and(|found| found.has_second_factor);
        let mut tokens = None;
        if has_registered && !has_second_factor && refusal_of(&user).is_none() {
            let is_known = guess.is_known;
            let context = SignInContext { caller, is_known, shows_second_factor: false };
            tokens = Some(self.start_session(&mut tx, &user, context).await?);
        }
        tx.commit().await?;
        joining::join_at_once(&self.db, user.id).await;
        Ok(Verified { user, tokens })
    }

    async fn not_verified(&self, email: &Email, ip: &Bucket, caller: &Caller) -> Error {
        let answer = async {
            let found = store::by_email(&self.db.tx().await?, email).await?;
            if found.is_some_and(|found| found.user.email_verified) {
                return Ok(Error::conflict(Code::EmailAlreadyVerified));
            }
            self.uncount_answer(ip).await?;
            self.audit_wrong(None, AuditAction::UserVerifyEmail, caller).await?;
            Ok::<_, Error>(Error::Rejected(Code::InvalidVerificationCode))
        };
        answer.await.unwrap_or_else(|error| error)
    }
}
