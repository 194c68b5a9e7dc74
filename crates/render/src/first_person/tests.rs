//! A tilted picture by beams against one by a ray for each pixel.

use crate::Rgb;
use crate::first_person::stage::Stage;
use crate::first_person::{
    Camera, Floor, Grid, Object, Paint, Scene, Shape, Sky, Surface, Textures, Wall, pixel, tilt,
};

/// Numbers that a seed fixes.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end)) as u32
    }

    fn between(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * (self.below(1 << 16) as f32 / 65_536.0)
    }

    /// Often one of the ends.
    fn from(&mut self, from: f32, to: f32) -> f32 {
        match self.below(6) {
            0 => from,
            1 => to,
            _ => self.between(from, to),
        }
    }
}

/// A town of blocks, walls of several heights and a wall around, with objects between them; with `low` none of its walls
/// ends the view.
struct Town {
    /// The south-western corner and the side of a cell.
    corner: [f32; 2],
    cell: f32,
    side: usize,
    cells: Vec<u8>,
    walls: Vec<Wall>,
    objects: Vec<Object>,
}

impl Town {
    fn new(dice: &mut Dice, low: bool, crowd: u32) -> Self {
        let side = 6 + dice.below(20) as usize;
        let surface = |dice: &mut Dice| Surface {
            texture: dice.below(16) as u16,
            tint: Rgb::new(dice.below(256) as u8, dice.below(256) as u8, dice.below(256) as u8),
        };
        let cell = [1.0, 5.0, 100.0][dice.below(3) as usize];
        let corner = [dice.between(-9.0, 9.0) * cell, 0.0];
        let mut town = Self { corner, cell, side, cells: vec![0; side * side], walls: Vec::new(), objects: Vec::new() };
        town.walls.push(Wall::Solid { height: cell * if low { 0.6 } else { 2.0 }, surface: surface(dice) });
        for place in 0..side * side {
            let (column, row) = (place % side, place / side);
            if [column, row].iter().any(|&at| at == 0 || at == side - 1) {
                town.cells[place] = 1;
            } else if dice.below(crowd) == 0 && town.walls.len() < 200 {
                let height = cell * dice.between(0.2, if low { 0.6 } else { 2.0 });
                let surface = surface(dice);
                let wall = match dice.below(4) {
                    0 | 1 => Wall::Solid { height, surface },
                    // Within the cell, up to its edges; or into the next one, where it is cut.
                    kind => {
                        let within = if kind == 2 { 0.5 } else { 0.6 };
                        let (x, z) = (column as f32 + dice.from(0.0, 0.5), row as f32 + dice.from(0.0, 0.5));
                        let (x1, z1) = (x + dice.from(0.05, within), z + dice.from(0.05, within));
                        let [x0, x1] = [x, x1].map(|x| corner[0] + x * cell);
                        let [z0, z1] = [z, z1].map(|z| corner[1] + z * cell);
                        Wall::Block { x0, z0, x1, z1, height, surface }
                    }
                };
                town.walls.push(wall);
                town.cells[place] = town.walls.len() as u8;
            }
        }
        town
    }

    /// Balls and boxes, some of them around a place.
    fn scatter(&mut self, dice: &mut Dice, around: [f32; 2]) {
        for index in 0..dice.below(9) {
            let shape = if dice.below(2) == 0 {
                Shape::Sphere { radius: self.cell * dice.between(0.05, 0.5) }
            } else {
                let half = [0; 3].map(|_| self.cell * dice.between(0.05, 0.5));
                Shape::Box { half, yaw: if dice.below(3) == 0 { 0.0 } else { dice.between(-4.0, 4.0) } }
            };
            let paint = [Paint::Flat(Rgb::RED), Paint::Emissive(Rgb::TEAL), Paint::Rings(Rgb::RED, Rgb::BLUE)];
            let reach = self.cell * if index % 2 == 0 { 1.0 } else { 8.0 };
            let [x, z] = around.map(|middle| middle + reach * dice.between(-1.0, 1.0));
            let y = self.cell * dice.between(0.0, 1.5);
            self.objects.push(Object { x, y, z, shape, paint: paint[dice.below(3) as usize] });
        }
    }

