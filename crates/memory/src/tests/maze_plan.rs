//! How the plan of a maze is made: doors, and bends on plans drawn by hand.

use crate::level::Drawn;
use crate::maze::bends::{self, straighten};
use crate::maze::plan::{Plan, Sizes, Tile};
use heldout_core::Seed;
use std::collections::BTreeMap;

const SCALES: [Drawn; 4] = [Drawn::Small, Drawn::Interpolate, Drawn::Large, Drawn::Extrapolate];

fn rows(text: &[&str]) -> Vec<String> {
    text.iter().map(|row| (*row).to_owned()).collect()
}

/// The same plan a quarter turn clockwise.
fn turned(rows: &[String]) -> Vec<String> {
    let at = |z: usize, x: usize| char::from(rows[z].as_bytes()[x]);
    (0..rows.len()).map(|z| (0..rows.len()).map(|x| at(rows.len() - 1 - x, z)).collect()).collect()
}

fn written(plan: &Plan) -> Vec<String> {
    let side = i32::from(plan.side());
    let letter = |tile| match tile {
        Tile::Wall => '#',
        Tile::Corridor => '.',
        _ => 'o',
    };
    (0..side).rev().map(|z| (0..side).map(|x| letter(plan.at(x, z))).collect()).collect()
}

/// What `change` makes of `before`, in all four orientations, must be `after`.
fn check(before: &[&str], after: &[&str], change: impl Fn(&mut Plan)) {
    let (mut before, mut after) = (rows(before), rows(after));
    for quarter in 0..4 {
        let mut plan = Plan::read(&before);
        change(&mut plan);
        assert_eq!(written(&plan), after, "after {quarter} quarter turns");
        (before, after) = (turned(&before), turned(&after));
    }
}

/// Pulls the first bend around a run of this length. True if there was one.
fn pull_first(plan: &mut Plan, length: i32) -> bool {
    bends::pull_first(plan, &(length..length + 1)).is_some()
}

/// A bend around one cell, then around two and three: its corridor comes down as long as it has wall below.
#[test]
fn amendment_41_a_bend_is_pulled_row_by_row_in_all_orientations() {
    let one = [
        "#########",
        "##...####",
        "##.#.####",
        "##.#.####",
        "##.#.####",
        "##.#.####",
        "##.#.####",
        "##.###.##",
        "#########",
    ];
    // The last pull needs wall two rows below the corridor, and corridor on both sides.
    let pulled = [
        "#########",
        "#########",
        "#########",
        "#########",
        "#########",
        "#########",
        "##...####",
        "##.###.##",
        "#########",
    ];
    check(&one, &pulled, |plan| assert!(pull_first(plan, 1)));
    let two = [
        "#########",
        "#########",
        "##....###",
        "##.##.###",
        "##.##.###",
        "##.##.###",
        "...##....",
        "#########",
        "#########",
    ];
    let pulled = [
        "#########",
        "#########",
        "#########",
        "#########",
        "#########",
        "#########",
        ".........",
        "#########",
        "#########",
    ];
    check(&two, &pulled, |plan| assert!(pull_first(plan, 2)));
    let three = [
        "#########",
        "#.....###",
        "#.###.###",
        "#.###.###",
        "#.ooo.###",
        "#.ooo.###",
        "#.ooo.###",
        "#.###.###",
        "#########",
    ];
    // A room in the way: the corridor stops before it would touch it.
    let pulled = [
        "#########",
        "#########",
        "#.....###",
        "#.###.###",
        "#.ooo.###",
        "#.ooo.###",
        "#.ooo.###",
        "#.###.###",
        "#########",
    ];
    check(&three, &pulled, |plan| assert!(pull_first(plan, 3)));
}

/// A bend around four cells is none for a pass of another length.
#[test]
fn amendment_41_each_pass_has_its_length() {
    let bend = [
        "#########",
        "#......##",
        "#.####.##",
        "#.####.##",
        "#.####.##",
        "#.####.##",
        "#.####.##",
        "#.####.##",
        "#########",
    ];
    for length in [1, 2, 3, 5, 6, 7, 8] {
        check(&bend, &bend, |plan| assert!(!pull_first(plan, length)));
    }
    let mut pulled = ["#########"; 9];
    pulled[7] = "#......##";
    check(&bend, &pulled, |plan| assert!(pull_first(plan, 4)));
    // The longest run of nine cells, and the one step beyond that has no room: 5 + 3 < 9, 6 + 3 = 9.
    let longest = [
        "#########",
        "#.......#",
        "#.#####.#",
        "#.#####.#",
        "#.#####.#",
        "#.#####.#",
        "#.#####.#",
        "#.#####.#",
        "#########",
    ];
    pulled[7] = "#.......#";
    check(&longest, &pulled, straighten);
}

