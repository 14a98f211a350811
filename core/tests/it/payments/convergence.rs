//! A provider that moves on its own, reads that arrive late, twice or in any order, commands in between:
//! whatever happens, the end is f(the object as it stands), effects happen once, success stays.

use bipe_core::gateway::{Intent, IntentStatus};
use bipe_core::money::Cents;
use bipe_core::payment::timer::{close_at, next_check};
use bipe_core::payment::{
    AlertReason, CloseReason, Effect, Input, PaymentState, Situation, decide,
};
use bipe_core::payment_method::Method;
use bipe_core::testing::{count, figures};
use proptest::prelude::*;

use super::{at, boleto, intent, opened, pix, three_d_secure};

#[derive(Clone, Debug)]
enum Happens {
    /// The object moves to its next state of this kind, if it may.
    Moves(u8),
    /// A read is taken and arrives now.
    Read,
    /// A read is taken and kept back.
    ReadLater,
    /// The kept read of that number arrives (again).
    Arrives(usize),
    CancelAsked,
    ReplaceAsked,
    TimerRings,
    /// The answer of a write is lost.
    AnswerLost,
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        4 => (0_u8..6).prop_map(Happens::Moves),
        3 => Just(Happens::Read),
        2 => Just(Happens::ReadLater),
        3 => (0_usize..8).prop_map(Happens::Arrives),
        1 => Just(Happens::CancelAsked),
        1 => Just(Happens::ReplaceAsked),
        1 => Just(Happens::TimerRings),
        1 => Just(Happens::AnswerLost),
    ]
}

struct World {
    object: Intent,
    situation: Situation,
    kept: Vec<(Intent, i64)>,
    now: i64,
    applied: u32,
    closed_unpaid: u32,
}

impl World {
    fn new(method: Method) -> Self {
        let status = match method {
            Method::CreditCard => IntentStatus::RequiresConfirmation,
            Method::Pix => pix(),
            Method::BankSlip => boleto(),
        };
        let (object, situation) = (intent(status, None), opened(method));
        Self { object, situation, kept: Vec::new(), now: 0, applied: 0, closed_unpaid: 0 }
    }

    /// Nothing leaves success or cancellation at the provider.
    fn moves(&mut self, kind: u8) {
        if matches!(self.object.status, IntentStatus::Succeeded | IntentStatus::Canceled) {
            return;
        }
        let expired = "payment_intent_payment_attempt_expired";
        let declined = IntentStatus::RequiresPaymentMethod;
        let id = self.object.id.clone();
        self.object = match (kind, self.situation.method) {
            (0, _) => intent(IntentStatus::Succeeded, None),
            (1, _) => intent(IntentStatus::Processing, None),
            (2, Method::CreditCard) => intent(three_d_secure(), None),
            (2, Method::Pix) => intent(pix(), None),
            (2, Method::BankSlip) => intent(boleto(), None),
            (3, Method::CreditCard) => intent(declined, Some("card_declined")),
            (3, _) => intent(declined, Some(expired)),
            (4, _) => intent(IntentStatus::Canceled, None),
            _ => intent(declined, Some("processing_error")),
        };
        self.object.id = id;
    }

    fn happens(&mut self, input: Input) {
        let before = self.situation.clone();
        let Ok(decision) = decide(&before, input, at(self.now)) else { return };
        self.situation = decision.next;
        let succeeded = matches!(before.state, PaymentState::Succeeded { .. });
        assert!(!succeeded || before == self.situation, "success never changes");
        let open_again = before.state.is_closed() && !self.situation.state.is_final();
        assert!(!open_again, "a closed payment changes only to success");
        for effect in decision.effects {
            match effect {
                Effect::Apply | Effect::ApplyAsCredit => self.applied += 1,
                Effect::CloseUnpaid => self.closed_unpaid += 1,
                Effect::Create | Effect::Read | Effect::Find => self.read(),
                Effect::Cancel => self.cancel(),
                Effect::Alert(_) => {}
            }
        }
    }

