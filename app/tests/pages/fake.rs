//! A port for the pages about access, which answers what a test put into it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use app::context::{FormOutcome, PageRequest};
use app::port::PortError;
use app::port::access::{
    AccessPort, AuditPage, AuditQuery, Deletion, Doors, EmbedKey, Me, People, Role, Setting, Setup, Token,
    TokenGroup, TokenUse,
};
use app::port::mirrors::Mirror;
use async_trait::async_trait;
use fleet::access::BuiltIn;
use fleet::scope::Scope;
use fleet::time::{DAY, HOUR};

use crate::common::*;
use crate::routes::{OneGroup, answer};

/// Its answers.
#[derive(Clone, Default)]
pub(crate) struct Fake {
    pub(crate) denied: Option<String>,
    pub(crate) asked: Arc<AtomicUsize>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) groups: Vec<TokenGroup>,
    pub(crate) connected: u64,
    pub(crate) forbids_connected: bool,
    pub(crate) refuses_returns: bool,
    pub(crate) people: People,
    pub(crate) roles: Vec<Role>,
    pub(crate) settings: Vec<Setting>,
    pub(crate) audit: AuditPage,
    pub(crate) embeds: Vec<EmbedKey>,
    pub(crate) mirrors: Vec<Mirror>,
    pub(crate) me: Me,
    pub(crate) doors: Doors,
    pub(crate) setup: Option<Setup>,
}

impl Fake {
    fn give<T: Clone>(&self, answer: &T) -> Result<T, PortError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        match &self.denied {
            Some(reason) => Err(PortError::Denied(reason.clone())),
            None => Ok(answer.clone()),
        }
    }

    /// Status and HTML of a page for a request.
    pub(crate) async fn open_as(&self, request: PageRequest, uri: &str) -> (u16, String) {
        let request = PageRequest { uri: uri.to_owned(), ..request };
        answer(request, Some(Arc::new(OneGroup)), Some(Arc::new(self.clone()))).await
    }

    /// The HTML of a page as an admin of `acme` sees it.
    pub(crate) async fn open(&self, uri: &str) -> String {
        let (status, html) = self.open_as(request_of(BuiltIn::Admin, "acme"), uri).await;
        assert_eq!(status, 200, "{uri}: {html}");
        html
    }

    /// The same after a form was sent.
    pub(crate) async fn sent(&self, uri: &str, outcome: FormOutcome) -> String {
        let request = PageRequest { outcome, ..request_of(BuiltIn::Admin, "acme") };
        self.open_as(request, uri).await.1
    }
}

#[async_trait]
impl AccessPort for Fake {
    async fn tokens(&self, _: &Scope) -> Result<Vec<Token>, PortError> {
        self.give(&self.tokens)
    }

    async fn token(&self, _: &Scope, id: &str) -> Result<TokenUse, PortError> {
        let token = self.tokens.iter().find(|token| *token.id == *id).ok_or(PortError::Unknown("token"))?;
        self.give(&TokenUse { token: token.clone(), groups: self.groups.clone() })
    }

    async fn deletion(
        &self,
        scope: &Scope,
        identifier: &str,
        instance: Option<&str>,
    ) -> Result<Deletion, PortError> {
        self.give(&Deletion {
            scope: scope.clone(),
            name: identifier.trim_start_matches('_').replace('_', "-").into(),
            identifier: identifier.into(),
            instance: instance.map(|id| (id.into(), "edge-a-1".into())),
            instances: if instance.is_some() { 1 } else { 3 },
            connected: self.connected,
            connected_allowed: !self.forbids_connected,
            reappears: !self.refuses_returns,
        })
    }

    async fn people(&self, _: &Scope) -> Result<People, PortError> {
        self.give(&self.people)
    }

    async fn roles(&self, _: &Scope) -> Result<Vec<Role>, PortError> {
        self.give(&self.roles)
    }

