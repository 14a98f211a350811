//! The raw rows of a year and what they add up to, by the definitions alone: each company's movements are replayed
//! one by one, each person's activity is looked at on its own. No function of the product counts here.

use std::collections::{BTreeMap, BTreeSet};

use bipe_core::brazil::day_start;
use bipe_core::testing::recount::{Recount, rh};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Client;
use uuid::Uuid;

const MONTH: SignedDuration = SignedDuration::from_hours(720);

pub struct Move {
    pub company: Uuid,
    pub kind: String,
    pub arr: i64,
    pub at: Timestamp,
    /// When the row was written; what waited for an open payment carries an earlier instant.
    pub written: Timestamp,
}

impl Move {
    pub fn signed(&self) -> i64 {
        match self.kind.as_str() {
            "new" | "reactivation" | "expansion" => self.arr,
            "contraction" | "churn" => -self.arr,
            other => panic!("{other} is no movement"),
        }
    }
}

pub struct Raw {
    /// In the order of their instants.
    pub moves: Vec<Move>,
    verified: Vec<Timestamp>,
    companies: Vec<Timestamp>,
    subscriptions: Vec<(Timestamp, i32)>,
    spells: Vec<(Uuid, Timestamp, Timestamp)>,
    costs: Vec<(Date, i64)>,
}

fn count<T>(all: impl Iterator<Item = T>) -> i64 {
    i64::try_from(all.count()).unwrap()
}

impl Raw {
    pub async fn read(owner: &Client) -> Self {
        let rows = async |sql: &str| owner.query(sql, &[]).await.unwrap();
        let moves = rows(
            "SELECT id, company_id, kind, arr_cents, at FROM movements ORDER BY company_id, at",
        );
        let moves = moves.await;
        let moves = moves.iter().map(|row| {
            let id: Uuid = row.get("id");
            let (seconds, nanos) = id.get_timestamp().expect("ids know their time").to_unix();
            let written = i64::try_from(seconds).unwrap() * 1000 + i64::from(nanos / 1_000_000);
            Move {
                company: row.get("company_id"),
                kind: row.get("kind"),
                arr: row.get("arr_cents"),
                at: row.get("at"),
                written: Timestamp::from_millisecond(written).unwrap(),
            }
        });
        let moves = moves.collect();
        let instants = async |sql: &str| -> Vec<Timestamp> {
            rows(sql).await.iter().map(|row| row.get(0)).collect()
        };
        let steps = rows("SELECT at, step FROM head_counts WHERE noun = 'subscriptions'").await;
        let spells = rows(
            "SELECT user_id, from_at, to_at FROM activity_spells s JOIN users u ON u.id = s.user_id \
             WHERE u.role <> 'admin'",
        );
        let costs = rows("SELECT month, amount_cents FROM acquisition_costs").await;
        Self {
            moves,
            verified: instants(
                "SELECT email_verified_at FROM users WHERE email_verified_at IS NOT NULL",
            )
            .await,
            companies: instants("SELECT created_at FROM companies").await,
            subscriptions: steps.iter().map(|row| (row.get(0), row.get(1))).collect(),
            spells: spells.await.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect(),
            costs: costs.iter().map(|row| (row.get(0), row.get(1))).collect(),
        }
    }

    /// What each paying company pays a year, after the movements that `counts` lets in. Each one must fit to what
    /// the company paid before it.
    pub fn replay(&self, counts: impl Fn(&Move) -> bool) -> BTreeMap<Uuid, i64> {
        let mut paying: BTreeMap<Uuid, i64> = BTreeMap::new();
        let mut known = BTreeSet::new();
        for step in self.moves.iter().filter(|step| counts(step)) {
            let held = paying.get(&step.company).copied();
            match (step.kind.as_str(), held) {
                ("new", None) => assert!(known.insert(step.company), "new twice"),
                ("reactivation", None) => assert!(known.contains(&step.company), "never new"),
                ("expansion", Some(_)) => {}
                ("contraction", Some(held)) => assert!(step.arr < held, "nothing is left"),
                ("churn", Some(held)) => assert_eq!(step.arr, held, "churn takes everything"),
                (kind, held) => panic!("{kind} of a company that pays {held:?}"),
            }
            let arr = held.unwrap_or(0) + step.signed();
            match arr {
                0 => paying.remove(&step.company),
                _ => paying.insert(step.company, arr),
            };
        }
        paying
    }

    /// Who pays just before the instant.
    pub fn paying(&self, t: Timestamp) -> BTreeMap<Uuid, i64> {
        self.replay(|step| step.at < t)
    }
}

impl Recount for Raw {
    fn payers(&self, t: Timestamp) -> i64 {
        count(self.paying(t).keys())
    }

    fn arr(&self, t: Timestamp) -> i64 {
        self.paying(t).values().sum()
    }

    fn lost(&self, a: Timestamp, b: Timestamp) -> i64 {
        let (before, after) = (self.paying(a), self.paying(b));
        count(before.keys().filter(|company| !after.contains_key(*company)))
    }

    /// What was spent in the window, month by month by its seconds, for each company that is new in it.
    fn cac(&self, a: Timestamp, b: Timestamp) -> Option<i64> {
        let is_new = |step: &&Move| step.kind == "new" && a <= step.at && step.at < b;
        let won = i128::from(count(self.moves.iter().filter(is_new)));
        // Every month of these years is a whole number of hours: their common measure keeps the sum exact.
        let hours = |seconds: i64| i128::from(seconds) * 28 * 29 * 30 * 31 * 24;
        let mut spent = 0_i128;
        for (month, cents) in &self.costs {
            let next = month.last_of_month().tomorrow().unwrap();
            let (from, to) = (day_start(*month), day_start(next));
            let inside = (b.min(to).as_second() - a.max(from).as_second()).max(0);
            let length = i128::from((to.as_second() - from.as_second()) / 3600);
            assert_eq!(hours(inside) % length, 0);
            spent += i128::from(*cents) * (hours(inside) / length);
        }
        (won > 0).then(|| rh(spent, won * hours(3600)))
    }

    /// Monthly centavos won and given up in the window.
    fn gained(&self, a: Timestamp, b: Timestamp) -> (i64, i64) {
        let inside = self.moves.iter().filter(|step| a <= step.at && step.at < b);
        let (mut up, mut down) = (0_i128, 0_i128);
        for step in inside.map(Move::signed) {
            *(if step > 0 { &mut up } else { &mut down }) += i128::from(step.abs());
        }
        (rh(up, 12), rh(down, 12))
    }

    fn mau(&self, t: Timestamp) -> i64 {
        let is_active = |spell: &&(Uuid, Timestamp, Timestamp)| spell.1 < t && t <= spell.2 + MONTH;
        let people: BTreeSet<Uuid> =
            self.spells.iter().filter(is_active).map(|(user, ..)| *user).collect();
        count(people.iter())
    }

    /// Nobody is locked out in a demo: who has verified is active.
    fn users(&self, t: Timestamp) -> i64 {
        count(self.verified.iter().filter(|at| **at < t))
    }

    fn verified(&self, a: Timestamp, b: Timestamp) -> i64 {
        count(self.verified.iter().filter(|at| a <= **at && **at < b))
    }

    fn companies(&self, t: Timestamp) -> i64 {
        count(self.companies.iter().filter(|at| **at < t))
    }

    fn subscriptions(&self, t: Timestamp) -> i64 {
        self.subscriptions.iter().filter(|(at, _)| *at < t).map(|(_, step)| i64::from(*step)).sum()
    }
}
