//! What nodes on one PostgreSQL database tell each other.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use async_trait::async_trait;
use fleet::time::Timestamp;
use futures::TryStreamExt as _;
use futures::stream::{self, BoxStream, StreamExt as _};
use sqlx::postgres::PgListener;
use sqlx::{PgConnection, PgPool};
use tokio::time::{Instant, sleep};

use super::{Postgres, sql};
use crate::store::columns::{Columns as _, Fields};
use crate::store::error::{encode, failed};
use crate::store::fleet_reader::FleetReader;
use crate::store::news::{Key, News, Told};
use crate::store::nodes::{Alone, Followed, NodeRow, NodeStore, SILENT_AFTER};
use crate::store::records::{CHUNK, TransitionRecord};
use crate::store::words::Word as _;
use crate::store::{LoadSink, State, StoreError, within};

/// The channel of the bell.
const CHANNEL: &str = "rollcall";
/// For how long changes can be read. A node that was away for longer reads the fleet anew.
const TOLD_FOR: Duration = Duration::from_mins(2);
/// A node that was silent for so long is forgotten.
const FORGET_AFTER: Duration = Duration::from_hours(1);
/// How long a deed waits until the other nodes follow it.
const WAIT_FOR_OTHERS: Duration = Duration::from_secs(1);
/// How long somebody waits for a turn. A node that lost its power may hold one until its connection is given up.
const WAIT_FOR_TURN: Duration = Duration::from_secs(10);
/// How often it looks whether they do.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How often a lost bell is hung up again.
const RECONNECT_EVERY: Duration = Duration::from_secs(1);

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[async_trait]
impl NodeStore for Postgres {
    fn is_shared(&self) -> bool {
        true
    }

    async fn follow(&self, after: i64, sink: &mut dyn LoadSink) -> Result<Followed, StoreError> {
        let newest: i64 = sqlx::query_scalar(sql::NUMBER).fetch_one(&self.pool).await.map_err(failed)?;
        if newest == after {
            return Ok(Followed::UpTo(after));
        }
        // A transaction, so that rows are those of the moment up to which changes were read.
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let mut transaction = self.pool.begin_with(begin).await.map_err(failed)?;
        let newest = number(&mut transaction).await?;
        // One that took over from a server that died may lack the last changes: what it holds counts.
        let told = if newest < after { None } else { self.told(&mut transaction, after, newest).await? };
        let Some(told) = told else { return Ok(Followed::TooFarBehind) };
        hand_on(&mut transaction, &told, sink).await?;
        transaction.commit().await.map_err(failed)?;
        // Counted, so nothing may be waited for from here on: whoever gives up now is told once more.
        for (account, calls) in &told.attempts {
            sink.attempted(account, calls.clone());
        }
        Ok(Followed::UpTo(newest))
    }

    async fn sign(&self, applied: i64) -> Result<(), StoreError> {
        let sign = sqlx::query(sql::SIGN).bind(&*self.node).bind(VERSION).bind(applied);
        sign.execute(&self.pool).await.map_err(failed)?;
        Ok(())
    }

    async fn sign_off(&self) -> Result<(), StoreError> {
        sqlx::query(sql::SIGN_OFF).bind(&*self.node).execute(&self.pool).await.map_err(failed)?;
        Ok(())
    }

    async fn nodes(&self) -> Result<Vec<NodeRow>, StoreError> {
        let rows =
            sqlx::query(sql::NODES).bind(millis(SILENT_AFTER)).fetch_all(&self.pool).await.map_err(failed)?;
        let node = |row: &Fields<'_, _>| {
            Ok(NodeRow {
                id: row.text(0)?.into(),
                version: row.text(1)?.into(),
                applied: row.integer(2)?,
                silent: Duration::from_millis(u64::try_from(row.integer(3)?).unwrap_or(0)),
            })
        };
        rows.iter().map(|row| node(&Fields::new(row, "nodes"))).collect()
    }

    fn bell(&self) -> BoxStream<'static, ()> {
        let (pool, node) = (self.pool.clone(), self.node.clone());
        stream::unfold(None, move |listener| rung(pool.clone(), node.clone(), listener)).boxed()
    }

    async fn alone(&self, job: &'static str) -> Result<Option<Alone>, StoreError> {
        let mut transaction = self.begin().await?;
        let free: bool = sqlx::query_scalar(sql::TRY_ALONE)
            .bind(job)
            .fetch_one(&mut *transaction)
            .await
            .map_err(failed)?;
        Ok(free.then(|| Alone::holding(transaction)))
    }

    async fn turn(&self, job: &'static str) -> Result<Alone, StoreError> {
        within(WAIT_FOR_TURN, async {
            let mut transaction = self.begin().await?;
            sqlx::query(sql::TAKE_TURN).bind(job).execute(&mut *transaction).await.map_err(failed)?;
            Ok(Alone::holding(transaction))
        })
        .await
    }

    async fn forget_news(&self) -> Result<(), StoreError> {
        let (news, nodes) = (millis(TOLD_FOR), millis(FORGET_AFTER));
        sqlx::query(sql::FORGET_NEWS).bind(news).execute(&self.pool).await.map_err(failed)?;
        sqlx::query(sql::FORGET_NODES).bind(nodes).execute(&self.pool).await.map_err(failed)?;
        Ok(())
    }
}

