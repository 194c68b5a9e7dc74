//! Views: how an agent sees and acts is its own to choose, because it changes nothing of what it is asked.

use heldout_core::{Buffers, Entry, Options, Reset, Seed};
use serde_json::{Map, Value, json};

/// Episodes that are compared.
const EPISODES: u64 = 6;

/// The whole state in words at the start of some episodes; `None` if the config is none.
fn starts(entry: &'static Entry, overrides: &Map<String, Value>) -> Option<Vec<String>> {
    let mut env = entry.make(overrides, 1, Options::default()).ok()?;
    let mut buffers = Buffers::new(env.spec(), 1);
    let start = |seed| {
        env.reset(Reset::seed(Seed(seed)), buffers.output()).unwrap();
        env.words(0).unwrap()
    };
    Some((0..EPISODES).map(start).collect())
}

/// Other values of a key: the other truth, other numbers, or the other names that the refusal of a wrong one lists.
fn others(entry: &'static Entry, key: &str) -> Vec<Value> {
    match &entry.defaults()[key] {
        Value::Bool(is) => vec![json!(!is)],
        Value::Number(n) => {
            let n = n.as_u64().unwrap_or_else(|| panic!("{}: `{key}` is a number of things", entry.id()));
            [n - 1, n + 1, n / 2, n * 2].into_iter().map(|n| json!(n)).collect()
        }
        Value::String(now) => {
            let wrong = Map::from_iter([(key.to_owned(), json!("no such value"))]);
            let told = entry.configure(&wrong).unwrap_err().to_string();
            let names = told.rsplit("expected").next().unwrap_or_default().split('`').skip(1).step_by(2);
            names.filter(|name| name != now).map(|name| json!(name)).collect()
        }
        other => panic!("{}: `{key}` is `{other}`, which this test cannot change", entry.id()),
    }
}

pub(crate) fn a_view_changes_no_problem(entry: &'static Entry) {
    let about = entry.about;
    // Some keys go together: an aid may need numbers in place of a picture.
    let bases = [Map::new(), entry.smallest()];
    let asked = bases.each_ref().map(|base| starts(entry, base).expect("a base is a config"));
    for key in about.views.iter().chain(about.aids) {
        assert!(entry.defaults().get(key).is_some(), "{}: there is no key `{key}`", entry.id());
        assert_ne!(*key, about.split_key, "{}: what is held out is no view", entry.id());
        let mut changed = 0;
        for value in others(entry, key) {
            for (base, asked) in bases.iter().zip(&asked) {
                let mut overrides = base.clone();
                overrides.insert((*key).to_owned(), value.clone());
                if let Some(seen) = starts(entry, &overrides) {
                    changed += 1;
                    assert_eq!(*asked, seen, "{}: `{key}` = `{value}` poses another problem", entry.id());
                }
            }
        }
        assert!(changed > 0, "{}: `{key}` has no other value", entry.id());
    }
    assert!(about.views.iter().all(|key| !about.aids.contains(key)), "{}: an aid is no view", entry.id());
}

pub(crate) fn scripted_policies_see_what_they_may(entry: &'static Entry) {
    for policy in entry.policies() {
        let view = policy.view();
        let may = |key: &&String| entry.about.views.iter().chain(entry.about.aids).any(|known| known == key);
        let odd: Vec<&String> = view.keys().filter(|key| !may(key)).collect();
        assert!(odd.is_empty(), "{}: `{}` sees by {odd:?}, neither views nor aids", entry.id(), policy.name);
        // What it declares is what it needs: under its view, it plays.
        let mut env = entry.make(&view, 1, Options::default()).unwrap_or_else(|e| panic!("{}: {e}", policy.name));
        if !view.is_empty() {
            let agent = policy.agent.unwrap_or(0);
            env.seat(agent, policy.name, Seed(0)).unwrap_or_else(|e| panic!("{}: {e}", entry.id()));
        }
    }
}
