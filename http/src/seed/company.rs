//! One company of a demo. Its own dice decide for its people, so that its year does not depend on other companies.
//! `act` does one thing and returns when the next things are due.

use bipe_core::brazil;
use bipe_core::error::{Error, Result};
use bipe_core::id::UserId;
use bipe_core::payment_method::Method;
use bipe_core::plan::BillingCycle;
use bipe_core::scope::Role;
use bipe_core::subscription::Status;
use bipe_core::subscription::command::PlanChoice;
use bipe_core::subscription::decide::{EndAt, Endpoint};
use bipe_core::subscription::view::SubscriptionView;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::context::{ActingMember, OpenPayment, SeedContext, details};
use super::names::{self, Dice, PEOPLE};

const GOOD_CARDS: [&str; 4] =
    ["4242424242424242", "5555555555554444", "4000000760000002", "378282246310005"];
const DECLINED_CARD: &str = "4000000000009995";
/// Can be saved, and every charge fails.
const FAILING_CARD: &str = "4000000000000341";
/// The places of the catalogue that are sold.
const SMALLEST: usize = 1;
const LARGEST: usize = 3;
/// Hours.
const DAY: i64 = 24;
const REASONS: [&str; 4] =
    ["Ficou caro para nós.", "Vamos fechar este ponto.", "Mudamos de sistema.", "Usamos pouco."];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    CreateCompany,
    Invite(usize),
    Join(usize),
    SignIn(usize),
    Buy,
    /// The open PIX or boleto is paid, or runs out.
    Settle(bool),
    /// Somebody decides what to do with the subscription.
    Think,
    /// Somebody decides what to do about a payment that failed.
    Recover,
    /// A cancellation is regretted.
    Regret,
    /// A subscription had ended.
    Return,
}

/// Acts that an act leads to, with their instants.
pub type FutureActs = Vec<(Timestamp, Act)>;

pub struct Company {
    number: usize,
    dice: Dice,
    method: Method,
    cycle: BillingCycle,
    /// Place in the catalogue.
    plan: usize,
    members: usize,
    member: Option<ActingMember>,
    people: Vec<Option<UserId>>,
    open: Option<(OpenPayment, usize)>,
    card: Option<String>,
    has_left: bool,
}

impl Company {
    pub fn new(seed: u64, number: usize) -> Self {
        let mut dice = Dice::new(seed, u64::try_from(number).unwrap_or(0) + 1);
        let method = match dice.between(0, 99) {
            0..58 => Method::CreditCard,
            58..86 => Method::Pix,
            _ => Method::BankSlip,
        };
        let cycle = match dice.between(0, 99) {
            0..72 => BillingCycle::Monthly,
            72..90 => BillingCycle::Quarterly,
            _ => BillingCycle::Yearly,
        };
        let plan = match dice.between(0, 99) {
            0..52 => SMALLEST,
            52..84 => SMALLEST + 1,
            _ => LARGEST,
        };
        let members = usize::try_from(dice.between(0, 4)).unwrap_or(0);
        let (member, people, open, card) = (None, vec![None; PEOPLE], None, None);
        let has_left = false;
        Self { number, dice, method, cycle, plan, members, member, people, open, card, has_left }
    }

    /// Its founder's address.
    pub fn email(&self) -> String {
        names::email(self.number * PEOPLE)
    }

    /// Has a card that renews, and is still a customer.
    pub fn pays_by_card(&self) -> bool {
        self.card.is_some() && !self.has_left
    }

    fn member(&self) -> Result<ActingMember> {
        self.member.ok_or_else(|| Error::internal("a company of the demo acts before it exists"))
    }

    /// So many hours from now.
    fn after(&mut self, context: &SeedContext, low: i64, high: i64) -> Timestamp {
        let seconds = self.dice.between(low * 3600, high * 3600).max(60);
        context.now().saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
    }

