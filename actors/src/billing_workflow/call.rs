//! The calls to the provider: each is one step, outside of any transaction (I2).

use bipe_core::Result;
use bipe_core::gateway::{self, Intent, ProviderAnswer};
use bipe_core::payment::{Input, Payment};

use super::Steps;
use super::step::{Call, Step, TaskRun, Trigger, shown};
use super::task::{PaymentOutcome, Task};

impl Steps {
    pub(super) async fn call(&self, run: TaskRun, call: Call) -> Result<Step> {
        let payment = self.load(&run.task).await?;
        let started_at = self.db.clock().now();
        let read = |intent: Intent| Input::Read { intent: Box::new(intent), started_at };
        let intent = payment.situation.intent.as_deref().unwrap_or_default();
        let input = match call {
            Call::Create { maybe_sent } => {
                let (body, key) = (&payment.provider_request, &payment.provider_key);
                let answer = self.gateway.create(body, key).await;
                self.available_methods.note(payment.situation.method, &answer, started_at);
                match answer {
                    ProviderAnswer::Done(intent) => read(intent),
                    ProviderAnswer::Refused(refusal) => Input::CreateRefused(refusal),
                    ProviderAnswer::Unreachable if !maybe_sent => Input::CreateUnsent,
                    ProviderAnswer::Unknown | ProviderAnswer::Unreachable => Input::Unclear,
                }
            }
            Call::Cancel => {
                let key = gateway::key(payment.id, &format!("cancel:{}", payment.version));
                match self.gateway.cancel(intent, &key).await {
                    ProviderAnswer::Done(intent) => read(intent),
                    ProviderAnswer::Refused(_) => Input::CancelRefused,
                    ProviderAnswer::Unknown | ProviderAnswer::Unreachable => Input::Unclear,
                }
            }
            Call::Read => match self.gateway.read(intent).await {
                ProviderAnswer::Done(intent) => read(intent),
                other => return Ok(unread(&run, &payment, other)),
            },
            Call::Find => match self.find(&run.task, &payment).await? {
                ProviderAnswer::Done(Some(intent)) => read(intent),
                ProviderAnswer::Done(None) => Input::NeverCreated,
                other => return Ok(unread(&run, &payment, other)),
            },
        };
        Ok(Step::Follow(run, Trigger::Input(input)))
    }

    /// The intent whose creation was never answered, among the customer's newest.
    async fn find(&self, task: &Task, payment: &Payment) -> Result<ProviderAnswer<Option<Intent>>> {
        let Some(customer) = self.known_customer(&task.scope).await? else {
            return Ok(ProviderAnswer::Done(None));
        };
        let id = payment.id.to_string();
        let intents = self.gateway.intents_of(&customer).await;
        Ok(intents.map(|intents| {
            intents.into_iter().find(|intent| intent.metadata.get("paymentId") == Some(&id))
        }))
    }
}

/// Without a read, who started the payment gets what is stored of it; every other caller learns that nothing was read.
fn unread<T>(run: &TaskRun, payment: &Payment, answer: ProviderAnswer<T>) -> Step {
    if run.key.is_some() {
        return Step::done(shown(payment, None));
    }
    Step::done(PaymentOutcome::Unread(match answer {
        ProviderAnswer::Refused(refusal) => Some(refusal),
        ProviderAnswer::Done(_) | ProviderAnswer::Unknown | ProviderAnswer::Unreachable => None,
    }))
}
