//! Turns the part of the page that is on screen into what the server says it should be, touching only what
//! differs.
//!
//! Elements with `data-key` keep their identity among their siblings, all others keep their place. So focus,
//! open popovers, text selection and scroll positions stay where they are. What is inside `data-own` was written
//! by the browser and stays as it is.

use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlInputElement, Node};

use super::announce;

/// How to treat what differs.
#[derive(Clone, Copy)]
pub(super) struct Patch {
    /// Rows keep their order, because somebody points at them.
    pub(super) hold: bool,
    /// Changed values light up.
    pub(super) flash: bool,
}

impl Patch {
    /// Makes `old` like `new`.
    pub(super) fn element(self, old: &Element, new: &Element) {
        if old.is_equal_node(Some(new)) || old.node_name() == "LEPTOS-ISLAND" {
            return;
        }
        attributes(old, new);
        if old.has_attribute("data-own") {
            return;
        }
        if let Some(input) = old.dyn_ref::<HtmlInputElement>() {
            value(input, new);
        }
        self.children(old, new);
    }

    fn children(self, old: &Element, new: &Element) {
        let known = js_sys::Map::new();
        each_child(old, |child| {
            if let Some(key) = key(child) {
                known.set(&key, child);
            }
        });
        if known.size() > 0 {
            drop_missing(old, new);
        }
        let hold = self.hold && old.has_attribute("data-rows");
        let mut place = old.first_child();
        let mut before: Option<Node> = None;
        each_child(new, |wanted| {
            let found = match key(wanted) {
                Some(key) => known.get(&key).dyn_into::<Node>().ok(),
                None => place.clone().filter(|node| key_less(node) && alike(node, wanted)),
            };
            let Some(found) = found.filter(|node| alike(node, wanted)) else {
                if let Ok(copy) = document().import_node_with_deep(wanted, true) {
                    let here = if hold { held_place(wanted, before.as_ref()) } else { place.clone() };
                    let _ = old.insert_before(&copy, here.as_ref());
                    if let Some(part) = copy.dyn_ref::<Element>().filter(|_| self.flash) {
                        announce::note(part);
                    }
                    before = Some(copy);
                }
                return;
            };
            if place.as_ref().is_some_and(|place| place.is_same_node(Some(&found))) {
                place = found.next_sibling();
            } else if !hold {
                let _ = old.insert_before(&found, place.as_ref());
            }
            self.node(&found, wanted);
            before = Some(found);
        });
        while let Some(node) = place {
            place = node.next_sibling();
            if key_less(&node) {
                let _ = old.remove_child(&node);
            }
        }
    }

    fn node(self, old: &Node, new: &Node) {
        if let (Some(old), Some(new)) = (old.dyn_ref::<Element>(), new.dyn_ref::<Element>()) {
            self.element(old, new);
        } else if old.node_value() != new.node_value() {
            old.set_node_value(new.node_value().as_deref());
            if self.flash {
                flash(old);
            }
        }
    }
}

/// What a new row stands before while rows keep their places: nothing, for it comes last; but the instances of a group
/// stay with the row of the group.
fn held_place(wanted: &Node, before: Option<&Node>) -> Option<Node> {
    let instances = wanted.dyn_ref::<Element>().is_some_and(|row| row.class_list().contains("inst"));
    before.filter(|_| instances).and_then(Node::next_sibling)
}

/// Removes keyed children that are no longer wanted, or that became another kind of element.
fn drop_missing(old: &Element, new: &Element) {
    let wanted = js_sys::Map::new();
    each_child(new, |child| {
        if let Some(key) = key(child) {
            wanted.set(&key, child);
        }
    });
    each_child(old, |child| {
        let Some(key) = key(child) else { return };
        if !wanted.get(&key).dyn_ref::<Node>().is_some_and(|wanted| alike(child, wanted)) {
            let _ = old.remove_child(child);
        }
    });
}

/// Children may leave while this runs.
fn each_child(parent: &Element, mut action: impl FnMut(&Node)) {
    let mut next = parent.first_child();
    while let Some(child) = next {
        next = child.next_sibling();
        action(&child);
    }
}

fn key(node: &Node) -> Option<JsValue> {
    node.dyn_ref::<Element>()?.get_attribute("data-key").map(JsValue::from)
}

fn key_less(node: &Node) -> bool {
    !node.dyn_ref::<Element>().is_some_and(|element| element.has_attribute("data-key"))
}

fn alike(one: &Node, other: &Node) -> bool {
    one.node_type() == other.node_type() && one.node_name() == other.node_name()
}

fn attributes(old: &Element, new: &Element) {
    // Whoever has unfolded something wants to read on.
    let own = |name: &String| name == "open" && old.node_name() == "DETAILS";
    let names = |of: &Element| {
        of.get_attribute_names().iter().filter_map(|name| name.as_string()).collect::<Vec<_>>()
    };
    for name in names(new).into_iter().filter(|name| !own(name)) {
        let wanted = new.get_attribute(&name).unwrap_or_default();
        if old.get_attribute(&name).as_deref() != Some(&*wanted) {
            let _ = old.set_attribute(&name, &wanted);
        }
    }
    for name in names(old).into_iter().filter(|name| !own(name)) {
        // What somebody unfolded stays open.
        let unfolded = name == "open" && old.node_name() == "DETAILS";
        if !new.has_attribute(&name) && !unfolded {
            let _ = old.remove_attribute(&name);
        }
    }
}

/// What somebody is typing is theirs.
fn value(old: &HtmlInputElement, new: &Element) {
    let typing = document().active_element().is_some_and(|active| active.is_same_node(Some(old)));
    let wanted = new.get_attribute("value").unwrap_or_default();
    if !typing && old.value() != wanted {
        old.set_value(&wanted);
    }
}

fn flash(text: &Node) {
    if let Some(part) = text.parent_element() {
        announce::note(&part);
    }
    let cell = text.parent_element().and_then(|parent| parent.closest("td, .big").ok().flatten());
    if let Some(cell) = cell.filter(|cell| cell.closest("[popover]").ok().flatten().is_none()) {
        let _ = cell.class_list().add_1("flash");
    }
}
