//! The payment provider: its intents, cards, refunds and events, and what its idempotency keys answer. Its answers are
//! those of the port `core/src/gateway`. Nothing in it is undone: it stays when the server crashes.

use std::collections::BTreeMap;

use bipe_core::brazil::calendar::boleto_due;
use bipe_core::gateway::{
    Action, Boleto, Intent, IntentError, IntentStatus, Pix, ProviderAnswer, Refund, RefundStatus,
    Refusal,
};
use bipe_core::id::{PaymentId, RefundId};
use bipe_core::money::{BRL, Cents};
use bipe_core::payment_method::{Method, PIX_LIFE};
use jiff::{SignedDuration, Timestamp};

/// The provider forgets a key after this long.
const KEY_LIFE: SignedDuration = SignedDuration::from_hours(24);
const EXPIRED: &str = "payment_intent_payment_attempt_expired";

/// What becomes of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    /// It was done, and the answer is lost.
    AnswerLost,
    /// It was not done, and nobody can know.
    RequestLost,
    /// Nothing was sent.
    Unreachable,
}

/// What the bank of a card says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bank {
    Pays,
    Declines,
    /// It will never pay.
    Blocked,
    /// It asks for the payer.
    Authenticates,
    /// It answers later.
    Ponders,
}

/// What a creation asks for: the stored text of the real server.
#[derive(Clone, Debug)]
pub struct Request {
    pub payment: PaymentId,
    pub amount: Cents,
    pub method: Method,
    pub card: Option<usize>,
    pub off_session: bool,
    pub saves_card: bool,
}

#[derive(Clone, Debug)]
pub struct Charge {
    pub request: Request,
    pub intent: Intent,
    /// Of a PIX or a boleto.
    ends_at: Option<Timestamp>,
}

pub struct Provider {
    pub now: Timestamp,
    pub charges: BTreeMap<String, Charge>,
    /// By card.
    pub banks: [Bank; 4],
    /// The company's cards, the newest last.
    pub saved: Vec<usize>,
    pub refunds: Vec<(RefundId, String, Cents)>,
    /// The intents that something happened to, in order. The number is the event's id.
    pub events: Vec<String>,
    created: BTreeMap<String, (Timestamp, ProviderAnswer<Intent>)>,
    given: BTreeMap<String, (Timestamp, ProviderAnswer<Refund>)>,
}

fn refusal<T>(code: &str) -> ProviderAnswer<T> {
    ProviderAnswer::Refused(Refusal {
        kind: "invalid_request_error".into(),
        code: Some(code.into()),
        ..Refusal::default()
    })
}

/// One call on its way there and back.
fn carried<T>(fault: Fault, done: impl FnOnce() -> ProviderAnswer<T>) -> ProviderAnswer<T> {
    match fault {
        Fault::Nothing => done(),
        Fault::AnswerLost => {
            done();
            ProviderAnswer::Unknown
        }
        Fault::RequestLost => ProviderAnswer::Unknown,
        Fault::Unreachable => ProviderAnswer::Unreachable,
    }
}

impl Charge {
    pub fn waits_for_a_card(&self) -> bool {
        let waits = matches!(
            self.intent.status,
            IntentStatus::RequiresConfirmation | IntentStatus::RequiresPaymentMethod
        );
        waits && self.request.method == Method::CreditCard
    }

    /// For its payer or for the bank. An expired PIX or boleto may still be paid.
    pub fn waits(&self) -> bool {
        match &self.intent.status {
            IntentStatus::RequiresAction(_) | IntentStatus::Processing => true,
            status => *status == IntentStatus::RequiresPaymentMethod && self.ends_at.is_some(),
        }
    }
}

