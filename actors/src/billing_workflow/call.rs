//! The calls to the provider: each is one step, outside of any transaction (I2).

use bipe_core::Result;
use bipe_core::gateway::{Intent, ProviderAnswer, Refusal};
use bipe_core::payment::{Input, Payment};

use super::Steps;
use super::step::{Call, Step, TaskRun, Trigger, shown};
use super::task::{PaymentOutcome, Task};

impl Steps {
    pub(super) async fn call(&self, mut run: TaskRun, call: Call) -> Result<Step> {
        let payment = match run.payment.take() {
            Some(payment) => *payment,
            None => self.load(&run.task).await?,
        };
        let started_at = self.db.clock().now();
        let intent = payment.situation.intent.as_deref().unwrap_or_default();
        let input = match call {
            Call::Create { maybe_sent } => {
                let (body, key) = (&payment.provider_request, &payment.provider_key);
                let answer = self.gateway.create(body, key).await;
                self.available_methods.note(payment.situation.method, &answer, started_at);
                self.note_customer(&run.task, &payment, &answer).await?;
                Input::of_created(answer, maybe_sent, started_at)
            }
            Call::Cancel => Input::of_canceled(self.gateway.cancel(intent).await, started_at),
            Call::Read => match self.gateway.read(intent).await {
                ProviderAnswer::Done(intent) => Input::of_read(intent, started_at),
                other => return Ok(unread(&run, &payment, other)),
            },
            Call::Find => match self.find(&run.task, &payment).await? {
                ProviderAnswer::Done(Some(intent)) => Input::of_read(intent, started_at),
                ProviderAnswer::Done(None) => Input::NeverCreated,
                other => return Ok(unread(&run, &payment, other)),
            },
        };
        Ok(Step::Follow(run, Trigger::Input(input)))
    }

    /// The provider refused the payment because its customer is gone there: the next payment is another one's.
    async fn note_customer<T>(
        &self,
        task: &Task,
        payment: &Payment,
        answer: &ProviderAnswer<T>,
    ) -> Result<()> {
        let ProviderAnswer::Refused(refusal) = answer else { return Ok(()) };
        if !refusal.is_about_the_customer() {
            return Ok(());
        }
        match self.known_customer(&task.scope).await? {
            // One that was replaced since the payment was opened stays.
            Some(known) if payment.provider_request.contains(&known) => {
                self.replace_customer(&task.scope, &known).await
            }
            _ => Ok(()),
        }
    }

    /// The event is a mere hint: what the provider shows now counts, and our own row says whose it is.
    pub(super) async fn read_intent(&self, run: TaskRun, intent: &str) -> Step {
        let started_at = self.db.clock().now();
        match self.gateway.read(intent).await {
            ProviderAnswer::Done(intent) => {
                Step::Follow(run, Trigger::Input(Input::of_read(intent, started_at)))
            }
            other => Step::done(PaymentOutcome::Unread(refusal(other))),
        }
    }

    /// The intent whose creation was never answered, among the customer's newest.
    async fn find(&self, task: &Task, payment: &Payment) -> Result<ProviderAnswer<Option<Intent>>> {
        let Some(customer) = self.known_customer(&task.scope).await? else {
            return Ok(ProviderAnswer::Done(None));
        };
        let id = payment.id.to_string();
        let intents = self.gateway.intents_of(&customer).await;
        let found = intents.map(|intents| {
            intents.into_iter().find(|intent| intent.metadata.get("paymentId") == Some(&id))
        });
        // The list does not tell of the charge.
        Ok(match found {
            ProviderAnswer::Done(Some(intent)) => self.gateway.read(&intent.id).await.map(Some),
            other => other,
        })
    }
}

/// Without a read, who started the payment gets what is stored of it; every other caller learns that nothing was read.
fn unread<T>(run: &TaskRun, payment: &Payment, answer: ProviderAnswer<T>) -> Step {
    if run.key.is_some() {
        return Step::done(shown(payment, None));
    }
    Step::done(PaymentOutcome::Unread(refusal(answer)))
}

fn refusal<T>(answer: ProviderAnswer<T>) -> Option<Refusal> {
    match answer {
        ProviderAnswer::Refused(refusal) => Some(refusal),
        ProviderAnswer::Done(_) | ProviderAnswer::Unknown | ProviderAnswer::Unreachable => None,
    }
}