    /// The same in whole days, at an hour at which offices are open.
    fn on_a_day(&mut self, from: Timestamp, low: i64, high: i64) -> Timestamp {
        let day = brazil::local_date(from).saturating_add(self.dice.between(low, high).days());
        let (minute, second) = (self.dice.between(8 * 60, 20 * 60), self.dice.between(0, 59));
        let opened = brazil::day_start(day);
        opened.saturating_add(SignedDuration::from_secs(minute * 60 + second)).unwrap_or(opened)
    }

    fn choice(&self, context: &SeedContext, plan: usize) -> Result<PlanChoice> {
        let plan = context.plans.get(plan).ok_or_else(|| Error::internal("no such plan"))?;
        Ok(PlanChoice { plan_id: plan.id, cycle: self.cycle })
    }

    /// # Errors
    /// Events that no person causes. A refusal by the product is part of the year.
    pub async fn act(&mut self, context: &SeedContext, act: Act) -> Result<FutureActs> {
        let done = match act {
            Act::CreateCompany => self.create(context).await,
            Act::Invite(place) => self.invite(context, place).await,
            Act::Join(place) => self.join(context, place).await,
            Act::SignIn(place) => self.sign_in(context, place).await,
            Act::Buy => self.buy(context, self.plan).await,
            Act::Settle(is_paid) => self.settle(context, is_paid).await,
            Act::Think => self.think(context).await,
            Act::Recover => self.recover(context).await,
            Act::Regret => self.regret(context).await,
            Act::Return => self.come_back(context).await,
        };
        match done {
            Err(Error::Conflict(..) | Error::PaymentRequired { .. }) => {
                let is_about_people = matches!(act, Act::Invite(_) | Act::Join(_) | Act::SignIn(_));
                let again = (self.on_a_day(context.now(), 4, 12), Act::Think);
                Ok(if is_about_people { FutureActs::new() } else { vec![again] })
            }
            done => done,
        }
    }

    async fn create(&mut self, context: &SeedContext) -> Result<FutureActs> {
        let founder = context.register(self.number * PEOPLE, true).await?;
        let who = context.sign_in(founder).await?;
        self.member = Some(context.create_company(who, &names::company(self.number)).await?);
        if let Some(place) = self.people.first_mut() {
            *place = Some(founder);
        }
        let mut later = vec![(self.on_a_day(context.now(), 3, 20), Act::SignIn(0))];
        for place in 1..=self.members {
            later.push((self.on_a_day(context.now(), 1, 40), Act::Invite(place)));
        }
        match self.dice.between(0, 99) {
            0..76 => later.push((self.after(context, 0, 9 * DAY), Act::Buy)),
            76..90 => {
                let free = self.choice(context, 0)?;
                context.choose(self.member()?, Endpoint::Create, Some(free)).await?;
                later.push((self.on_a_day(context.now(), 20, 45), Act::Think));
            }
            _ => {}
        }
        Ok(later)
    }

    async fn invite(&mut self, context: &SeedContext, place: usize) -> Result<FutureActs> {
        let role = match self.dice.between(0, 9) {
            0..6 => Role::Operator,
            6..9 => Role::Finance,
            _ => Role::Admin,
        };
        context.invite(self.member()?, self.number * PEOPLE + place, role).await?;
        // Some never answer, some answer too late.
        let joins = self.dice.falls(850);
        let at = self.on_a_day(context.now(), 0, 7);
        Ok(if joins { vec![(at, Act::Join(place))] } else { FutureActs::new() })
    }

    async fn join(&mut self, context: &SeedContext, place: usize) -> Result<FutureActs> {
        let user = context.register(self.number * PEOPLE + place, true).await?;
        context.sign_in(user).await?;
        if let Some(slot) = self.people.get_mut(place) {
            *slot = Some(user);
        }
        Ok(vec![(self.on_a_day(context.now(), 2, 25), Act::SignIn(place))])
    }

    async fn sign_in(&mut self, context: &SeedContext, place: usize) -> Result<FutureActs> {
        let Some(user) = self.people.get(place).copied().flatten() else {
            return Ok(FutureActs::new());
        };
        if self.has_left && self.dice.falls(800) {
            return Ok(FutureActs::new());
        }
        let who = context.sign_in(user).await?;
        if let Some(member) = self.member.as_mut().filter(|_| place == 0) {
            member.who = who;
        }
        let (low, high) = if self.dice.falls(750) { (9, 28) } else { (25, 75) };
        Ok(vec![(self.on_a_day(context.now(), low, high), Act::SignIn(place))])
    }

