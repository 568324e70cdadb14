//! What is cleared away by the hour (product 3.6, P6).

use fleet::time::DAY;
use server::jobs::Chores;

use crate::world::{NOW, World, fixture};

#[tokio::test]
async fn history_is_kept_for_400_days() {
    let world = World::new().await;
    let id = world.registered(fixture!("go-register.json")).await;
    let group = world.groups("ACC").await[0].facts.id.clone();
    let chores = Chores {
        roster: world.roster.clone(),
        store: world.store.clone(),
        tokens: world.tokens.clone(),
        agent: world.agent.clone(),
        clock: world.clock.clone(),
    };
    for (now, lines) in [(NOW.plus(400 * DAY), 1), (NOW.plus(400 * DAY + 1), 0)] {
        chores.clear(now).await.unwrap();
        let found = world.store.transitions("ACC", &group, Some(&id), 10).await.unwrap();
        assert_eq!(found.len(), lines, "{now:?}");
    }
}
