//! The contract of the store, case by case on both databases, and what is particular to each.

#[path = "../support/shortcuts.rs"]
mod token_shortcuts;

#[path = "../support/postgres.rs"]
mod server;

mod access;
mod administration;
mod audit;
mod batch;
mod beats;
mod copy;
mod expand;
mod filters;
mod fixture;
mod fleet;
mod history;
mod load;
mod mirrors;
mod nodes;
mod postgres_only;
mod schema;
mod shortcuts;
mod sqlite_only;
mod survival;

/// Runs every case on a fresh store of each kind.
macro_rules! on_both {
    ($($module:ident { $($case:ident),+ $(,)? })+) => {
        mod sqlite {
            $(mod $module {
                $(#[tokio::test]
                async fn $case() {
                    crate::$module::$case(crate::fixture::Fixture::sqlite().await).await;
                })+
            })+
        }

        mod postgres {
            $(mod $module {
                $(#[tokio::test]
                async fn $case() {
                    crate::$module::$case(crate::fixture::Fixture::postgres().await).await;
                })+
            })+
        }
    };
}

on_both! {
    fleet {
        every_fact_of_a_group_comes_back,
        a_group_keeps_the_approval_of_its_first_row,
        a_choice_is_changed_by_people_alone,
        every_fact_of_an_instance_comes_back,
        a_group_keeps_its_earliest_and_latest_times,
        an_instance_keeps_its_first_registration,
        an_instance_is_replaced_as_a_whole,
        heartbeats_only_move_forward,
        heartbeats_of_unknown_instances_are_passed_over,
        ids_are_unique_per_account_only,
        an_alias_is_replaced,
        a_removed_instance_takes_its_aliases_along,
        a_tombstone_is_replaced_and_lifted,
        texts_from_outside_come_back_unchanged,
        nul_characters_become_replacement_characters,
        kinds_and_words_come_back,
    }
    batch {
        an_empty_batch_is_no_change,
        repeated_keys_act_one_after_the_other,
        a_group_that_comes_along_is_inserted_or_moved_forward_and_never_overwritten,
        put_in_and_removed_is_gone,
        a_taken_group_name_leaves_nothing_of_the_batch,
        a_taken_identifier_leaves_nothing_of_the_batch,
        an_instance_without_group_leaves_nothing_of_the_batch,
        twenty_thousand_rows_fit_in_one_batch,
        uses_of_tokens_move_forward_without_a_revision,
    }
    beats {
        what_was_settled_may_be_forgotten,
        what_was_forgotten_unsettled_is_lost,
        rows_only_move_forward_and_unknown_ones_are_passed_over,
        batches_go_oldest_first_and_some_at_a_time,
        an_instance_whose_row_lags_behind_is_as_alive_as_its_last_heartbeat,
        a_batch_that_is_cut_off_is_told,
    }
    load {
        instances_silent_since_the_cut_off_stay_behind,
        any_sign_of_life_counts,
        groups_come_first_and_everything_once,
        repeated_values_share_one_allocation,
        nonsense_in_a_row_is_told,
        a_load_sees_one_moment,
    }
    history {
        newest_comes_first,
        changes_of_one_millisecond_keep_their_order,
        a_limit_cuts_the_oldest,
        an_instance_has_its_own_history,
        a_batch_written_again_adds_nothing,
        an_unreadable_state_is_told,
        history_is_read_within_a_time,
        old_history_goes_in_batches,
        changes_of_state_are_told_oldest_first_since_a_time,
        an_unreadable_change_is_told,
    }
    administration {
        scopes_are_created_once_with_their_token,
        scopes_are_listed_outermost_first,
        a_scope_created_by_two_at_once_exists_once,
        a_token_comes_back_with_all_fields,
        a_token_needs_its_scope_and_a_free_name,
        a_revoked_token_keeps_its_name,
        revoking_twice_or_elsewhere_finds_nothing,
        a_setting_is_set_replaced_and_removed,
        the_catalog_put_last_is_current,
        revisions_tell_what_changed,
        a_failed_change_counts_nothing,
    }
    access {
        people_and_what_they_have_come_back,
        an_email_belongs_to_one,
        what_is_not_there_cannot_be_changed,
        a_removed_role_goes_with_its_assignments,
        sessions_are_found_touched_and_ended,
        a_link_works_once_and_in_its_time,
        tokens_are_revoked_and_removed_in_this_order,
        settings_catalog_tombstones_and_approval_go_with_their_line,
        what_was_done_already_is_not_done_again,
        a_role_that_is_gone_cannot_be_given,
    }
    mirrors {
        a_mirror_is_kept_with_its_last_good_list,
        one_node_takes_a_look,
        names_are_unique_in_their_account,
        the_key_of_a_mirror_is_sealed_anew_once,
    }
    filters {
        saved_filters_come_back_change_and_go,
        a_saved_filter_has_a_name_of_its_own_for_its_owner_and_scope,
    }
    audit {
        the_audit_log_is_read_by_scope_words_and_time,
        what_delegates_did_is_in_the_audit_log_by_system,
        deeds_on_a_delegate_are_found_by_its_name,
    }
    schema {
        every_statement_is_understood,
        migrations_are_pending_until_applied,
        migrating_again_changes_nothing,
        several_nodes_may_migrate_at_once,
        a_schema_of_a_newer_program_is_refused,
        a_migration_that_changed_is_refused,
    }
    copy {
        a_copy_and_the_copy_of_it_hold_the_same,
        a_copy_goes_on_where_the_source_ended,
        a_target_with_anything_in_it_is_left_alone,
        a_source_of_an_older_program_is_refused,
        every_table_is_copied,
    }
    survival {
        a_reopened_store_holds_everything,
        a_store_dropped_without_close_loses_nothing,
        a_closed_store_is_unavailable,
        two_stores_write_side_by_side,
        a_store_that_answers_can_be_pinged,
    }
}