impl Provider {
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            charges: BTreeMap::new(),
            banks: [Bank::Pays; 4],
            saved: Vec::new(),
            refunds: Vec::new(),
            events: Vec::new(),
            created: BTreeMap::new(),
            given: BTreeMap::new(),
        }
    }

    pub fn create(&mut self, request: &Request, key: &str, fault: Fault) -> ProviderAnswer<Intent> {
        carried(fault, || {
            let live = self.created.get(key).filter(|(at, _)| self.now - KEY_LIFE < *at);
            if let Some((_, answer)) = live {
                return answer.clone();
            }
            let id = format!("pi_{}", self.charges.len());
            let answer = self.make(&id, request);
            self.created.insert(key.to_owned(), (self.now, answer.clone()));
            answer
        })
    }

    fn make(&mut self, id: &str, request: &Request) -> ProviderAnswer<Intent> {
        let (status, ends_at) = match request.method {
            Method::CreditCard => (IntentStatus::RequiresConfirmation, None),
            Method::Pix => {
                let expires_at = Some(self.now + PIX_LIFE);
                let pix = Pix { expires_at, ..Pix::default() };
                (IntentStatus::RequiresAction(Action::Pix(pix)), expires_at)
            }
            Method::BankSlip => {
                let ends_at = Some(boleto_due(self.now).expires_at);
                (IntentStatus::RequiresAction(Action::Boleto(Boleto::default())), ends_at)
            }
        };
        let named = ("paymentId".to_owned(), request.payment.to_string());
        let intent = Intent {
            id: id.to_owned(),
            status,
            amount: request.amount,
            amount_received: Cents::ZERO,
            currency: BRL.into(),
            client_secret: None,
            last_error: None,
            charged_at: None,
            refunded: Cents::ZERO,
            disputed: false,
            payment_method: None,
            card: None,
            metadata: BTreeMap::from([named]),
        };
        let request = request.clone();
        let (card, off_session) = (request.card, request.off_session);
        self.charges.insert(id.to_owned(), Charge { request, intent, ends_at });
        self.happened(id);
        if let (true, Some(card)) = (off_session, card) {
            self.confirm(id, card);
            let intent = self.charges[id].intent.clone();
            if let Some(IntentError { code, decline_code, .. }) = intent.last_error {
                let kind = "card_error".to_owned();
                let intent = Some(id.to_owned());
                let refusal = Refusal { kind, code, decline_code, intent, ..Refusal::default() };
                return ProviderAnswer::Refused(refusal);
            }
        }
        ProviderAnswer::Done(self.charges[id].intent.clone())
    }

    fn happened(&mut self, id: &str) {
        self.events.push(id.to_owned());
    }

    fn set(&mut self, id: &str, status: IntentStatus, error: Option<(&str, Option<&str>)>) {
        let now = self.now;
        let intent = &mut self.charges.get_mut(id).unwrap().intent;
        if status == IntentStatus::Succeeded {
            (intent.amount_received, intent.charged_at) = (intent.amount, Some(now));
        }
        intent.status = status;
        intent.last_error = error.map(|(code, decline_code)| IntentError {
            code: Some(code.into()),
            decline_code: decline_code.map(str::to_owned),
            advice_code: None,
        });
        self.happened(id);
    }

    fn succeed(&mut self, id: &str) {
        self.set(id, IntentStatus::Succeeded, None);
        let Charge { request, intent, .. } = self.charges.get_mut(id).unwrap();
        intent.payment_method = request.card.map(|card| card.to_string());
        if let (true, Some(card)) = (request.saves_card, request.card)
            && !self.saved.contains(&card)
        {
            self.saved.push(card);
        }
    }

    fn decline(&mut self, id: &str, decline_code: &str) {
        let status = IntentStatus::RequiresPaymentMethod;
        self.set(id, status, Some(("card_declined", Some(decline_code))));
    }

    /// The payer's browser confirms a card, or the server a saved one.
    pub fn confirm(&mut self, id: &str, card: usize) {
        let charge = self.charges.get_mut(id).unwrap();
        charge.request.card = Some(card);
        let off_session = charge.request.off_session;
        match self.banks[card] {
            Bank::Pays => self.succeed(id),
            Bank::Declines => self.decline(id, "insufficient_funds"),
            Bank::Blocked => self.decline(id, "stolen_card"),
            Bank::Authenticates if off_session => self.decline(id, "authentication_required"),
            Bank::Authenticates => {
                self.set(id, IntentStatus::RequiresAction(Action::ThreeDSecure), None);
            }
            Bank::Ponders => self.set(id, IntentStatus::Processing, None),
        }
    }

    /// The payer does what the intent waits for, or the bank has pondered: it is paid, or it comes to nothing.
    pub fn settle(&mut self, id: &str, pays: bool) {
        match &self.charges[id].intent.status {
            _ if pays => self.succeed(id),
            IntentStatus::RequiresAction(Action::ThreeDSecure) => {
                let error = ("payment_intent_authentication_failure", None);
                self.set(id, IntentStatus::RequiresPaymentMethod, Some(error));
            }
            IntentStatus::Processing => self.decline(id, "do_not_honor"),
            _ => {}
        }
    }

    /// What nobody has paid in its time expires.
    pub fn pass_to(&mut self, now: Timestamp) {
        self.now = now;
        let waits = |charge: &&Charge| {
            matches!(charge.intent.status, IntentStatus::RequiresAction(_))
                && charge.ends_at.is_some_and(|end| end <= now)
        };
        let over = self.charges.values().filter(waits).map(|charge| charge.intent.id.clone());
        for id in over.collect::<Vec<_>>() {
            self.set(&id, IntentStatus::RequiresPaymentMethod, Some((EXPIRED, None)));
        }
    }

    pub fn read(&self, id: &str, fault: Fault) -> ProviderAnswer<Intent> {
        carried(fault, || match self.charges.get(id) {
            Some(charge) => ProviderAnswer::Done(charge.intent.clone()),
            None => refusal("resource_missing"),
        })
    }

    /// Among the customer's intents, the one of a payment.
    pub fn find(&self, payment: PaymentId, fault: Fault) -> ProviderAnswer<Option<Intent>> {
        let found = self.charges.values().find(|charge| charge.request.payment == payment);
        carried(fault, || ProviderAnswer::Done(found.map(|charge| charge.intent.clone())))
    }

    pub fn cancel(&mut self, id: &str, fault: Fault) -> ProviderAnswer<Intent> {
        carried(fault, || match self.charges.get(id).map(|charge| charge.intent.status.clone()) {
            Some(
                IntentStatus::Succeeded
                | IntentStatus::Processing
                | IntentStatus::RequiresAction(Action::Boleto(_)),
            )
            | None => refusal("payment_intent_unexpected_state"),
            Some(IntentStatus::Canceled) => ProviderAnswer::Done(self.charges[id].intent.clone()),
            Some(_) => {
                self.set(id, IntentStatus::Canceled, None);
                ProviderAnswer::Done(self.charges[id].intent.clone())
            }
        })
    }

    /// Gives money back, once for each key.
    pub fn refund(
        &mut self,
        (id, amount): (&str, Cents),
        (named, key): (RefundId, &str),
        fault: Fault,
    ) -> ProviderAnswer<Refund> {
        carried(fault, || {
            let live = self.given.get(key).filter(|(at, _)| self.now - KEY_LIFE < *at);
            if let Some((_, answer)) = live {
                return answer.clone();
            }
            let answer = match self.give_back(id, amount) {
                false => refusal("charge_already_refunded"),
                true => {
                    self.refunds.push((named, id.to_owned(), amount));
                    ProviderAnswer::Done(given(named))
                }
            };
            self.given.insert(key.to_owned(), (self.now, answer.clone()));
            answer
        })
    }

    pub fn refunds_of(&self, id: &str, fault: Fault) -> ProviderAnswer<Vec<Refund>> {
        let all = self.refunds.iter().filter(|(_, intent, _)| intent == id);
        carried(fault, || ProviderAnswer::Done(all.map(|(named, ..)| given(*named)).collect()))
    }

    /// False when so much did not come in.
    pub fn give_back(&mut self, id: &str, amount: Cents) -> bool {
        let Some(Charge { intent, .. }) = self.charges.get_mut(id) else { return false };
        if intent.refunded + amount > intent.amount_received {
            return false;
        }
        intent.refunded += amount;
        self.happened(id);
        true
    }
}

fn given(named: RefundId) -> Refund {
    Refund {
        id: format!("re_{named}"),
        status: RefundStatus::Given,
        named: Some(named.to_string()),
    }
}
