//! Turns of payments, each on a server and a database of its own. `traces` and `builds` compare two kinds of servers.

use super::{Shop, database, plans};
use crate::account;
use crate::server::Server;
use crate::{Outcome, some};

#[derive(clap::Args, Clone, Debug)]
pub struct Turns {
    /// Payments from the request to the running subscription, in each turn
    #[arg(long, default_value_t = 1000, value_parser = some())]
    payments: usize,
    /// At once
    #[arg(long, default_value_t = 16, value_parser = some())]
    pub at_once: usize,
    /// Turns of each kind; the better of each counts
    #[arg(long, default_value_t = 3, value_parser = some())]
    rounds: usize,
}

impl Turns {
    pub fn rounds(&self) -> std::ops::Range<usize> {
        0..self.rounds
    }

    /// Payments a second. The server is stopped afterwards.
    pub async fn rate(&self, server: Server) -> Outcome<f64> {
        let measured = self.measure(&server).await;
        server.stop().await?;
        measured
    }

    async fn measure(&self, server: &Server) -> Outcome<f64> {
        let payers = account::open(&server.url, self.at_once).await?;
        let database = database::Database::of(server).await?;
        let [plan, _] = plans(&server.url).await?;
        let shop = Shop { payers: &payers, url: &server.url, plan };
        let companies = shop.companies(self.payments).await?;
        shop.sustained(&companies, self.at_once, &database).await
    }
}
