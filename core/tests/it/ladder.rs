//! The calendar of a renewal: charges, refusals that end them, reminders, and when to look again.

use bipe_core::id::{CompanyId, PlanId, SubscriptionId};
use bipe_core::money::Cents;
use bipe_core::payment_method::Instrument;
use bipe_core::plan::BillingCycle;
use bipe_core::subscription::ladder::{
    Attempt, Decline, charge, decline, first_check, is_ending, next_check, reminder,
};
use bipe_core::subscription::period::Anchor;
use bipe_core::subscription::{NoticeKind, Status, Subscription, Term};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

const DAY: i64 = 86_400;

fn row(cycle: BillingCycle, status: Status) -> Subscription {
    let anchor = Anchor("2026-08-10T00:00:00".parse().unwrap());
    Subscription {
        id: SubscriptionId(Uuid::from_u128(9)),
        company_id: CompanyId(Uuid::from_u128(8)),
        plan_id: PlanId(Uuid::from_u128(2)),
        cycle,
        price: Cents(4_990),
        status,
        term: Some(Term { anchor, month: 0, paid_until: cycle.months() }),
        end_at: None,
        canceled_at: None,
        cancel_reason: None,
        pending_change: None,
        started_at: "2026-08-10T03:00:00Z".parse().unwrap(),
        version: 1,
    }
}

fn card(id: &str) -> Instrument {
    Instrument::Card(id.into())
}

fn due_at(row: &Subscription) -> Timestamp {
    row.term.unwrap().paid_end()
}

fn after(row: &Subscription, seconds: i64) -> Timestamp {
    due_at(row) + SignedDuration::from_secs(seconds)
}

/// Looks once a day with a card that is refused like this; the names of the charges.
fn ladder_of(declined: Decline, days: impl Iterator<Item = i64>) -> Vec<String> {
    let row = row(BillingCycle::Monthly, Status::Active);
    let mut made: Vec<Attempt> = Vec::new();
    for day in days {
        if let Some(kind) = charge(due_at(&row), after(&row, day * DAY), &card("pm_1"), &made) {
            made.push(Attempt { kind, instrument: card("pm_1"), decline: declined });
        }
    }
    made.into_iter().map(|attempt| attempt.kind).collect()
}

#[test]
fn a_card_is_charged_on_five_days_and_once_when_it_is_refused_for_good() {
    let all = ["charge_0", "charge_1", "charge_3", "charge_7", "charge_14"];
    assert_eq!(ladder_of(Decline::Soft, 0..40), all);
    assert_eq!(ladder_of(Decline::Hard, 0..40), ["charge_0"]);
    assert_eq!(ladder_of(Decline::OnSession, 0..40), ["charge_0"]);
    assert_eq!(ladder_of(Decline::Soft, -9..0), Vec::<String>::new());
}

#[test]
fn charges_that_were_missed_are_one_charge() {
    assert_eq!(ladder_of(Decline::Soft, 20..40), ["charge_14"]);
    assert_eq!(ladder_of(Decline::Soft, [2, 9, 9].into_iter()), ["charge_1", "charge_7"]);
}

#[test]
fn a_new_default_card_is_charged_at_once_and_each_card_only_once_a_rung() {
    let row = row(BillingCycle::Monthly, Status::Active);
    let now = after(&row, 2 * DAY);
    let attempt = |kind: &str, id: &str, decline| Attempt {
        kind: kind.into(),
        instrument: card(id),
        decline,
    };
    let mut made = vec![attempt("charge_1", "pm_1", Decline::Hard)];
    assert_eq!(charge(due_at(&row), now, &card("pm_1"), &made), None);
    assert_eq!(charge(due_at(&row), now, &card("pm_2"), &made).as_deref(), Some("charge_pm_2"));
    made.push(attempt("charge_pm_2", "pm_2", Decline::Soft));
    assert_eq!(charge(due_at(&row), now, &card("pm_2"), &made), None);
    let day_3 = after(&row, 3 * DAY);
    assert_eq!(charge(due_at(&row), day_3, &card("pm_2"), &made).as_deref(), Some("charge_3"));
    assert_eq!(charge(due_at(&row), day_3, &card("pm_1"), &made), None, "refused for good");
}

#[test]
fn what_the_provider_says_decides_whether_a_card_is_tried_again() {
    for passing in [None, Some("insufficient_funds"), Some("generic_decline try_again_later")] {
        assert_eq!(decline(passing), Decline::Soft, "{passing:?}");
    }
    for hard in
        ["stolen_card", "generic_decline do_not_try_again", "incorrect_cvc confirm_card_data"]
    {
        assert_eq!(decline(Some(hard)), Decline::Hard, "{hard}");
    }
    assert_eq!(decline(Some("authentication_required")), Decline::OnSession);
}

