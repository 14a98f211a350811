//! The words of the current consent to renewals by card, in Portuguese (invariant I8). Other words are another version
//! (`renewal_consent.rs`).

pub(super) const SENTENCE: &str = "Autorizo a cobrança automática das renovações da assinatura da empresa no cartão \
     salvo, pelo preço do plano em vigor em cada renovação, até que o cartão seja removido ou a assinatura cancelada.";
