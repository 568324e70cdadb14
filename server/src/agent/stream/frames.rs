//! Frames to Java delegates. They compare prefixes, so every byte counts (`agent-protocol 7.4`).

use fleet::time::Timestamp;

/// The acknowledgement of a heartbeat; the short form only where the registration asked for it.
pub(super) fn acknowledgement(id: &str, as_object: bool, now: Timestamp) -> String {
    if !as_object {
        return format!("[X]{id}");
    }
    let millis = now.millis();
    format!(
        r#"{{"eventType":"DelegateHeartbeatResponseStreaming","delegateId":"{id}","responseSentAt":{millis}}}"#
    )
}

/// Destroys the delegate of this id. Without an id the frame would destroy every delegate of the account.
pub(super) fn self_destruct(id: &str) -> Option<String> {
    (!id.is_empty()).then(|| format!("[SELF_DESTRUCT]{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t10_the_acknowledgement_is_that_of_the_fixture() {
        let frame = acknowledgement("d-java-0001", true, Timestamp::from_millis(1_700_000_000_123));
        assert_eq!(frame, include_str!("../../../../fixtures/agent/ws-ack.txt"));
        assert_eq!(acknowledgement("d-java-0001", false, Timestamp::from_millis(0)), "[X]d-java-0001");
    }

    #[test]
    fn nothing_destroys_a_whole_account() {
        assert_eq!(self_destruct("d-1").as_deref(), Some("[SELF_DESTRUCT]d-1"));
        assert_eq!(self_destruct(""), None);
    }
}