    /// Pays for a plan of the catalogue; a choice that costs nothing is made at once.
    async fn buy(&mut self, context: &SeedContext, plan: usize) -> Result<FutureActs> {
        let member = self.member()?;
        let choice = self.choice(context, plan)?;
        let is_declined = self.card.is_none() && self.dice.falls(90);
        let card = match (self.method, &self.card) {
            (Method::CreditCard, Some(card)) => card.clone(),
            (Method::CreditCard, None) => {
                let good = self.dice.pick(&GOOD_CARDS);
                context.card(if is_declined { DECLINED_CARD } else { good })?
            }
            _ => String::new(),
        };
        let details = details(self.method, &card);
        let new_card = self.method == Method::CreditCard && self.card.is_none();
        let Some(begun) = context.begin(member, choice, details, new_card).await? else {
            let endpoint = if plan >= self.plan { Endpoint::Upgrade } else { Endpoint::Downgrade };
            context.choose(member, endpoint, Some(choice)).await?;
            self.plan = plan;
            return self.paid(context).await;
        };
        match self.method {
            Method::CreditCard if context.confirm(member, &begun).await? => {
                self.card = Some(card);
                self.plan = plan;
                self.paid(context).await
            }
            // Another try, another card.
            Method::CreditCard => Ok(vec![(self.after(context, 1, 50), Act::Buy)]),
            Method::Pix => {
                self.open = Some((begun, plan));
                let is_paid = self.dice.falls(930);
                let at =
                    if is_paid { self.after(context, 0, 3) } else { self.after(context, 24, 24) };
                Ok(vec![(at, Act::Settle(is_paid))])
            }
            _ => {
                self.open = Some((begun, plan));
                let is_paid = self.dice.falls(900);
                let (low, high) = if is_paid { (1, 2) } else { (6, 6) };
                Ok(vec![(self.on_a_day(context.now(), low, high), Act::Settle(is_paid))])
            }
        }
    }

    async fn settle(&mut self, context: &SeedContext, is_paid: bool) -> Result<FutureActs> {
        let Some((begun, plan)) = self.open.take() else { return Ok(FutureActs::new()) };
        if context.settle(self.member()?, &begun, is_paid).await? {
            self.plan = plan;
            return self.paid(context).await;
        }
        let tries_again = self.dice.falls(700);
        let at = self.on_a_day(context.now(), 0, 2);
        Ok(if tries_again { vec![(at, Act::Recover)] } else { self.ended(context) })
    }

    /// A payment has succeeded: the next decision comes before its period ends.
    async fn paid(&mut self, context: &SeedContext) -> Result<FutureActs> {
        self.has_left = false;
        let view = context.subscription(self.member()?).await?;
        Ok(vec![(self.next_thought(context, view.as_ref()), Act::Think)])
    }

    fn next_thought(
        &mut self,
        context: &SeedContext,
        view: Option<&SubscriptionView>,
    ) -> Timestamp {
        let soon = self.on_a_day(context.now(), 20, 40);
        let Some(end) = view.and_then(|view| view.next_billing_date) else { return soon };
        if self.method == Method::CreditCard {
            return soon;
        }
        let days = if self.dice.falls(700) { (-3, 0) } else { (1, 2) };
        let at = self.on_a_day(end, days.0, days.1);
        let in_time = if at > context.now() { at } else { self.after(context, 2, 20) };
        // A long period has decisions of its own.
        if in_time > self.on_a_day(context.now(), 45, 45) { soon } else { in_time }
    }