    fn read(&mut self) {
        self.now += 1;
        let intent = Box::new(self.object.clone());
        self.happens(Input::Read { intent, started_at: at(self.now) });
    }

    fn cancel(&mut self) {
        let refuses =
            matches!(self.object.status, IntentStatus::Succeeded | IntentStatus::Processing)
                || self.object.status == boleto();
        if refuses {
            return self.happens(Input::CancelRefused);
        }
        self.object.status = IntentStatus::Canceled;
        self.read();
    }

    fn step(&mut self, event: Happens) {
        self.now += 1;
        match event {
            Happens::Moves(kind) => self.moves(kind),
            Happens::Read => self.read(),
            Happens::ReadLater => self.kept.push((self.object.clone(), self.now)),
            Happens::Arrives(number) => {
                if let Some((intent, taken)) = self.kept.get(number).cloned() {
                    let intent = Box::new(intent);
                    self.happens(Input::Read { intent, started_at: at(taken) });
                }
            }
            Happens::CancelAsked => self.happens(Input::CancelAsked(CloseReason::Cancel)),
            Happens::ReplaceAsked => self.happens(Input::CancelAsked(CloseReason::Replace)),
            Happens::TimerRings => self.happens(Input::Due),
            Happens::AnswerLost => self.happens(Input::Unclear),
        }
    }

    /// The timer alone brings it to rest: f(the object), or closed when its time is over.
    fn settle(&mut self) {
        for _ in 0..6 {
            self.now += 1;
            self.happens(Input::Due);
        }
    }

    fn agrees(&self) -> bool {
        match (&self.object.status, &self.situation.state) {
            (IntentStatus::Succeeded, PaymentState::Succeeded { .. }) => true,
            (IntentStatus::Canceled, state) => state.is_closed(),
            (IntentStatus::Processing, PaymentState::Processing) => true,
            (IntentStatus::RequiresConfirmation, PaymentState::Created) => true,
            (IntentStatus::RequiresPaymentMethod, PaymentState::Declined(_)) => true,
            (IntentStatus::RequiresAction(_), PaymentState::RequiresAction(_)) => true,
            _ => false,
        }
    }
}

fn methods() -> impl Strategy<Value = Method> {
    prop_oneof![Just(Method::CreditCard), Just(Method::Pix), Just(Method::BankSlip)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(count("BIPE_HISTORIES", 4_000)))]

    #[test]
    fn every_permutation_of_events_ends_alike(method in methods(), events in prop::collection::vec(happens(), 0..40)) {
        let mut world = World::new(method);
        for event in events {
            world.step(event);
        }
        world.settle();
        prop_assert!(world.agrees(), "{:?} but {:?}", world.object.status, world.situation);
        let paid = matches!(world.situation.state, PaymentState::Succeeded { .. });
        prop_assert_eq!(world.applied, u32::from(paid), "effects exactly once");
        prop_assert!(world.closed_unpaid <= 1);
        let rests = world.situation.state.is_final();
        prop_assert_eq!(next_check(&world.situation, at(world.now)).is_none(), rests, "a timer for all that is open");
        figures(&[("histories", 1)]);
    }

    #[test]
    fn the_timer_always_moves_on_and_meets_the_closing_time(method in methods(), waits in 1_i64..300_000) {
        let mut world = World::new(method);
        world.read();
        let now = at(world.now + waits);
        let check = next_check(&world.situation, now).unwrap();
        prop_assert!(check > now);
        if let Some(close) = close_at(&world.situation).filter(|close| *close > now) {
            prop_assert!(check <= close);
        }
    }
}

