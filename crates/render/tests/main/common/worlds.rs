//! Worlds for the first-person renderer: by hand, and at random.

use std::sync::OnceLock;

use heldout_render::first_person::{
    Camera, Floor, Grid, Object, Paint, Scene, Shape, Sky, Surface, Textures, Wall, draw_with_depth,
};
use heldout_render::{Image, Rgb};

/// Made once: copying them is much quicker.
static TEXTURES: OnceLock<Textures> = OnceLock::new();

/// A scene that owns what a [`Scene`] borrows.
pub(crate) struct World {
    pub(crate) cell: f32,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) cells: Vec<u8>,
    pub(crate) walls: Vec<Wall>,
    pub(crate) floor: Floor,
    pub(crate) sky: Sky,
    pub(crate) objects: Vec<Object>,
    pub(crate) textures: Textures,
}

impl World {
    /// Open ground with plain surfaces.
    pub(crate) fn open(columns: usize, rows: usize, cell: f32) -> Self {
        Self {
            cell,
            columns,
            rows,
            cells: vec![0; columns * rows],
            walls: Vec::new(),
            floor: Floor { surface: plain(Rgb::GREEN), period: 1.0 },
            sky: Sky::plain(Rgb::BLUE, Rgb::BLUE),
            objects: Vec::new(),
            textures: TEXTURES.get_or_init(|| Textures::new(1)).clone(),
        }
    }

    pub(crate) fn grid(&self) -> Grid<'_> {
        let (cell, columns, rows) = (self.cell, self.columns, self.rows);
        Grid { x: 0.0, z: 0.0, cell, columns, rows, cells: &self.cells, walls: &self.walls }
    }

    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene { grid: self.grid(), textures: &self.textures, floor: self.floor, sky: &self.sky, objects: &self.objects }
    }

    /// Puts a wall into a cell.
    pub(crate) fn put(&mut self, column: usize, row: usize, wall: Wall) {
        self.walls.push(wall);
        self.cells[row * self.columns + column] = self.walls.len() as u8;
    }

    /// The picture and its depths, from poisoned memory.
    pub(crate) fn shoot(&self, camera: &Camera, width: usize, height: usize) -> (Image, Vec<f32>) {
        let mut image = Image::filled(width, height, Rgb::new(1, 2, 3));
        let mut depth = vec![f32::NAN; width * height];
        draw_with_depth(&self.scene(), camera, &mut image.canvas(), &mut depth);
        (image, depth)
    }
}

/// A surface of one colour.
pub(crate) fn plain(tint: Rgb) -> Surface {
    Surface { texture: Textures::PLAIN, tint }
}

/// A level camera.
pub(crate) fn camera(x: f32, y: f32, z: f32, yaw: f32) -> Camera {
    Camera { x, y, z, yaw, pitch: 0.0, tan_half_height: 0.75 }
}

/// Numbers that a seed fixes.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    pub(crate) fn between(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * ((self.bits() >> 40) as f32 / 16_777_216.0)
    }

    pub(crate) fn colour(&mut self) -> Rgb {
        Rgb(std::array::from_fn(|_| self.below(256) as u8))
    }

    fn surface(&mut self) -> Surface {
        Surface { texture: self.below(16) as u16, tint: self.colour() }
    }

    /// A world of walls of all heights, blocks, boxes and balls, and a camera in it with its eye at `eye`.
    pub(crate) fn world(&mut self, eye: f32) -> (World, Camera) {
        let cell = [1.0, 5.0, 100.0][self.below(3)];
        let (columns, rows) = (3 + self.below(12), 3 + self.below(12));
        let mut world = World::open(columns, rows, cell);
        let unit = cell.min(5.0) / 2.5;
        let eye = eye * cell / 3.0;
        for place in 0..columns * rows {
            if self.below(100) < 25 {
                let (column, row) = (place % columns, place / columns);
                let height = eye * self.between(0.2, 2.5);
                let surface = self.surface();
                let wall = if self.below(2) == 0 {
                    Wall::Solid { height, surface }
                } else {
                    let (west, south) = (column as f32 * cell, row as f32 * cell);
                    let (x0, z0) = (west + cell * self.between(0.0, 0.5), south + cell * self.between(0.0, 0.5));
                    let (x1, z1) = (x0 + cell * self.between(0.1, 0.5), z0 + cell * self.between(0.1, 0.5));
                    Wall::Block { x0, z0, x1, z1, height, surface }
                };
                world.put(column, row, wall);
            }
        }
        for _ in 0..self.below(12) {
            let shape = if self.below(2) == 0 {
                Shape::Sphere { radius: unit * self.between(0.1, 0.6) }
            } else {
                let half = std::array::from_fn(|_| unit * self.between(0.1, 0.6));
                Shape::Box { half, yaw: if self.below(3) == 0 { 0.0 } else { self.between(-4.0, 4.0) } }
            };
            let (first, second) = (self.colour(), self.colour());
            let paint = match self.below(3) {
                0 => Paint::Flat(first),
                1 => Paint::Emissive(first),
                _ => Paint::Rings(first, second),
            };
            let (x, z) = (self.between(0.0, columns as f32 * cell), self.between(0.0, rows as f32 * cell));
            world.objects.push(Object { x, y: eye * self.between(0.1, 2.0), z, shape, paint });
        }
        world.floor = Floor { surface: self.surface(), period: cell * self.between(0.3, 2.0) };
        let (zenith, horizon) = (self.colour(), self.colour());
        world.sky = if self.below(2) == 0 { Sky::with_landmarks(zenith, horizon) } else { Sky::plain(zenith, horizon) };
        let (x, z) = (self.between(0.0, columns as f32 * cell), self.between(0.0, rows as f32 * cell));
        (world, camera(x, eye, z, self.between(-7.0, 7.0)))
    }
}
