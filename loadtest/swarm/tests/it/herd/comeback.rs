//! When a lost socket comes back.

use bipe_swarm::herd::comeback::{BASE, CAP, Comeback};
use tokio::time::Instant;

#[test]
fn nobody_waits_longer_than_the_browser_would() {
    let (mut comeback, now) = (Comeback::default(), Instant::now());
    for at in 0..100 {
        comeback.after_loss(at, 1006, 0, now);
    }
    let early = (0..100).filter(|_| comeback.next(now + BASE / 2).is_some()).count();
    assert!((10..90).contains(&early), "spread over the pause: {early}");
    let late = (0..100).filter(|_| comeback.next(now + BASE).is_some()).count();
    assert_eq!(early + late, 100);
    comeback.after_notice(7, now + CAP);
    assert_eq!((comeback.next(now), comeback.next(now + CAP)), (None, Some(7)));
}
