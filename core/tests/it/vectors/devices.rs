//! What the mails call a browser matches the golden cases, which the web app reads too.

use bipe_core::mail_pt_br::device;
use serde_json::json;

use super::run;

#[test]
fn devices_match_the_vectors() {
    let cases = include_str!("../../vectors/devices.json");
    run(cases, 20, |user_agent: String| json!(device::name(&user_agent)));
}
