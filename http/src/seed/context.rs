//! The actions of people in a demo, one function for each: accounts, companies, plans and payments against the sandbox.
//! They call the functions that requests call, with two shortcuts: all passwords share one hash, and addresses are
//! verified without a mailed code.

use bipe_actors::billing_workflow::PaymentOutcome;
use bipe_actors::{Actors, saved_cards};
use bipe_core::audit::{self, AuditAction};
use bipe_core::auth::{Auth, session};
use bipe_core::caller::Caller;
use bipe_core::clock::Clock;
use bipe_core::company::{self, Author, InviteOutcome, NewInvite, Profile, invites, joining};
use bipe_core::db::Db;
use bipe_core::error::{Error, Result};
use bipe_core::gateway::Payer;
use bipe_core::id::{CompanyId, PaymentId, UserId};
use bipe_core::money::{Cents, Reais};
use bipe_core::payment::command::StartPayment;
use bipe_core::payment::{PaymentStatus, renewal_consent};
use bipe_core::payment_method::{Address, Method, MethodDetails};
use bipe_core::plan::Plan;
use bipe_core::scope::{CompanyScope, Permission, Role, SignedIn};
use bipe_core::subscription;
use bipe_core::subscription::command::{self, PlanChoice};
use bipe_core::subscription::decide::{EndAt, Endpoint};
use bipe_core::subscription::view::SubscriptionView;
use bipe_core::user::store::{self as users, Consent, NewUser};
use bipe_core::user::{Email, Phone, UserName};
use bipe_sandbox::Sandbox;
use jiff::Timestamp;

use super::names;

/// Cards made in a year still pay in the next ones.
const EXPIRES_AFTER: i16 = 4;

pub struct SeedContext {
    pub db: Db,
    pub auth: Auth,
    pub actors: Actors,
    pub sandbox: Sandbox,
    /// On sale, by hierarchy.
    pub plans: Vec<Plan>,
    /// The hash of the one password of all accounts.
    pub password_hash: String,
    /// What everybody agrees to.
    pub consents: [Consent; 3],
    pub caller: Caller,
}

/// The person who acts, and the company.
#[derive(Clone, Copy, Debug)]
pub struct ActingMember {
    pub who: SignedIn,
    pub company: CompanyId,
}

/// A payment that waits for its payer.
#[derive(Clone, Debug)]
pub struct OpenPayment {
    pub payment: PaymentId,
    intent: String,
}

impl SeedContext {
    pub fn clock(&self) -> &Clock {
        self.db.clock()
    }

    pub fn now(&self) -> Timestamp {
        self.clock().now()
    }

    /// Registers the person of a number, who proves the address where `verifies`; invitations are joined.
    pub async fn register(&self, number: usize, verifies: bool) -> Result<UserId> {
        let wrong = |code| Error::invalid("demo", code);
        let day = i8::try_from(number % 28).unwrap_or(0) + 1;
        let year = i16::try_from(number % 35).unwrap_or(0) + 1965;
        let new = NewUser {
            name: UserName::parse(&names::person(number)).map_err(wrong)?,
            email: Email::parse(&names::email(number)).map_err(wrong)?,
            document: names::document(number).ok_or_else(|| Error::internal("no document"))?,
            phone: Phone::parse(&names::phone(number)).map_err(wrong)?,
            birth_date: jiff::civil::date(year, 5, day),
        };
        let tx = self.db.tx().await?;
        let user = users::insert(&tx, &new, &self.password_hash).await?.id;
        for consent in &self.consents {
            users::record_consent(&tx, user, consent, &self.caller.ip).await?;
        }
        audit::record(&tx, self.caller.audit_by(user, AuditAction::UserRegister));
        if verifies {
            users::verify_email(&tx, user).await?;
            users::prove_mailbox(&tx, user).await?;
            audit::record(&tx, self.caller.audit_by(user, AuditAction::UserVerifyEmail));
        }
        tx.commit().await?;
        if verifies {
            joining::join_all(&self.db, user).await?;
        }
        Ok(user)
    }

    pub async fn sign_in(&self, user: UserId) -> Result<SignedIn> {
        let mut tx = self.db.tx().await?;
        let (session_id, _) = session::start(&mut tx, user, &self.caller).await?;
        users::note_sign_in(&tx, user).await?;
        let who = SignedIn { user_id: user, session_id };
        audit::record(&tx, self.caller.audit_of(who, AuditAction::SessionStart));
        tx.commit().await?;
        Ok(who)
    }

    pub async fn create_company(&self, who: SignedIn, name: &str) -> Result<ActingMember> {
        let profile = Profile::parse(name, Some("Ponto de distribuição de encomendas"))?;
        let made = company::store::create(&self.db, who, &profile, &self.caller).await?;
        Ok(ActingMember { who, company: made.company.id })
    }

    async fn scope(&self, member: ActingMember, permission: Permission) -> Result<CompanyScope> {
        CompanyScope::prove(&self.db, member.who, member.company, permission).await
    }

    /// Mails the person of a number an invitation.
    pub async fn invite(
        &self,
        member: ActingMember,
        number: usize,
        role: Role,
    ) -> Result<InviteOutcome> {
        let scope = self.scope(member, Permission::ManageMembers).await?;
        let new = NewInvite::parse(&names::email(number), role.as_str())?;
        let by = Author { who: member.who, caller: &self.caller };
        invites::invite(&self.auth, &scope, &new, by).await
    }

