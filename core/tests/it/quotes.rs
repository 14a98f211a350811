//! What a quote rests on, how long it binds, and what a payment for it buys. The companies are those of the state table.

use bipe_core::id::{CompanyId, PaymentId, PlanId, QuoteId, SubscriptionId};
use bipe_core::invoice::PaymentMeans;
use bipe_core::money::Cents;
use bipe_core::payment_method::Method;
use bipe_core::plan::{BillingCycle, Limits, Plan, PlanStatus};
use bipe_core::subscription::account_summary::AccountSummary;
use bipe_core::subscription::billing_account::BillingAccount;
use bipe_core::subscription::preview::PricingInput;
use bipe_core::subscription::projection::project;
use bipe_core::subscription::purchase::{Purchase, SuccessfulPayment, purchase};
use bipe_core::subscription::quote::Quote;
use bipe_core::subscription::{ChangeType, Status, Subscription, Term};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::state_table::{BASIC, FREE, PRO, company, instant, target};

fn plan(which: u128) -> Plan {
    let monthly = target(which).price;
    Plan {
        id: target(which).plan_id,
        name: "plano".into(),
        display_name: "Plano".into(),
        description: String::new(),
        features: Vec::new(),
        is_free: which == FREE,
        is_popular: false,
        monthly,
        quarterly: monthly.times(3),
        yearly: monthly.times(10),
        limits: Limits::UNLIMITED,
        hierarchy: 1,
        status: PlanStatus::Active,
    }
}

/// The company as the store reads it.
fn account(input: &PricingInput) -> BillingAccount {
    let summary = AccountSummary {
        stored: input.current.as_ref().map(|current| current.row.clone()),
        own_limits: input.own_limits,
        balance: input.balance,
        instrument: None,
        card: None,
        is_active: true,
        open: None,
        open_by_job: false,
        open_until: None,
        attempts: Vec::new(),
    };
    let segments = input.segments.iter().map(|segment| (Uuid::nil(), *segment)).collect();
    BillingAccount { summary, segments, seats: 1, has_paid: true }
}

fn quoted(input: &PricingInput, which: u128, now: Timestamp) -> Quote {
    let id = QuoteId(Uuid::from_u128(5));
    Quote::of_choice(id, input, (&plan(which), BillingCycle::Monthly), now).unwrap().0
}

fn later(now: Timestamp, seconds: i64) -> Timestamp {
    now + SignedDuration::from_secs(seconds)
}

#[test]
fn a_quote_binds_for_a_quarter_of_an_hour_and_for_its_choice_alone() {
    let (input, _, now) = company("none");
    let quote = quoted(&input, BASIC, now);
    assert_eq!((quote.amount_due, quote.expires_at), (Cents(4_990), later(now, 900)));
    let binds = |quote: &Quote, which, cycle, seconds| {
        quote.binds(&account(&input), (&plan(which), cycle), later(now, seconds)).unwrap()
    };
    assert!(binds(&quote, BASIC, BillingCycle::Monthly, 0));
    assert!(binds(&quote, BASIC, BillingCycle::Monthly, 899));
    assert!(!binds(&quote, BASIC, BillingCycle::Monthly, 900));
    assert!(!binds(&quote, PRO, BillingCycle::Monthly, 0));
    assert!(!binds(&quote, BASIC, BillingCycle::Yearly, 0));
    let free = quoted(&input, FREE, now);
    assert!(binds(&free, FREE, BillingCycle::Yearly, 0), "a free plan has one cycle");
    assert!(free.target(&plan(FREE)).is_free && !quote.target(&plan(BASIC)).is_free);
}

#[test]
fn a_quote_does_not_bind_when_the_credit_has_changed() {
    let (mut input, _, now) = company("none");
    let quote = quoted(&input, BASIC, now);
    input.balance = Cents(100);
    let account = account(&input);
    assert!(quote.holds(None).unwrap(), "the credit is no part of its basis");
    assert!(!quote.binds(&account, (&plan(BASIC), BillingCycle::Monthly), now).unwrap());
}

#[test]
fn the_price_holds_while_what_it_rests_on_is_the_same() {
    let (input, _, now) = company("active");
    let quote = quoted(&input, PRO, now);
    let known = account(&input);
    let holds = |change: &dyn Fn(&mut Subscription)| {
        let mut account = known.clone();
        change(account.summary.stored.as_mut().unwrap());
        quote.holds(account.projection(now, None).as_ref()).unwrap()
    };
    assert!(holds(&|_| {}));
    assert!(holds(&|row| row.version += 1));
    assert!(!holds(&|row| row.id = SubscriptionId(Uuid::from_u128(1))));
    assert!(!holds(&|row| row.plan_id = PlanId(Uuid::from_u128(77))));
    assert!(!holds(&|row| row.cycle = BillingCycle::Quarterly));
    assert!(!holds(&|row| row.price = Cents(1)));
    assert!(!holds(&|row| row.status = Status::Canceled));
    assert!(!quote.holds(None).unwrap());
}

