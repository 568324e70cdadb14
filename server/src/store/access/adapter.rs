//! People, keys and deeds on either database: the statements are the same, only the driver's types differ.

/// Implements [`super::AccessStore`] for an adapter that has `bump`, `query` and `commit_all`, and reads through one pool.
macro_rules! access_store {
    ($adapter:ident, $connection:ty, $row:ty, $pool:ident) => {
        use $crate::store::access::{
            AccessStore, AccessTables, AuditFound, AuditWanted, Change, DeedsWanted, LinkRow, SessionRow,
            decode, request, sql,
        };
        use $crate::store::request::Request;

        impl $adapter {
            /// Every row that a statement finds, as `decode` reads it.
            async fn read<T>(
                &self,
                request: Request<'_>,
                table: &'static str,
                decode: impl Fn(&Fields<'_, $row>) -> Result<T, StoreError> + Send,
            ) -> Result<Vec<T>, StoreError> {
                let rows = query(request).fetch_all(&self.$pool).await.map_err(failed)?;
                rows.iter().map(|row| decode(&Fields::new(row, table))).collect()
            }

            /// Makes the changes inside the caller's transaction.
            async fn apply(connection: &mut $connection, changes: &[Change]) -> Result<(), StoreError> {
                for topic in request::topics(changes) {
                    bump(&mut *connection, topic).await?;
                }
                for change in changes {
                    for mut step in request::steps(change)? {
                        let statement = std::mem::replace(&mut step.request, Request::of(""));
                        match query(statement).execute(&mut *connection).await {
                            Ok(done) => step.done(done.rows_affected())?,
                            Err(error) => return Err(step.refused(error)),
                        }
                    }
                }
                Ok(())
            }
        }

        #[async_trait]
        impl AccessStore for $adapter {
            async fn commit_then(
                &self,
                changes: &[Change],
                done: &mut (dyn FnMut() + Send),
            ) -> Result<(), StoreError> {
                self.commit_all(changes, done).await
            }

            async fn access(&self) -> Result<AccessTables, StoreError> {
                let mut tables = AccessTables {
                    users: self.read(Request::of(sql::USERS), "users", |row| decode::user(row)).await?,
                    roles: self.read(Request::of(sql::ROLES), "roles", |row| decode::role(row)).await?,
                    assignments: self
                        .read(Request::of(sql::ASSIGNMENTS), "assignments", |row| decode::assignment(row))
                        .await?,
                    api_keys: self
                        .read(Request::of(sql::API_KEYS), "api_keys", |row| decode::api_key(row))
                        .await?,
                    embed_keys: self
                        .read(Request::of(sql::EMBED_KEYS), "embed_keys", |row| decode::embed_key(row))
                        .await?,
                    saved_filters: self
                        .read(Request::of(sql::SAVED_FILTERS), "saved_filters", |row| {
                            decode::saved_filter(row)
                        })
                        .await?,
                };
                tables.sort();
                Ok(tables)
            }

            async fn session(&self, hash: &str) -> Result<Option<SessionRow>, StoreError> {
                let found = self
                    .read(Request::of(sql::SESSION).with(hash), "sessions", |row| decode::session(row))
                    .await?;
                Ok(found.into_iter().next())
            }

            async fn sessions_of(&self, user: &str) -> Result<Vec<SessionRow>, StoreError> {
                self.read(Request::of(sql::SESSIONS_OF).with(user), "sessions", |row| decode::session(row))
                    .await
            }

            async fn link(&self, hash: &str) -> Result<Option<LinkRow>, StoreError> {
                let found =
                    self.read(Request::of(sql::LINK).with(hash), "links", |row| decode::link(row)).await?;
                Ok(found.into_iter().next())
            }

            async fn audit(&self, wanted: &AuditWanted) -> Result<Vec<AuditFound>, StoreError> {
                self.read(request::audit(wanted), "audit_log", |row| decode::audit(row)).await
            }

            async fn deeds_on(&self, wanted: &DeedsWanted<'_>) -> Result<Vec<AuditFound>, StoreError> {
                self.read(request::deeds_on(wanted), "audit", |row| decode::audit(row)).await
            }
        }
    };
}

pub(in crate::store) use access_store;