/// Day by day, by hand and by card.
fn told(cycle: BillingCycle, by_card: bool) -> Vec<(i64, &'static str)> {
    let row = row(cycle, Status::Active);
    let mut found: Vec<(i64, &'static str)> = Vec::new();
    for day in -20..=14 {
        let now = after(&row, day * DAY);
        if let Some((kind, _)) = reminder(&row, now, by_card)
            && found.iter().all(|(_, known)| *known != kind)
        {
            found.push((day, kind));
        }
    }
    found
}

#[test]
fn who_pays_by_hand_is_reminded_and_a_card_is_announced_for_long_periods() {
    let by_hand = [
        (-7, "ahead_7"),
        (-3, "ahead_3"),
        (-1, "ahead_1"),
        (0, "due"),
        (1, "reminder_1"),
        (7, "reminder_7"),
        (14, "reminder_14"),
    ];
    assert_eq!(told(BillingCycle::Monthly, false), by_hand);
    assert_eq!(told(BillingCycle::Yearly, false), by_hand);
    assert_eq!(told(BillingCycle::Monthly, true), []);
    assert_eq!(told(BillingCycle::Quarterly, true), [(-7, "charge_notice")]);
    let quarterly = row(BillingCycle::Quarterly, Status::Active);
    let notice = reminder(&quarterly, after(&quarterly, -5 * DAY), true);
    assert_eq!(notice, Some(("charge_notice", NoticeKind::Charge)));
}

#[test]
fn a_reminder_tells_what_comes_next() {
    let row = row(BillingCycle::Monthly, Status::Active);
    let kind = |seconds| reminder(&row, after(&row, seconds), false).map(|(_, kind)| kind);
    for (seconds, told) in [
        (-7 * DAY - 1, None),
        (-7 * DAY, Some(NoticeKind::Ahead)),
        (-3 * DAY, Some(NoticeKind::Ahead)),
        (-1, Some(NoticeKind::Ahead)),
        (0, Some(NoticeKind::Due)),
        (3 * DAY - 1, Some(NoticeKind::Due)),
        // the notice of the suspension stands here
        (3 * DAY, None),
        (7 * DAY - 1, None),
        (7 * DAY, Some(NoticeKind::Expiring)),
        (14 * DAY, Some(NoticeKind::Expiring)),
    ] {
        assert_eq!(kind(seconds), told, "{seconds}");
    }
}

#[test]
fn each_day_of_the_calendar_is_looked_at_and_then_the_next_one() {
    let active = row(BillingCycle::Monthly, Status::Active);
    let days = [-7, -3, -1, 0, 1, 3, 7, 14, 15];
    for (day, next) in days.iter().zip(&days[1..]) {
        let check = next_check(&active, after(&active, day * DAY));
        assert_eq!(check, Some(after(&active, next * DAY)), "{day}");
    }
    assert_eq!(next_check(&active, after(&active, 15 * DAY)), None);
    assert_eq!(first_check(&active, after(&active, -20 * DAY)), Some(after(&active, -7 * DAY)));
}

#[test]
fn a_canceled_subscription_is_looked_at_three_days_before_its_end_and_at_its_end() {
    let whole = row(BillingCycle::Monthly, Status::Canceled);
    let short = Subscription { end_at: Some(after(&whole, -10 * DAY)), ..whole.clone() };
    for (row, end) in [(&whole, 0), (&short, -10 * DAY)] {
        let at = |seconds| after(row, end + seconds);
        for (now, check) in [
            (-9 * DAY, Some(-3 * DAY)),
            (-3 * DAY - 1, Some(-3 * DAY)),
            (-3 * DAY, Some(0)),
            (-1, Some(0)),
            (0, None),
        ] {
            assert_eq!(next_check(row, at(now)), check.map(at), "{now}");
            // a row that was just written is looked at right away when its end has passed
            assert_eq!(first_check(row, at(now)), check.or(Some(0)).map(at), "{now}");
        }
        for (now, is_near) in
            [(-3 * DAY - 1, false), (-3 * DAY, true), (-1, true), (0, false), (DAY, false)]
        {
            assert_eq!(is_ending(row, at(now)), is_near, "{now}");
        }
    }
    let running = row(BillingCycle::Monthly, Status::Active);
    assert!(!is_ending(&running, after(&running, -DAY)), "nobody canceled it");
}

proptest! {
    #[test]
    fn a_running_subscription_is_always_looked_at_again_until_its_end(seconds in -90 * DAY..15 * DAY) {
        for status in [Status::Active, Status::Suspended] {
            let row = row(BillingCycle::Monthly, status);
            let now = after(&row, seconds);
            let next = next_check(&row, now).unwrap();
            prop_assert!(now < next && next <= after(&row, 15 * DAY));
            let first = first_check(&row, now).unwrap();
            prop_assert!(first <= next, "a row that was just written is not looked at later");
            prop_assert_eq!(seconds >= 0, first <= now);
        }
    }

    #[test]
    fn an_ended_subscription_is_never_looked_at(seconds in -90 * DAY..90 * DAY) {
        let row = row(BillingCycle::Monthly, Status::Expired);
        prop_assert_eq!(next_check(&row, after(&row, seconds)), None);
        prop_assert_eq!(first_check(&row, after(&row, seconds)), None);
    }
}