    pub async fn subscription(&self, member: ActingMember) -> Result<Option<SubscriptionView>> {
        let scope = self.scope(member, Permission::ReadSubscription).await?;
        let tx = self.db.company_tx(&scope).await?;
        subscription::current_view::read(&tx).await
    }

    /// A choice that costs nothing now.
    pub async fn choose(
        &self,
        member: ActingMember,
        endpoint: Endpoint,
        choice: Option<PlanChoice>,
    ) -> Result<()> {
        let scope = self.scope(member, Permission::ManageSubscription).await?;
        let mut tx = self.db.company_tx(&scope).await?;
        command::choose(&mut tx, endpoint, choice, None).await?;
        tx.commit().await
    }

    pub async fn cancel(&self, member: ActingMember, when: EndAt, reason: &str) -> Result<()> {
        let scope = self.scope(member, Permission::ManageSubscription).await?;
        let mut tx = self.db.company_tx(&scope).await?;
        command::cancel(&mut tx, when, Some(reason)).await?;
        tx.commit().await
    }

    /// Begins the payment of a choice at the price of its preview; none when nothing is due. Whoever pays by a
    /// `new_card` agrees to its renewals.
    pub async fn begin(
        &self,
        member: ActingMember,
        choice: PlanChoice,
        details: MethodDetails,
        new_card: bool,
    ) -> Result<Option<OpenPayment>> {
        let scope = self.scope(member, Permission::ManagePayments).await?;
        let tx = self.db.company_tx(&scope).await?;
        let preview = command::preview(&tx, choice).await?;
        tx.commit().await?;
        let Reais(amount) = preview.billing.amount_due;
        if amount == Cents::ZERO {
            return Ok(None);
        }
        let start = StartPayment {
            scope,
            request_id: None,
            key: None,
            amount,
            plan_id: choice.plan_id,
            cycle: choice.cycle,
            quote_id: Some(preview.quote_id),
            payer: Payer { name: "Financeiro".into(), email: "pague@demo.bipe.localhost".into() },
            details,
            replace: true,
            source: None,
            renewal_consent: new_card.then_some(renewal_consent::CURRENT),
        };
        match self.actors.directory.start(start, None).await? {
            PaymentOutcome::Payment { view, .. } => {
                let intent = view.transaction_id.ok_or_else(|| Error::unavailable(1))?;
                Ok(Some(OpenPayment { payment: view.id, intent }))
            }
            PaymentOutcome::Refused { error, .. } => Err(error),
            PaymentOutcome::Replay { .. }
            | PaymentOutcome::Unread(_)
            | PaymentOutcome::Foreign(_) => Err(Error::unavailable(1)),
        }
    }

    /// The payer confirms at the bank; false when the card is declined.
    pub async fn confirm(&self, member: ActingMember, begun: &OpenPayment) -> Result<bool> {
        self.sandbox.confirm_card(&begun.intent);
        self.is_paid(member, begun).await
    }

    /// A PIX or boleto is paid, or its time runs out.
    pub async fn settle(
        &self,
        member: ActingMember,
        begun: &OpenPayment,
        is_paid: bool,
    ) -> Result<bool> {
        self.sandbox.end_voucher(&begun.intent, is_paid);
        self.is_paid(member, begun).await
    }

    /// Reads the payment at the provider, as a webhook makes it be read.
    async fn is_paid(&self, member: ActingMember, begun: &OpenPayment) -> Result<bool> {
        match self.actors.directory.read(member.company, begun.payment).await? {
            PaymentOutcome::Payment { view, .. } => Ok(view.status == PaymentStatus::Success),
            PaymentOutcome::Refused { error, .. } => Err(error),
            PaymentOutcome::Replay { .. }
            | PaymentOutcome::Unread(_)
            | PaymentOutcome::Foreign(_) => Ok(false),
        }
    }

    pub fn card(&self, number: &str) -> Result<String> {
        let year = bipe_core::brazil::local_date(self.now()).year() + EXPIRES_AFTER;
        let made = self.sandbox.type_card(number, year);
        made.ok_or_else(|| Error::internal("the sandbox makes no card"))
    }

    /// Saves a card and makes it the one that renews.
    pub async fn change_card(&self, member: ActingMember, number: &str) -> Result<String> {
        let scope = self.scope(member, Permission::ManagePayments).await?;
        let card = self.card(number)?;
        let steps = self.actors.directory.steps();
        let consent = Some(renewal_consent::CURRENT);
        saved_cards::save(steps, scope, card.clone(), consent, None).await?;
        saved_cards::prefer(steps, &scope, card.clone(), None).await?;
        Ok(card)
    }
}

/// What a payer gives; `card` counts for a card alone.
pub fn details(method: Method, card: &str) -> MethodDetails {
    match method {
        Method::CreditCard => MethodDetails::Card { payment_method: card.to_owned(), save: true },
        Method::Pix => MethodDetails::Pix,
        // The seeds pay by three methods.
        _ => MethodDetails::Boleto {
            tax_id: "00000000000".into(),
            address: Address {
                line1: "Rua das Encomendas, 100".into(),
                city: "São Paulo".into(),
                state: "SP".into(),
                postal_code: "01310100".into(),
            },
        },
    }
}
