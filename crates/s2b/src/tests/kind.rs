//! The kind of task that measures languages.

use std::sync::Arc;

use heldout_core::{Asked, AskedCondition, Kind, Measured, Player, Prepared, Speaker, Stimuli, Told};
use serde_json::{Map, Value, json};

use super::{find, near};
use crate::kind::Language;

/// What is measured of `player` under each of `conditions`.
fn measured(player: Player<'_>, conditions: &[Value], episodes: Option<u64>) -> Result<Vec<Arc<dyn Measured>>, String> {
    let (keys, overrides) = (Map::new(), Map::new());
    let condition = |value: &Value| AskedCondition { name: "a", overrides: value.as_object().unwrap().clone() };
    let conditions = conditions.iter().map(condition).collect();
    let entry = find("s2b/game-v1").unwrap();
    let asked =
        Asked { entry, keys: &keys, overrides: &overrides, conditions, episodes, cut: false, player, stop: &|| false };
    match Language.prepare(&asked, 4)? {
        Prepared::Measured(all) => Ok(all.into_iter().collect()),
        Prepared::Problems(_) => panic!("languages are not played"),
    }
}

fn refused(player: Player<'_>, overrides: Value) -> String {
    measured(player, &[overrides], None).map(|_| ()).unwrap_err()
}

#[test]
fn a_kind_without_keys_refuses_any() {
    assert_eq!(Language.check(&Map::new(), &["whatever"]), Ok(()));
    let keys = json!({"languages": 3}).as_object().unwrap().clone();
    let error = Language.check(&keys, &[]).unwrap_err();
    assert_eq!((error.key.as_str(), error.value.as_str()), ("kind.languages", "3"));
    assert!(error.allowed.contains("is no key"), "{}", error.allowed);
}

#[test]
fn languages_are_measured_space_by_space() {
    let full = json!({"min_values": 5});
    let all = measured(Player::Scripted("speaker=posdis,listener=nearest"), &[full, json!({})], Some(3)).unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].metrics(), ["topsim", "posdis", "bosdis"]);
    assert_eq!((all[0].policy().as_str(), all[0].samples()), ("posdis", 3));
    let sample = all[0].sample(2).unwrap();
    assert_eq!(sample.length, 125, "every meaning of five values on three dimensions");
    // The exact value of check 23.
    near("topsim", sample.metrics["topsim"], 0.9421, 5e-5);
    near("posdis", sample.metrics["posdis"], 1.0, 1e-12);
    assert_eq!(sample, all[0].sample(2).unwrap(), "a sample is what its number and the seed say");
    assert_ne!(all[1].sample(0).unwrap().length, all[1].sample(1).unwrap().length, "each is of a space of its own");
    let oracle = measured(Player::Scripted("oracle"), &[json!({})], None).unwrap();
    assert_eq!((oracle[0].policy().as_str(), oracle[0].samples()), ("oracle", 20));
    assert_eq!(oracle[0].sample(0), all[1].sample(0), "the oracle is `posdis`");
}

#[test]
fn what_cannot_be_measured_is_named() {
    let posdis = Player::Scripted("posdis");
    for (player, overrides, words) in [
        (Player::Agent(Told::default()), json!({}), vec!["cannot be asked what it says"]),
        (Player::Scripted("nobody"), json!({}), vec!["`nobody`", "`posdis`", "`bag-of-symbols`", "`oracle`"]),
        (posdis, json!({"vocabulary": 4}), vec!["`vocabulary` is `4`", "at least 5", "`posdis`"]),
        (Player::Scripted("bag-of-symbols"), json!({}), vec!["`vocabulary` is `6`", "at least 15"]),
        (posdis, json!({"message_length": 2}), vec!["`message_length` is `2`", "`dims` = 3"]),
        (posdis, json!({"dims": 1}), vec!["`dims` is `1`", "2 to 8"]),
        (posdis, json!({"words": 1}), vec!["`words`"]),
    ] {
        let error = refused(player, overrides);
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}

/// Says the section of each number, of five: the words of `posdis`, read off the stimuli.
struct Reads {
    /// Tokens too many.
    more: usize,
}

impl Speaker for Reads {
    fn utter(&self, stimuli: &Stimuli<'_>) -> Result<Vec<u32>, String> {
        assert_eq!((stimuli.width, stimuli.length, stimuli.vocabulary), (3, 3, 6));
        assert_eq!(stimuli.config["samples"], 2);
        let section = |x: &f32| ((f64::from(*x) + 1.0) * 2.5).floor().clamp(0.0, 4.0) as u32 + 1;
        let said = stimuli.numbers.iter().map(section).chain(std::iter::repeat_n(1, self.more));
        Ok(said.collect())
    }
}

/// Seam S8: a speaker that is not scripted is shown every meaning in every look.
#[test]
fn the_language_of_an_agent_is_measured_of_what_it_says() {
    let overrides = json!({"min_values": 5, "samples": 2});
    let speaker: Arc<dyn Speaker> = Arc::new(Reads { more: 0 });
    let told = |speaker| Player::Agent(Told { speaker: Some(speaker), ..Told::default() });
    let own = measured(told(&speaker), std::slice::from_ref(&overrides), Some(2)).unwrap();
    let sample = own[0].sample(1).unwrap();
    assert_eq!((own[0].samples(), sample.length), (2, 250));
    assert_eq!(own[0].policy(), "an agent");
    assert_eq!(own[0].metrics(), ["topsim", "posdis", "bosdis"]);
    near("posdis", sample.metrics["posdis"], 1.0, 1e-12);
    // Two looks of a meaning are two stimuli at no distance, said alike.
    assert!(sample.metrics["topsim"] > 0.9421, "{sample:?}");
    let many: Arc<dyn Speaker> = Arc::new(Reads { more: 1 });
    let error = measured(told(&many), std::slice::from_ref(&overrides), None).unwrap()[0].sample(0).unwrap_err();
    assert_eq!(error, "the speaker said 751 tokens, must be 3 of each of 250 stimuli");
    // Whoever else plays, a scripted speaker is measured by its rule.
    let partners = Player::Agent(Told { partners: "speaker=posdis", ..Told::default() });
    assert_eq!(measured(partners, &[overrides], None).unwrap()[0].policy(), "posdis");
}
