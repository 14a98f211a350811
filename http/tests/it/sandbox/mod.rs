//! The sandbox provider over real HTTP: cards, PIX and boleto, keys, webhooks, faults, restarts.

mod gateway;
mod journal;
mod methods;
mod pages;
mod payments;
mod provider;
mod served;
mod webhooks;