/// Any cell of the pattern that is another thing keeps the corridor where it is.
#[test]
fn amendment_41_every_cell_of_the_pattern_counts() {
    let bend = rows(&[
        "#########",
        "#########",
        "##....###",
        "##.##.###",
        "###ooo###",
        "###ooo###",
        "###ooo###",
        "#########",
        "#########",
    ]);
    let mut fitting = bend.clone();
    fitting[4] = "#########".to_owned();
    assert!(pull_first(&mut Plan::read(&fitting), 2));
    assert!(!pull_first(&mut Plan::read(&bend), 2), "wall below the run");
    let run = [(3, 3), (4, 3), (3, 4), (4, 4)];
    let above = (2..6).map(|x| (x, 1)).chain([(1, 2), (6, 2)]);
    let corridor = (2..6).map(|x| (x, 2)).chain([(2, 3), (5, 3)]);
    let walls = run.into_iter().chain(above);
    let changes = walls.flat_map(|at| [(at, '.'), (at, 'o')]).chain(corridor.flat_map(|at| [(at, '#'), (at, 'o')]));
    let mut seen = 0;
    for ((x, z), letter) in changes {
        let mut other = fitting.clone();
        other[z].replace_range(x..=x, &letter.to_string());
        for _ in 0..4 {
            let mut plan = Plan::read(&other);
            assert!(!pull_first(&mut plan, 2), "`{letter}` at {x}, {z}");
            assert_eq!(written(&plan), other);
            other = turned(&other);
        }
        seen += 1;
    }
    assert_eq!(seen, 32);
    // What is not of the pattern does not count: the cells beside the legs, and those at their ends.
    for (x, z) in [(1, 3), (6, 3), (2, 4), (5, 4), (1, 1), (6, 1)] {
        let mut other = fitting.clone();
        other[z].replace_range(x..=x, ".");
        assert!(pull_first(&mut Plan::read(&other), 2), "at {x}, {z}");
    }
}

/// A pass pulls one bend; after one around a single cell longer runs are looked at, so that the second bend stays.
#[test]
fn amendment_41_some_bends_stay() {
    let two = rows(&[
        "###########",
        "#...###...#",
        "#.#.###.#.#",
        "#.#.###.#.#",
        "###########",
        "###########",
        "###########",
        "###########",
        "###########",
        "###########",
        "###########",
    ]);
    let mut left = two.clone();
    left[1] = "#######...#".to_owned();
    left[2] = "#######.#.#".to_owned();
    left[3] = "#...###.#.#".to_owned();
    let mut plan = Plan::read(&two);
    straighten(&mut plan);
    assert_eq!(written(&plan), left);
    // With a bend around two cells there is a second beginning, and with it a second short one.
    let mut three = two;
    three[6] = "#....######".to_owned();
    three[7] = "#.##.######".to_owned();
    let mut straight = rows(&["###########"; 11]);
    straight[3] = "#...###...#".to_owned();
    straight[7] = "#....######".to_owned();
    let mut plan = Plan::read(&three);
    straighten(&mut plan);
    assert_eq!(written(&plan), straight);
}

/// Of the mazes that are drawn some keep a bend around one cell, and none has one that a full rule set would have pulled
/// beyond the first pass: a plan that is straightened changes again only by the bends that were left.
#[test]
fn amendment_41_drawn_mazes_are_straightened() {
    let mut plan = Plan::default();
    let (mut left, mut longer) = (0, 0);
    for (seed, scale) in (0..100).flat_map(|seed| SCALES.map(move |scale| (seed, scale))) {
        plan.draw(&Sizes::of(scale), &mut Seed(seed).rng());
        left += usize::from(pull_first(&mut plan.clone(), 1));
        longer += (2..i32::from(plan.side()) - 3).filter(|&b| pull_first(&mut plan.clone(), b)).count();
    }
    assert_eq!(longer, 0, "no bend around a longer run stays");
    assert!(left > 20, "{left}");
}