impl Postgres {
    /// Takes the next number. The first statement of every transaction that changes what nodes hold in memory.
    pub(super) async fn next_number(connection: &mut PgConnection) -> Result<i64, StoreError> {
        sqlx::query_scalar(sql::NEXT_NUMBER).fetch_one(connection).await.map_err(failed)
    }

    /// Tells other nodes what the transaction of this number changed. Its last statement.
    pub(super) async fn tell(
        &self,
        connection: &mut PgConnection,
        number: i64,
        news: &News<'_>,
    ) -> Result<(), StoreError> {
        let changes = serde_json::to_string(news).map_err(encode)?;
        let tell = sqlx::query(sql::TELL).bind(number).bind(&*self.node).bind(changes);
        tell.execute(connection).await.map_err(failed)?;
        Ok(())
    }

    /// Waits until every other node follows a change, for a second at most: whoever did it may ask any node next.
    pub(super) async fn wait_for_others(&self, number: i64) {
        let end = Instant::now() + WAIT_FOR_OTHERS;
        loop {
            let behind =
                sqlx::query_scalar(sql::BEHIND).bind(&*self.node).bind(number).bind(millis(SILENT_AFTER));
            match behind.fetch_one(&self.pool).await {
                Ok(nodes @ 1_i64..) if Instant::now() >= end => {
                    tracing::warn!(nodes, "a change is stored, but other nodes do not follow it yet");
                    return;
                }
                Ok(1..) => sleep(LOOK_EVERY).await,
                // All follow; or it cannot be seen who does, which is no reason to call a change failed.
                _ => return,
            }
        }
    }

    /// What was changed behind `after`; none if some of it is not told any more.
    async fn told(
        &self,
        connection: &mut PgConnection,
        after: i64,
        newest: i64,
    ) -> Result<Option<Told>, StoreError> {
        let mut told = Told::default();
        let from = self.each_news(connection, after, newest, |news| told.add(news)).await?;
        Ok((from == after + 1).then_some(told))
    }

    /// Hands on what other nodes changed behind `after`; returns the first change from which on all of it is told.
    async fn each_news(
        &self,
        connection: &mut PgConnection,
        after: i64,
        newest: i64,
        mut take: impl FnMut(News<'_>) + Send,
    ) -> Result<i64, StoreError> {
        let (mut from, mut next) = (after + 1, after + 1);
        let mut rows = sqlx::query(sql::NEWS).bind(after).bind(&*self.node).fetch(connection);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            let row = Fields::new(&row, "news");
            let number = row.integer(0)?;
            if number != next {
                from = number;
            }
            next = number + 1;
            // Changes of its own come without content.
            if let Some(changes) = row.optional_text(1)? {
                take(serde_json::from_str(changes).map_err(|_| row.corrupt(1))?);
            }
        }
        Ok(if next > newest { from } else { newest + 1 })
    }

    /// Drops lines of history that rest on a silence in which another node heard the instance. Before the change of this
    /// number, whose lock the transaction holds.
    pub(super) async fn drop_refuted(
        &self,
        connection: &mut PgConnection,
        lines: &mut Vec<TransitionRecord<'_>>,
        number: i64,
    ) -> Result<(), StoreError> {
        let Some(after) = lines.iter().filter_map(|line| line.silence.map(|silence| silence.followed)).min()
        else {
            return Ok(());
        };
        let wanted: HashSet<(&str, &str)> = lines
            .iter()
            .filter(|line| line.silence.is_some())
            .map(|line| (&*line.account, &*line.instance_id))
            .collect();
        let mut heard: HashMap<(String, String), Vec<i64>> = HashMap::new();
        let told = self.each_news(connection, after, number - 1, |news| {
            for (account, id, at) in news.beats().filter(|(account, id, _)| wanted.contains(&(account, id))) {
                heard.entry((account.to_owned(), id.to_owned())).or_default().push(at);
            }
        });
        let told_from = told.await?;
        lines.retain(|line| {
            let Some(silence) = line.silence else { return true };
            let of_it = heard.get(&(line.account.to_string(), line.instance_id.to_string()));
            let within = |at: &i64| *at > silence.after.millis() && *at < silence.before.millis();
            // A node that has missed what others told cannot say who was lost; they can. They do not say who came back.
            let is_told = silence.followed + 1 >= told_from;
            (is_told || line.to_state != State::NotConnected.word())
                && !of_it.is_some_and(|times| times.iter().any(within))
        });
        Ok(())
    }
}

