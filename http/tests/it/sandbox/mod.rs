//! The sandbox provider over real HTTP: cards, PIX and boleto, keys, webhooks, faults, restarts.

mod journal;
mod methods;
mod payments;
mod provider;
mod served;
mod webhooks;