    fn scene<'a>(&'a self, textures: &'a Textures, sky: &'a Sky) -> Scene<'a> {
        let surface = Surface { texture: Textures::GROUND, tint: Rgb::new(180, 170, 160) };
        Scene {
            grid: Grid {
                x: self.corner[0],
                z: self.corner[1],
                cell: self.cell,
                columns: self.side,
                rows: self.side,
                cells: &self.cells,
                walls: &self.walls,
            },
            textures,
            floor: Floor { surface, period: 2.0 * self.cell },
            sky,
            objects: &self.objects,
        }
    }
}

#[derive(Default)]
struct Tally {
    pictures: usize,
    pixels: usize,
    differing: usize,
    walks: usize,
}

impl Tally {
    /// Draws a picture both ways, from poisoned memory.
    fn compare(&mut self, scene: &Scene<'_>, camera: &Camera, (width, height): (usize, usize)) {
        let stage = Stage::new(scene, camera, width, height);
        let mut pictures = [vec![[0; 3]; width * height], vec![[1; 3]; width * height]];
        let mut depths = [vec![f32::NAN; width * height], vec![f32::NAN; width * height]];
        let [first, second] = &mut pictures;
        self.walks += tilt::draw(&stage, first, Some(&mut depths[0]));
        pixel::draw(&stage, second, &mut depths[1]);
        let same = |place: usize| first[place] == second[place] && depths[0][place] == depths[1][place];
        self.differing += (0..width * height).filter(|&place| !same(place)).count();
        self.pixels += width * height;
        self.pictures += 1;
    }

    /// Looks around in many towns, in which one cell of `crowd` has something in it.
    fn towns(low: bool, crowd: u32, seed: u64, sizes: &[(usize, usize)]) -> Self {
        let (textures, sky) =
            (Textures::new(3), [Sky::with_landmarks(Rgb::BLUE, Rgb::WHITE), Sky::plain(Rgb::BLUE, Rgb::RED)]);
        let mut dice = Dice(seed);
        let mut tally = Self::default();
        for index in 0..200 {
            let mut town = Town::new(&mut dice, low, crowd);
            let place = [0, 1].map(|axis| {
                let place = dice.between(1.0, town.side as f32 - 1.0);
                // Some stand on a line between cells, or in the middle of one.
                let place = if dice.below(8) == 0 { (place * 2.0).floor() * 0.5 } else { place };
                town.corner[axis] + place * town.cell
            });
            town.scatter(&mut dice, place);
            let yaw = dice.between(-4.0, 4.0);
            let camera = Camera {
                x: place[0],
                y: town.cell * if low { 0.5 } else { dice.between(0.1, 1.5) },
                z: place[1],
                yaw: if dice.below(8) == 0 { std::f32::consts::FRAC_PI_2 * yaw.floor() } else { yaw },
                pitch: dice.between(-1.57, 1.57),
                tan_half_height: if dice.below(4) == 0 { dice.between(0.2, 2.0) } else { 0.75 },
            };
            tally.compare(&town.scene(&textures, &sky[index % 2]), &camera, sizes[index % sizes.len()]);
        }
        tally
    }
}

/// Every pixel and every depth, to the bit: of walls, tops, floor, sky and objects, near and far, looking anywhere.
#[test]
fn amendment_47_a_tilted_picture_is_the_one_that_a_ray_for_each_pixel_draws() {
    for (low, crowd, seed) in [(false, 4, 1), (true, 4, 2), (false, 15, 3), (true, 15, 4)] {
        let Tally { pictures, pixels, differing, .. } = Tally::towns(low, crowd, seed, &[(96, 72), (84, 84), (95, 71)]);
        assert_eq!(differing, 0, "of {pixels} pixels in {pictures} pictures");
    }
}

/// Wider than what is drawn together, and so wide that roundings of a column are larger.
#[test]
fn amendment_47_a_wide_tilted_picture_is_drawn_in_parts() {
    let Tally { pixels, differing, .. } = Tally::towns(false, 10, 5, &[(1300, 9), (513, 12), (1, 40)]);
    assert_eq!(differing, 0, "of {pixels} pixels");
}

/// The work of a tilted picture: a small part of the walks that its pixels would take.
#[test]
fn amendment_47_few_walks_serve_all_pixels_of_a_tilted_picture() {
    // About as much in the way as in the tasks, and more.
    for (crowd, seed, part) in [(25, 3, 40), (8, 4, 12)] {
        let Tally { pixels, walks, .. } = Tally::towns(false, crowd, seed, &[(96, 72)]);
        assert!(walks * part <= pixels, "{walks} walks for {pixels} pixels");
    }
}