/// Doors stand beside odd cells only, and two rooms that face each other with odd cells have exactly one between them.
#[test]
fn amendment_41_doors_stand_beside_odd_cells_and_one_joins_two_regions() {
    let mut plan = Plan::default();
    let mut joined = 0;
    for (seed, scale) in (0..200).flat_map(|seed| SCALES.map(move |scale| (seed, scale))) {
        plan.draw(&Sizes::of(scale), &mut Seed(seed).rng());
        let side = i32::from(plan.side());
        let floor = |x: i32, z: i32| !matches!(plan.at(x, z), Tile::Wall | Tile::Corridor);
        // A room is named by its south-western cell.
        let room = |mut x: i32, mut z: i32| {
            floor(x, z).then(|| {
                while floor(x - 1, z) {
                    x -= 1;
                }
                while floor(x, z - 1) {
                    z -= 1;
                }
                (x, z)
            })
        };
        let (mut doors, mut facing) = (Vec::new(), Vec::new());
        for (x, z) in (1..side - 1).flat_map(|z| (1..side - 1).map(move |x| (x, z))) {
            for (dx, dz) in [(1, 0), (0, 1)] {
                let pair = (room(x - dx, z - dz), room(x + dx, z + dz));
                let door = plan.at(x, z) == Tile::Corridor;
                if door && (pair.0.is_some() || pair.1.is_some()) {
                    assert!((x + z) % 2 == 1, "a door at ({x}, {z})");
                }
                let (Some(a), Some(b)) = pair else { continue };
                // Within a room the cell itself is floor.
                if room(x, z).is_none() {
                    doors.extend(door.then_some((a, b)));
                    facing.extend(((x + z) % 2 == 1).then_some((a, b)));
                }
            }
        }
        joined += doors.len();
        facing.sort_unstable();
        facing.dedup();
        doors.sort_unstable();
        assert_eq!(doors, facing, "seed {seed}, {scale:?}");
    }
    assert!(joined > 500, "{joined}");
}

/// Two rooms and a corridor along both sides of one of them: every wall beside an odd cell that two regions share is as
/// likely to be opened as the others, around a corner too, and exactly one of them is.
#[test]
fn amendment_41_doors_are_uniform_over_the_wall_that_two_regions_share() {
    const DRAWS: u32 = 6_000;
    let regions = [
        "###########",
        "#111#222#3#",
        "#111#222#3#",
        "#111#222#3#",
        "#111#222#3#",
        "#111#222#3#",
        "#111#222#3#",
        "#111#222#3#",
        "#########3#",
        "#333333333#",
        "###########",
    ];
    let shared: [&[(i32, i32)]; 3] =
        [&[(4, 3), (4, 5), (4, 7), (4, 9)], &[(1, 2), (3, 2)], &[(5, 2), (7, 2), (8, 3), (8, 5), (8, 7), (8, 9)]];
    let mut opened: BTreeMap<(i32, i32), u32> = BTreeMap::new();
    for seed in 0..DRAWS {
        let doors = Plan::doors(&regions, &mut Seed(seed.into()).rng());
        let of = shared.map(|wall| doors.iter().filter(|door| wall.contains(door)).count());
        assert_eq!((of, doors.len()), ([1; 3], 3), "{doors:?}");
        for door in doors {
            *opened.entry(door).or_default() += 1;
        }
    }
    for wall in shared {
        let share = 1.0 / wall.len() as f64;
        let sigma = (f64::from(DRAWS) * share * (1.0 - share)).sqrt();
        for door in wall {
            let count = f64::from(opened.get(door).copied().unwrap_or(0));
            assert!((count - f64::from(DRAWS) * share).abs() < 5.0 * sigma, "{door:?}: {count} of {DRAWS}");
        }
    }
}

/// What is drawn as a whole is as even: between two rooms the first wall of several is opened as often as the last.
#[test]
fn amendment_41_doors_between_drawn_rooms_are_as_often_at_either_end() {
    let mut plan = Plan::default();
    let mut ends = [0.0_f64; 2];
    for seed in 0..1_500 {
        plan.draw(&Sizes::of(Drawn::Large), &mut Seed(seed).rng());
        let floor = |x: i32, z: i32| !matches!(plan.at(x, z), Tile::Wall | Tile::Corridor);
        let between = |x: i32, z: i32| !floor(x, z) && floor(x - 1, z) && floor(x + 1, z);
        let side = i32::from(plan.side());
        for (x, first) in (2..side).step_by(2).flat_map(|x| (1..side).step_by(2).map(move |z| (x, z))) {
            // One pair of rooms shares a run of wall whose rows have floor on both sides without a break.
            let goes_on = |z: i32| between(x, z) && floor(x - 1, z - 1) && floor(x + 1, z - 1);
            if !between(x, first) || goes_on(first) {
                continue;
            }
            let last = (first..).step_by(2).take_while(|&z| z == first || goes_on(z)).last().unwrap_or(first);
            if last > first {
                ends[0] += f64::from(u8::from(plan.is_open(x, first)));
                ends[1] += f64::from(u8::from(plan.is_open(x, last)));
            }
        }
    }
    let all = ends[0] + ends[1];
    assert!(all > 1_000.0 && (ends[0] - ends[1]).abs() < 5.0 * all.sqrt(), "{ends:?}");
}