/// The states of one object in the provider's order, each with the read that saw it.
fn reads_of(method: Method) -> Vec<Intent> {
    let declined = IntentStatus::RequiresPaymentMethod;
    let mut refunded = intent(IntentStatus::Succeeded, None);
    refunded.refunded = Cents(500);
    let first = match method {
        Method::CreditCard => intent(IntentStatus::RequiresConfirmation, None),
        Method::Pix => intent(pix(), None),
        Method::BankSlip => intent(boleto(), None),
    };
    let middle = match method {
        Method::CreditCard => intent(three_d_secure(), None),
        _ => intent(IntentStatus::Processing, None),
    };
    vec![
        first,
        intent(declined, Some("card_declined")),
        middle,
        intent(IntentStatus::Processing, None),
        intent(IntentStatus::Succeeded, None),
        refunded,
    ]
}

/// Every order of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let places = |order: &Vec<usize>| {
        (0..count)
            .map(|place| {
                let mut longer = order.clone();
                longer.insert(place, count - 1);
                longer
            })
            .collect::<Vec<_>>()
    };
    shorter.iter().flat_map(places).collect()
}

#[test]
fn six_reads_in_every_order_once_to_thrice_end_alike() {
    let (mut walked, all) = (0, orders(6));
    for method in Method::ALL {
        let reads = reads_of(method);
        for (number, order) in all.iter().enumerate() {
            let mut situation = opened(method);
            let mut applied = 0;
            for (place, &index) in order.iter().enumerate() {
                // One to three copies, another number for each place and order.
                for _ in 0..=(number + place) % 3 {
                    let started_at = at(i64::try_from(index).unwrap());
                    let intent = Box::new(reads[index].clone());
                    let input = Input::Read { intent, started_at };
                    let Ok(decision) = decide(&situation, input, at(10)) else { continue };
                    let effects = decision.effects.iter();
                    applied += effects.filter(|e| matches!(e, Effect::Apply)).count();
                    situation = decision.next;
                }
            }
            assert!(
                matches!(situation.state, PaymentState::Succeeded { .. }),
                "{method:?} {order:?}"
            );
            assert_eq!((applied, situation.refunded), (1, Cents(500)), "{method:?} {order:?}");
            walked += 1;
        }
    }
    assert_eq!(walked, 3 * 720);
    figures(&[("orders", walked)]);
}

/// A node whose clock is five minutes ahead read the open payment; the others see how it ended at once. What went back
/// since is read again until their clocks have come as far.
#[test]
fn a_clock_that_is_ahead_holds_back_no_success_and_no_cancellation_and_loses_no_refund() {
    let read = |intent: &Intent, seconds| Input::Read {
        intent: Box::new(intent.clone()),
        started_at: at(seconds),
    };
    let decided = |before: &Situation, input| decide(before, input, at(10)).unwrap();
    for method in Method::ALL {
        let reads = reads_of(method);
        let (paid, refunded) = (&reads[4], &reads[5]);
        for open in &reads[..4] {
            let seen = decided(&opened(method), read(open, 300)).next;
            let succeeded = decided(&seen, read(paid, 4));
            assert!(matches!(succeeded.next.state, PaymentState::Succeeded { .. }), "{open:?}");
            assert_eq!(succeeded.effects, [Effect::Apply]);
            let alert = Effect::Alert(AlertReason::Refunded);
            for (seconds, noted, effect) in
                [(5, Cents::ZERO, Effect::Read), (300, Cents(500), alert)]
            {
                let after = decided(&succeeded.next, read(refunded, seconds));
                assert_eq!(after.next.refunded, noted, "what went back is of the newest read");
                assert_eq!(after.effects, [effect]);
            }
            assert!(decided(&succeeded.next, read(paid, 5)).effects.is_empty(), "no news");
            let both = decided(&seen, read(refunded, 5)).next;
            assert_eq!((both.refunded, both.read_started_at), (Cents(500), Some(at(300))));
            let canceled = decided(&seen, read(&intent(IntentStatus::Canceled, None), 4));
            assert_eq!(canceled.next.state, PaymentState::Canceled, "{open:?}");
            assert_eq!(canceled.effects, [Effect::CloseUnpaid]);
        }
    }
}