#[test]
fn a_renewal_costs_the_same_before_and_after_it_falls_due_and_a_change_does_not() {
    let (input, _, now) = company("active in the window");
    let due = account(&input).projection(instant("2026-09-11T12:00:00Z"), None);
    for (which, change_type, holds) in
        [(BASIC, ChangeType::Renewal, true), (PRO, ChangeType::Upgrade, false)]
    {
        let quote = quoted(&input, which, now);
        assert_eq!(quote.change_type, change_type);
        assert_eq!(quote.holds(due.as_ref()).unwrap(), holds, "{change_type:?}");
    }
}

#[test]
fn the_price_of_a_shorter_cycle_holds_when_the_downgrade_to_it_is_written_down() {
    let mut account = account(&company("active").0);
    let row = account.summary.stored.as_mut().unwrap();
    row.pending_change = Some(target(BASIC).priced(Cents(4_990)));
    row.cycle = BillingCycle::Yearly;
    row.term = row.term.map(|term| Term { paid_until: 12, ..term });
    let now = later(row.term.unwrap().paid_end(), 60);
    let due = account.projection(now, None).unwrap();
    let quote = quoted(&account.input(Some(due.clone()), Cents(9_990)), BASIC, now);
    let written = project(due.row, now, None);
    assert!(quote.holds(Some(&written)).unwrap());
}

#[test]
fn a_basis_is_compared_as_the_text_that_was_stored() {
    let text = |state: &str, which| {
        let (input, _, now) = company(state);
        quoted(&input, which, now).basis
    };
    let nothing = |due: &str| {
        format!(
            r#"{{"subscription":null,"plan":null,"cycle":null,"price":null,"period_start":null,"canceled":false,"due":{due}}}"#
        )
    };
    assert_eq!(text("none", BASIC), nothing("false"));
    assert_eq!(text("pending", BASIC), nothing("false"));
    assert_eq!(text("expired", PRO), nothing("false"));
    assert_eq!(text("expired", BASIC), nothing("null"), "a renewal");
    let basic = |canceled, due: &str| {
        let (id, plan) = (Uuid::from_u128(9), Uuid::from_u128(BASIC));
        format!(
            r#"{{"subscription":"{id}","plan":"{plan}","cycle":"monthly","price":4990,"period_start":"2026-08-10T03:00:00Z","canceled":{canceled},"due":{due}}}"#
        )
    };
    assert_eq!(text("active", PRO), basic(false, "false"));
    assert_eq!(text("canceled", PRO), basic(true, "false"));
    assert_eq!(text("due", PRO), basic(false, "true"));
    assert_eq!(text("suspended", PRO), basic(false, "true"));
    assert_eq!(text("due", BASIC), basic(false, "null"));
}

/// What a payment for the quote buys.
fn buys(
    account: &BillingAccount,
    (quote, which): (&Quote, u128),
    method: Method,
    (succeeded_at, now): (Timestamp, Timestamp),
) -> Option<Purchase> {
    let id = PaymentId(Uuid::from_u128(4));
    let means =
        PaymentMeans { id, method, card: None, provider: "sandbox".into(), reference: None };
    let amount = quote.amount_due;
    let paid = SuccessfulPayment { means, quote_id: quote.id, amount, by: None, succeeded_at };
    let ids = (CompanyId(Uuid::from_u128(8)), SubscriptionId(Uuid::from_u128(6)));
    purchase(account, (quote, &plan(which)), &paid, ids, now).unwrap()
}

#[test]
fn a_card_counts_from_its_quote_and_what_settles_later_or_begins_from_its_success() {
    for (state, method, seconds, counts_from) in [
        ("active", Method::CreditCard, 600, 0),
        ("active", Method::Pix, 600, 600),
        ("active", Method::BankSlip, 600, 600),
        ("none", Method::CreditCard, 600, 600),
        // the provider's clock may be behind ours
        ("active", Method::Pix, -5, 0),
    ] {
        let (input, _, now) = company(state);
        let quote = quoted(&input, PRO, now);
        let times = (later(now, seconds), later(now, 700));
        let bought = buys(&account(&input), (&quote, PRO), method, times).unwrap();
        assert_eq!(bought.at, later(now, counts_from), "{state} {method:?}");
        assert_eq!(bought.change.after.plan_id, target(PRO).plan_id);
    }
}

#[test]
fn a_payment_whose_basis_has_changed_buys_nothing() {
    let (input, _, now) = company("active");
    let quote = quoted(&input, PRO, now);
    let mut account = account(&input);
    account.summary.stored.as_mut().unwrap().price = Cents(1);
    assert!(buys(&account, (&quote, PRO), Method::CreditCard, (now, now)).is_none());
}
