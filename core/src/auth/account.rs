//! The account of the signed-in person, and the first platform administrator.

use super::Auth;
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::brazil::cpf::Cpf;
use crate::caller::Caller;
use crate::clock::Clock;
use crate::company;
use crate::config::{Config, DEMO_ADMIN_EMAIL, DEMO_ADMIN_PASSWORD};
use crate::error::{Code, Error, FieldErrors, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::scope::SignedIn;
use crate::user::store::{self, NewUser};
use crate::user::{Email, Password, Phone, User, UserName};

const ADMIN_NAME: &str = "Administrador";
const ADMIN_PHONE: &str = "(11) 0000-0000";

impl Auth {
    /// `GET /me`.
    pub async fn me(&self, who: SignedIn) -> Result<User> {
        let user = store::find(&self.db.tx().await?, who.user_id).await?;
        user.ok_or_else(Error::signed_out)
    }

    /// `PUT /me`. The other tabs of the person, and the companies that show the name, learn of it.
    ///
    /// # Errors
    /// `Invalid` with the fields.
    pub async fn edit_me(
        &self,
        who: SignedIn,
        name: &str,
        phone: &str,
        caller: &Caller,
    ) -> Result<User> {
        let mut errors = FieldErrors::default();
        let name = errors.take("userName", UserName::parse(name));
        let phone = errors.take("userPhone", Phone::parse(phone));
        let (name, phone) = errors.into_result(name.zip(phone))?;
        // As the platform: the companies of the person see the new name.
        let mut tx = self.db.platform_tx(&self.platform).await?.caused_by(caller);
        // Locked, so that nobody changes the row between this read and the write.
        let before = store::lock_credentials(&tx, who.user_id).await?;
        let before = before.ok_or_else(Error::signed_out)?.user;
        let user = store::edit(&tx, who.user_id, &name, &phone).await?;
        let user = user.ok_or_else(Error::signed_out)?;
        let fields = audit::changed([
            (AuditField::UserName, before.name != user.name),
            (AuditField::UserPhone, before.phone != user.phone),
        ]);
        if fields.contains(&AuditField::UserName) {
            company::admin_store::announce_member(&mut tx, user.id).await?;
        }
        if !fields.is_empty() {
            let channel = Channel::User(user.id);
            tx.emit(NewEvent::new(channel, EventName::MembershipChanged, user.id, &())?);
        }
        let entry = caller.audit_of(who, AuditAction::UserEdit);
        audit::record(&tx, Entry { fields: &fields, ..entry });
        tx.commit().await?;
        Ok(user)
    }

    /// Creates the first platform administrator where there is none: the configured one, or in development the
    /// demo one. True when people may sign in with the demo address.
    ///
    /// # Errors
    /// As [`Auth::create_admin`].
    pub async fn first_admin(&self, config: &Config) -> Result<bool> {
        let configured = config.admin_email.as_deref().zip(config.admin_password.as_ref());
        let (email, password) = match configured {
            Some((email, password)) => (email, password.expose()),
            None if config.is_production() => return Ok(false),
            None => (DEMO_ADMIN_EMAIL, DEMO_ADMIN_PASSWORD),
        };
        let demo = Email::parse(DEMO_ADMIN_EMAIL).map_err(|_| Error::internal("demo address"))?;
        let (has_admin, has_demo) = {
            let tx = self.db.tx().await?;
            (store::has_platform_admin(&tx).await?, store::by_email(&tx, &demo).await?.is_some())
        };
        if has_admin {
            return Ok(has_demo && !config.is_production());
        }
        let made = self.create_admin(email, password).await;
        let has_account = matches!(made, Err(Error::Conflict(Code::EmailExists, _)));
        // Another node that starts at the same moment may have been quicker.
        if !has_account || !self.has_platform_admin().await? {
            made?;
        }
        Ok(configured.is_none())
    }

    async fn has_platform_admin(&self) -> Result<bool> {
        store::has_platform_admin(&self.db.tx().await?).await
    }

    /// Adds a platform administrator with a verified address.
    ///
    /// # Errors
    /// `Invalid` for an address or a password that no registration would accept, `Conflict(EMAIL_EXISTS)`.
    pub async fn create_admin(&self, email: &str, password: &str) -> Result<User> {
        let mut errors = FieldErrors::default();
        let email = errors.take("userEmail", Email::parse(email));
        let password = errors.take("password", Password::parse(password));
        let (email, password) = errors.into_result(email.zip(password))?;
        let invalid = |code| Error::invalid("user", code);
        let new = NewUser {
            name: UserName::parse(ADMIN_NAME).map_err(invalid)?,
            email,
            document: synthetic_cpf(self.db.clock())?,
            phone: Phone::parse(ADMIN_PHONE).map_err(invalid)?,
            birth_date: jiff::civil::date(1980, 1, 1),
        };
        let hash = self.hasher.hash(password.as_str()).await?;
        let tx = self.db.tx().await?;
        let user = store::insert(&tx, &new, &hash).await?;
        store::make_platform_admin(&tx, user.id).await?;
        audit::record(&tx, Entry::of(AuditAction::AdminCreate).about(user.id));
        tx.commit().await?;
        Ok(user)
    }
}

/// An administrator of the platform has no CPF here, and an erased person none any more: eleven digits that
/// nobody has, because their check digits are wrong.
pub(super) fn synthetic_cpf(clock: &Clock) -> Result<Cpf> {
    loop {
        let (high, low) = (clock.below(1_000_000), clock.below(100_000));
        let document = Cpf::parse(&format!("{high:06}{low:05}"));
        let document = document.ok_or_else(|| Error::internal("eleven digits are a document"))?;
        if !document.has_valid_check_digits() {
            return Ok(document);
        }
    }
}
