//! Where a finding of `bipe doctor`, `bipe backup verify` or `bipe upgrade check` sends its reader. Called by the
//! checks; a test finds each page and heading.

pub const BACKUPS: &str = "docs/operations.md#backups";
pub const CONNECTIONS: &str = "docs/operations.md#pools-and-connections";
pub const DATABASE: &str = "docs/operations.md#database";
pub const DISK: &str = "docs/operations.md#what-bipe-doctor-asks";
pub const POOLER: &str = "docs/operations.md#pgbouncer";
pub const PROXY: &str = "docs/operations.md#reverse-proxy";
pub const ROLLING_DEPLOYS: &str = "docs/operations.md#rolling-deploys";
pub const SETTINGS: &str = "docs/operations.md#settings";
pub const SEVERAL_NODES: &str = "docs/operations.md#several-nodes";
pub const STRIPE: &str = "docs/operations.md#stripe";
pub const UPGRADES: &str = "docs/operations.md#upgrades";

pub const ALERTS: &str = "docs/runbooks/work.md#bipealertraised";
pub const BUS: &str = "docs/runbooks/nodes.md#bipebusuntrusted";
pub const BUS_REFUSED: &str = "docs/runbooks/nodes.md#bipebusrefused";
pub const ERRORS: &str = "docs/runbooks/answers.md#bipeerrors";
pub const JOBS_FAILING: &str = "docs/runbooks/work.md#bipejobsfailing";
pub const JOBS_LATE: &str = "docs/runbooks/work.md#bipejobslate";
pub const PROVIDER: &str = "docs/runbooks/payments.md#bipeproviderfailing";
pub const STANDBY_LATE: &str = "docs/runbooks/database.md#bipestandbylate";
pub const STANDBY_LOST: &str = "docs/runbooks/database.md#bipestandbylost";
pub const WAITING: &str = "docs/runbooks/database.md#bipedatabasewaiting";
pub const WEBHOOKS: &str = "docs/runbooks/payments.md#bipewebhooksrefused";

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// As a page of GitHub names its headings.
    fn anchor(heading: &str) -> String {
        let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
        heading
            .to_lowercase()
            .chars()
            .filter(kept)
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    }

    #[test]
    fn every_place_to_read_is_a_heading_of_a_page() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let code = include_str!("guide.rs").split("#[cfg(test)]").next().unwrap();
        let places: Vec<&str> = code.split('"').filter(|text| text.starts_with("docs/")).collect();
        assert!(places.len() > 15, "{places:?}");
        for place in places {
            let (page, wanted) = place.split_once('#').unwrap();
            let text = fs::read_to_string(root.join(page)).unwrap();
            let headings = text.lines().filter(|line| line.starts_with('#'));
            let found = headings.map(|line| anchor(line.trim_start_matches('#').trim()));
            assert!(found.into_iter().any(|found| found == wanted), "{place}");
        }
    }
}