    async fn think(&mut self, context: &SeedContext) -> Result<FutureActs> {
        let member = self.member()?;
        let Some(view) = context.subscription(member).await? else { return Ok(FutureActs::new()) };
        match view.status {
            Status::Active if self.open.is_none() => {}
            Status::Active | Status::Suspended => {
                return Ok(vec![(self.on_a_day(context.now(), 1, 2), Act::Think)]);
            }
            Status::Expired => return Ok(self.ended(context)),
            Status::Canceled | Status::Pending => return Ok(FutureActs::new()),
        }
        let Some(end) = view.next_billing_date else { return self.outgrow_free(context).await };
        let mut later = vec![(self.next_thought(context, Some(&view)), Act::Think)];
        match self.dice.between(0, 999) {
            0..32 => later = self.cancel(context, EndAt::PeriodEnd, end).await?,
            32..38 => later = self.cancel(context, EndAt::Now, context.now()).await?,
            38..100 if self.plan < LARGEST && view.pending_change.is_none() => {
                later = self.buy(context, self.plan + 1).await?;
            }
            100..128 if self.plan > SMALLEST && view.pending_change.is_none() => {
                let lower = self.choice(context, self.plan - 1)?;
                context.choose(member, Endpoint::Downgrade, Some(lower)).await?;
                self.plan -= 1;
            }
            128..195 if self.method == Method::CreditCard => {
                self.card = Some(context.change_card(member, FAILING_CARD).await?);
                later = vec![(self.on_a_day(end, 1, 12), Act::Recover)];
            }
            128..190 => later = vec![(self.on_a_day(end, 4, 13), Act::Recover)],
            _ => later = self.renew(context, end, later).await?,
        }
        Ok(later)
    }

    /// A company that pays by hand renews shortly before or after the end of the period.
    async fn renew(
        &mut self,
        context: &SeedContext,
        end: Timestamp,
        later: FutureActs,
    ) -> Result<FutureActs> {
        let is_near = end.duration_since(context.now()) < SignedDuration::from_hours(4 * DAY);
        if self.method == Method::CreditCard || !is_near {
            return Ok(later);
        }
        self.buy(context, self.plan).await
    }

    async fn outgrow_free(&mut self, context: &SeedContext) -> Result<FutureActs> {
        let at = self.on_a_day(context.now(), 20, 45);
        if self.dice.falls(160) {
            return self.buy(context, self.plan).await;
        }
        Ok(vec![(at, Act::Think)])
    }

    async fn cancel(
        &mut self,
        context: &SeedContext,
        when: EndAt,
        end: Timestamp,
    ) -> Result<FutureActs> {
        context.cancel(self.member()?, when, self.dice.pick(&REASONS)).await?;
        if when == EndAt::PeriodEnd && self.dice.falls(150) {
            return Ok(vec![(self.after(context, 2, 40), Act::Regret)]);
        }
        self.has_left = true;
        Ok(vec![(self.on_a_day(end, 12, 80), Act::Return)])
    }

    async fn regret(&mut self, context: &SeedContext) -> Result<FutureActs> {
        context.choose(self.member()?, Endpoint::Renew, None).await?;
        self.paid(context).await
    }

    async fn recover(&mut self, context: &SeedContext) -> Result<FutureActs> {
        let member = self.member()?;
        let view = context.subscription(member).await?;
        let is_over = view.is_none_or(|view| view.status == Status::Expired);
        if !self.dice.falls(620) {
            return Ok(self.ended(context));
        }
        if self.method == Method::CreditCard && !is_over {
            let good = self.dice.pick(&GOOD_CARDS);
            self.card = Some(context.change_card(member, good).await?);
            return Ok(vec![(self.on_a_day(context.now(), 18, 30), Act::Think)]);
        }
        self.card = None;
        self.buy(context, self.plan).await
    }

    fn ended(&mut self, context: &SeedContext) -> FutureActs {
        self.has_left = true;
        vec![(self.on_a_day(context.now(), 25, 90), Act::Return)]
    }

    async fn come_back(&mut self, context: &SeedContext) -> Result<FutureActs> {
        let view = context.subscription(self.member()?).await?;
        let is_over = view.is_none_or(|view| view.status == Status::Expired);
        if !is_over || !self.dice.falls(300) {
            return Ok(FutureActs::new());
        }
        self.card = None;
        self.buy(context, self.plan).await
    }
}