/// The number of the newest change that a transaction sees.
pub(super) async fn number(connection: &mut PgConnection) -> Result<i64, StoreError> {
    sqlx::query_scalar(sql::NUMBER).fetch_one(connection).await.map_err(failed)
}

/// Waits for the bell, rung by another node.
async fn rung(
    pool: PgPool,
    node: std::sync::Arc<str>,
    listener: Option<PgListener>,
) -> Option<((), Option<PgListener>)> {
    let Some(mut listener) = listener else {
        return match listen(&pool).await {
            // Whatever was told while nobody listened is read now.
            Ok(listener) => Some(((), Some(listener))),
            Err(error) => {
                tracing::debug!(%error, "changes of other nodes are looked for once a second");
                sleep(RECONNECT_EVERY).await;
                Some(((), None))
            }
        };
    };
    loop {
        match listener.try_recv().await {
            Ok(Some(told)) if told.payload() == &*node => {}
            Ok(_) => {
                while listener.next_buffered().is_some() {}
                return Some(((), Some(listener)));
            }
            Err(_) => return Some(((), None)),
        }
    }
}

async fn listen(pool: &PgPool) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

/// Reads the rows and hands everything on.
async fn hand_on(
    connection: &mut PgConnection,
    told: &Told,
    sink: &mut dyn LoadSink,
) -> Result<(), StoreError> {
    rows_of(connection, told, &mut FleetReader::new(sink)).await?;
    for (account, id) in &told.removed {
        sink.removed(account, id);
    }
    for (account, beats) in &told.beats {
        for (id, at) in beats {
            sink.beat(account, id, Timestamp::from_millis(*at));
        }
    }
    for (token, at) in &told.token_uses {
        sink.token_use(token, Timestamp::from_millis(*at));
    }
    for call in &told.turned_away {
        sink.turned_away(call.clone());
    }
    for account in &told.deeds {
        sink.deed(account);
    }
    Ok(())
}

async fn rows_of(
    connection: &mut PgConnection,
    told: &Told,
    reader: &mut FleetReader<'_>,
) -> Result<(), StoreError> {
    for (accounts, ids) in chunks(&told.groups) {
        let rows = sqlx::query(sql::GROUPS_OF).bind(accounts).bind(ids);
        for row in &rows.fetch_all(&mut *connection).await.map_err(failed)? {
            reader.group(&Fields::new(row, "delegate_groups"))?;
        }
    }
    for (accounts, ids) in chunks(&told.instances) {
        let rows = sqlx::query(sql::INSTANCES_OF).bind(accounts).bind(ids);
        for row in &rows.fetch_all(&mut *connection).await.map_err(failed)? {
            reader.instance(&Fields::new(row, "instances"))?;
        }
    }
    for (accounts, aliases) in chunks(&told.aliases) {
        let rows = sqlx::query(sql::ALIASES_OF).bind(accounts).bind(aliases);
        for row in &rows.fetch_all(&mut *connection).await.map_err(failed)? {
            reader.alias(&Fields::new(row, "aliases"))?;
        }
    }
    let stones: Vec<_> = told.tombstones.iter().collect();
    for chunk in stones.chunks(CHUNK) {
        let column = |read: fn(&(String, String, String)) -> &str| -> Vec<String> {
            chunk.iter().map(|stone| read(stone).to_owned()).collect()
        };
        let rows = sqlx::query(sql::TOMBSTONES_OF)
            .bind(column(|stone| &stone.0))
            .bind(column(|stone| &stone.1))
            .bind(column(|stone| &stone.2));
        for row in &rows.fetch_all(&mut *connection).await.map_err(failed)? {
            reader.tombstone(&Fields::new(row, "tombstones"))?;
        }
    }
    Ok(())
}

/// Keys as pairs of columns, some at a time.
fn chunks(keys: &std::collections::BTreeSet<Key>) -> Vec<(Vec<String>, Vec<String>)> {
    let keys: Vec<&Key> = keys.iter().collect();
    keys.chunks(CHUNK).map(|chunk| chunk.iter().map(|key| (*key).clone()).unzip()).collect()
}