    async fn settings(&self, _: &Scope) -> Result<Vec<Setting>, PortError> {
        self.give(&self.settings)
    }

    async fn audit(&self, _: &Scope, query: &AuditQuery) -> Result<AuditPage, PortError> {
        if query.from.as_deref() == Some("yesterday") {
            let message = "must be a day such as 2026-11-14".to_owned();
            return Err(PortError::BadParameter { field: "from", message });
        }
        self.give(&self.audit)
    }

    async fn mirrors(&self, _: &Scope) -> Result<Vec<Mirror>, PortError> {
        self.give(&self.mirrors)
    }

    async fn embeds(&self, _: &Scope) -> Result<Vec<EmbedKey>, PortError> {
        self.give(&self.embeds)
    }

    async fn me(&self) -> Result<Me, PortError> {
        self.give(&self.me)
    }

    async fn doors(&self) -> Doors {
        self.doors.clone()
    }

    async fn setup(&self, _: &str) -> Option<Setup> {
        self.setup.clone()
    }
}

/// An active token, used an hour ago by two instances.
pub(crate) fn token(name: &str) -> Token {
    Token {
        id: format!("t-{name}").into(),
        name: name.into(),
        active: true,
        created_at: NOW.plus(-10 * DAY),
        created_by: Some("uri@example.com".to_owned()),
        revoke_after: None,
        revoked_at: None,
        purged_at: None,
        last_used: Some(NOW.plus(-HOUR)),
        instances: 2,
    }
}

/// A token that was revoked yesterday.
pub(crate) fn revoked_token(name: &str) -> Token {
    Token {
        active: false,
        revoked_at: Some(NOW.plus(-DAY)),
        purged_at: Some(NOW.plus(29 * DAY)),
        instances: 0,
        ..token(name)
    }
}

/// A form that was not accepted: one sentence about one field.
pub(crate) fn failure(form: &str, field: &str, sentence: &str, values: &[(&str, &str)]) -> FormOutcome {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    FormOutcome {
        form: form.to_owned(),
        errors: vec![(field.to_owned(), sentence.to_owned())],
        values: values.iter().map(owned).collect(),
        secret: None,
    }
}

/// The tag of the control with this name, up to its end.
pub(crate) fn control<'a>(html: &'a str, name: &str) -> &'a str {
    let at = html.find(&format!(" name=\"{name}\"")).unwrap_or_else(|| panic!("no control {name} in {html}"));
    let start = html[..at].rfind('<').expect("its tag");
    let end = html[at..].find('>').expect("its end");
    &html[start..=at + end]
}

/// The form with this action, whole.
pub(crate) fn form<'a>(html: &'a str, action: &str) -> &'a str {
    let at =
        html.find(&format!(" action=\"{action}\"")).unwrap_or_else(|| panic!("no form {action} in {html}"));
    let start = html[..at].rfind("<form").expect("its tag");
    let end = html[at..].find("</form>").expect("its end");
    &html[start..at + end]
}

/// The value of an attribute of a tag.
pub(crate) fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split_once('"').map(|(value, _)| value)
}

/// Names of the fields that a form sends, in order.
pub(crate) fn fields(form: &str) -> Vec<&str> {
    form.split('<').filter(|tag| !tag.starts_with("form")).filter_map(|tag| attribute(tag, "name")).collect()
}

/// The field is marked as wrong, and the sentence is what describes it.
pub(crate) fn assert_wrong(html: &str, name: &str, sentence: &str) {
    let control = control(html, name);
    assert_eq!(attribute(control, "aria-invalid"), Some("true"), "{control}");
    let described = attribute(control, "aria-describedby").expect("a description");
    let error = described.split(' ').next().expect("the error first");
    let text = words(part(html, &format!("id=\"{error}\""), "</p>"));
    assert!(text.ends_with(sentence), "{text}");
    assert!(
        html.contains("role=\"alert\"") || html.contains("class=\"panel confirm\""),
        "an alert above the form"
    );
}
