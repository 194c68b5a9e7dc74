//! Draws a maze, rooms and arenas in first person: `first_person DIRECTORY` writes pictures, `first_person` alone prints
//! how many frames a second of processor time makes, and what a tilted picture costs in level ones.

use std::error::Error;
use std::hint::black_box;
use std::{env, fs};

use heldout_render::first_person::{
    Camera, Floor, Grid, Object, Paint, Scene, Shape, Sky, Surface, Textures, Wall, draw,
};
use heldout_render::{Image, Rgb, encode, upscale};

const TEXTURE_SEED: u64 = 1;
const ZENITH: Rgb = Rgb::new(70, 120, 200);
const HORIZON: Rgb = Rgb::new(190, 215, 240);

/// A scene that owns what a [`Scene`] borrows.
struct World {
    cell: f32,
    columns: usize,
    rows: usize,
    cells: Vec<u8>,
    walls: Vec<Wall>,
    floor: Floor,
    sky: Sky,
    objects: Vec<Object>,
}

impl World {
    fn scene<'a>(&'a self, textures: &'a Textures) -> Scene<'a> {
        Scene {
            grid: Grid {
                x: 0.0,
                z: 0.0,
                cell: self.cell,
                columns: self.columns,
                rows: self.rows,
                cells: &self.cells,
                walls: &self.walls,
            },
            textures,
            floor: self.floor,
            sky: &self.sky,
            objects: &self.objects,
        }
    }
}

/// Numbers to scatter things by.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / 16_777_216.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.unit() * end as f32) as usize % end
    }
}

fn surface(texture: u16, tint: Rgb) -> Surface {
    Surface { texture, tint }
}

/// A maze of 21 by 21 cells with corridors and a few rooms.
fn maze() -> World {
    const SIDE: usize = 21;
    let mut dice = Dice(5);
    let mut cells = vec![1_u8; SIDE * SIDE];
    let (mut path, mut seen) = (vec![(1_usize, 1_usize)], vec![false; SIDE * SIDE]);
    while let Some(&(x, z)) = path.last() {
        seen[z * SIDE + x] = true;
        cells[z * SIDE + x] = 0;
        let mut ways = Vec::new();
        for (dx, dz) in [(0_isize, 2_isize), (2, 0), (0, -2), (-2, 0)] {
            let (to_x, to_z) = (x as isize + dx, z as isize + dz);
            let inside = to_x > 0 && to_z > 0 && to_x < SIDE as isize && to_z < SIDE as isize;
            if inside && !seen[to_z as usize * SIDE + to_x as usize] {
                ways.push((to_x as usize, to_z as usize));
            }
        }
        if ways.is_empty() {
            path.pop();
        } else {
            let to = ways[dice.below(ways.len())];
            cells[z.midpoint(to.1) * SIDE + x.midpoint(to.0)] = 0;
            path.push(to);
        }
    }
    for (x0, z0) in [(3, 3), (13, 5), (5, 13)] {
        for z in z0..z0 + 5 {
            cells[z * SIDE + x0..z * SIDE + x0 + 5].fill(0);
        }
    }
    for (place, cell) in cells.iter_mut().enumerate() {
        if *cell == 1 && place % 10 == 3 {
            *cell = 2;
        }
    }
    let wall = |texture, tint| Wall::Solid { height: 100.0, surface: surface(texture, tint) };
    World {
        cell: 100.0,
        columns: SIDE,
        rows: SIDE,
        cells,
        walls: vec![wall(Textures::TILE, Rgb::new(210, 190, 160)), wall(Textures::CROSSES, Rgb::new(235, 120, 90))],
        floor: Floor { surface: surface(Textures::GROUND, Rgb::new(150, 150, 165)), period: 100.0 },
        sky: Sky::with_landmarks(ZENITH, HORIZON),
        objects: vec![Object {
            x: 550.0,
            y: 40.0,
            z: 650.0,
            shape: Shape::Sphere { radius: 18.0 },
            paint: Paint::Emissive(Rgb::new(250, 220, 40)),
        }],
    }
}

/// Two rooms with a corridor, a half lowered gate and boxes.
fn rooms() -> World {
    const COLUMNS: usize = 10;
    const ROWS: usize = 24;
    let mut cells = vec![0_u8; COLUMNS * ROWS];
    for z in 0..ROWS {
        for x in 0..COLUMNS {
            let room = (1..9).contains(&x) && ((1..9).contains(&z) || (15..23).contains(&z));
            let corridor = (4..6).contains(&x) && (9..15).contains(&z);
            if !room && !corridor {
                cells[z * COLUMNS + x] = match z {
                    0..=9 => 1,
                    10..=13 => 2,
                    _ => 3,
                };
            }
        }
    }
    for (row, first) in [(11, 4), (13, 6)] {
        cells[row * COLUMNS + 4..row * COLUMNS + 6].copy_from_slice(&[first, first + 1]);
    }
    let wall = |texture, tint| Wall::Solid { height: 3.0, surface: surface(texture, tint) };
    // A gate is two blocks: each lies within its cell.
    let gate = |x: f32, z: f32, height| Wall::Block {
        x0: x,
        z0: z - 0.1,
        x1: x + 1.0,
        z1: z + 0.1,
        height,
        surface: surface(Textures::PANELS, Rgb::new(150, 150, 160)),
    };
    let colours = [
        Rgb::new(230, 25, 25),
        Rgb::new(30, 180, 30),
        Rgb::new(30, 60, 230),
        Rgb::new(245, 245, 245),
        Rgb::new(90, 105, 125),
        Rgb::new(250, 225, 25),
        Rgb::new(130, 40, 170),
    ];
    let objects = colours.iter().zip(0..).map(|(&colour, index)| Object {
        x: 2.0 + 2.5 * (index % 3) as f32,
        y: if index == 6 { 2.0 } else { 0.5 },
        z: 2.0 + 1.6 * (index / 3) as f32,
        shape: Shape::Box { half: [0.5; 3], yaw: 0.2 * index as f32 },
        paint: Paint::Flat(colour),
    });
    World {
        cell: 1.0,
        columns: COLUMNS,
        rows: ROWS,
        cells,
        walls: vec![
            wall(Textures::BRICK, Rgb::new(225, 160, 130)),
            wall(Textures::STRIPES, Rgb::new(170, 190, 170)),
            wall(Textures::HEX, Rgb::new(150, 170, 225)),
            gate(4.0, 11.5, 1.2),
            gate(5.0, 11.5, 1.2),
            gate(4.0, 13.5, 3.0),
            gate(5.0, 13.5, 3.0),
        ],
        floor: Floor { surface: surface(Textures::NOISE, Rgb::new(190, 190, 190)), period: 2.0 },
        sky: Sky::plain(ZENITH, HORIZON),
        objects: objects.collect(),
    }
}

/// An arena of 25 by 25 metres with 25 buildings, or none.
fn arena(buildings: bool) -> World {
    const SIDE: usize = 7;
    let mut dice = Dice(11);
    let mut cells = vec![0_u8; SIDE * SIDE];
    let edge = Wall::Solid { height: 3.0, surface: surface(Textures::STONE, Rgb::new(200, 195, 185)) };
    let mut walls = vec![edge];
    for z in 0..SIDE {
        for x in 0..SIDE {
            if x == 0 || z == 0 || x == SIDE - 1 || z == SIDE - 1 {
                cells[z * SIDE + x] = 1;
            } else if buildings {
                let (west, south) = (5.0 * x as f32 + 1.0 + dice.unit(), 5.0 * z as f32 + 1.0 + dice.unit());
                let (width, length) = (1.5 + dice.unit(), 1.5 + dice.unit());
                let tint = Rgb::HUES[dice.below(10)];
                let texture = Textures::WALLS[dice.below(12)];
                walls.push(Wall::Block {
                    x0: west,
                    z0: south,
                    x1: west + width,
                    z1: south + length,
                    height: 2.0 + 3.0 * dice.unit(),
                    surface: surface(texture, tint),
                });
                cells[z * SIDE + x] = walls.len() as u8;
            }
        }
    }
    let (texture, period) = if buildings { (Textures::GRASS, 2.0) } else { (Textures::NOISE, 4.0) };
    World {
        cell: 5.0,
        columns: SIDE,
        rows: SIDE,
        cells,
        walls,
        floor: Floor { surface: surface(texture, Rgb::new(150, 180, 130)), period },
        sky: Sky::with_landmarks(ZENITH, HORIZON),
        objects: vec![Object {
            x: 17.5,
            y: 0.8,
            z: 20.5,
            shape: Shape::Sphere { radius: 0.4 },
            paint: Paint::Rings(Rgb::new(230, 30, 200), Rgb::new(30, 220, 60)),
        }],
    }
}

/// Rows of blocks, one of each wall texture.
fn gallery() -> World {
    let walls = Textures::WALLS.iter().zip(0..).map(|(&texture, index)| Wall::Block {
        x0: 1.0 + 3.4 * index as f32,
        z0: 3.0,
        x1: 4.0 + 3.4 * index as f32,
        z1: 4.0,
        height: 3.0,
        surface: surface(texture, Rgb::WHITE),
    });
    World { cell: 3.0, columns: 16, rows: 8, cells: Vec::new(), walls: walls.collect(), ..rooms() }
}

/// The gallery needs blocks that reach over several cells: each is cut into one part a cell.
fn gallery_cut() -> World {
    let mut world = gallery();
    let whole = std::mem::take(&mut world.walls);
    world.cells = vec![0; world.columns * world.rows];
    world.objects.clear();
    for wall in whole {
        let Wall::Block { x0, z0, x1, z1, height, surface } = wall else { continue };
        for column in 0..world.columns {
            let (west, east) = (column as f32 * world.cell, (column + 1) as f32 * world.cell);
            if x0.max(west) < x1.min(east) && world.cells[world.columns + column] == 0 {
                let (x0, x1) = (x0.max(west), x1.min(east));
                world.walls.push(Wall::Block { x0, z0, x1, z1, height, surface });
                world.cells[world.columns + column] = world.walls.len() as u8;
            }
        }
    }
    world
}

fn camera(x: f32, y: f32, z: f32, yaw: f32, pitch: f32) -> Camera {
    Camera { x, y, z, yaw, pitch, tan_half_height: 0.75 }
}

fn pictures(directory: &str, textures: &Textures) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let shots = [
        ("maze_corridor", maze(), camera(150.0, 50.0, 150.0, 0.3, 0.0)),
        ("maze_room", maze(), camera(420.0, 50.0, 350.0, 0.4, 0.0)),
        ("room_boxes", rooms(), camera(5.0, 1.5, 8.0, 3.3, 0.0)),
        ("room_gate", rooms(), camera(4.6, 1.5, 7.5, 0.1, 0.0)),
        ("room_down", rooms(), camera(5.0, 1.5, 8.0, 3.3, -0.5)),
        ("arena", arena(true), camera(17.0, 1.5, 8.0, 0.1, 0.0)),
        ("arena_sun", arena(true), camera(7.0, 1.5, 5.5, 0.7, 0.0)),
        ("arena_up", arena(true), camera(17.0, 1.5, 8.0, 0.1, 0.6)),
        ("arena_steep", arena(true), camera(17.0, 9.0, 8.0, 0.1, -1.2)),
        ("empty_north", arena(false), camera(17.5, 1.5, 17.5, 0.3, 0.0)),
        ("empty_south", arena(false), camera(17.5, 1.5, 17.5, 3.2, 0.0)),
        ("gallery", gallery_cut(), camera(21.0, 1.5, -18.0, 0.0, 0.0)),
        ("above", arena(true), camera(17.0, 12.0, 1.0, 0.2, 0.0)),
    ];
    // Two contact sheets, of what an agent sees and of what a person sees, and each shot by itself.
    let rows = shots.len().div_ceil(4);
    let mut sheets = [Image::new(4 * 384, rows * 288), Image::new(4 * 384, rows * 288)];
    for (place, (name, world, camera)) in shots.iter().enumerate() {
        let scene = world.scene(textures);
        for (sheet, factor) in sheets.iter_mut().zip([4, 1]) {
            let mut tile = Image::new(384 / factor, 288 / factor);
            draw(&scene, camera, &mut tile.canvas());
            let (x, y) = (place % 4 * 384, place / 4 * 288);
            sheet.canvas().blit(x as i32, y as i32, upscale(tile.view(), factor).view());
        }
        let mut image = Image::new(640, 480);
        draw(&scene, camera, &mut image.canvas());
        fs::write(format!("{directory}/{name}.png"), encode::png(image.view())?)?;
    }
    for (name, sheet) in ["agent", "person"].iter().zip(&sheets) {
        fs::write(format!("{directory}/sheet_{name}.png"), encode::png(sheet.view())?)?;
    }
    Ok(())
}

/// Nanoseconds of processor time that this thread has used.
fn processor_time() -> Result<u64, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split_whitespace().next().ok_or("no time in schedstat")?.parse()?)
}

/// Frames per second of processor time from each list of places, the best of a few runs. They take turns, so that what
/// else the machine does falls on all of them.
fn measure<const N: usize>(
    world: &World,
    textures: &Textures,
    places: &[Vec<Camera>; N],
    size: (usize, usize),
) -> Result<[f64; N], Box<dyn Error>> {
    let mut image = Image::new(size.0, size.1);
    let scene = world.scene(textures);
    let mut best = [0.0_f64; N];
    for _ in 0..10 {
        for (best, places) in best.iter_mut().zip(places) {
            let start = processor_time()?;
            let mut frames = 0_u32;
            let mut spent = 0;
            while spent < 50_000_000 {
                for camera in places {
                    draw(black_box(&scene), camera, &mut image.canvas());
                    black_box(image.pixels());
                }
                frames += places.len() as u32;
                spent = processor_time()? - start;
            }
            *best = best.max(f64::from(frames) * 1e9 / spent as f64);
        }
    }
    Ok(best)
}

/// Places in open cells, looking anywhere.
fn places(world: &World, eye: f32, pitch: f32) -> Vec<Camera> {
    let mut dice = Dice(3);
    let mut places = Vec::new();
    while places.len() < 200 {
        let (column, row) = (dice.below(world.columns), dice.below(world.rows));
        let (x, z) = ((column as f32 + dice.unit()) * world.cell, (row as f32 + dice.unit()) * world.cell);
        let free = match world.cells[row * world.columns + column] {
            0 => true,
            n => matches!(world.walls[n as usize - 1], Wall::Block { x0, z0, x1, z1, .. }
                if x < x0 || x > x1 || z < z0 || z > z1),
        };
        if free {
            places.push(camera(x, eye, z, dice.unit() * 6.3, pitch));
        }
    }
    places
}

fn main() -> Result<(), Box<dyn Error>> {
    let textures = Textures::new(TEXTURE_SEED);
    if let Some(directory) = env::args().nth(1) {
        return pictures(&directory, &textures);
    }
    let worlds = [
        ("maze", maze(), 50.0),
        ("rooms", rooms(), 1.5),
        ("arena with buildings", arena(true), 1.5),
        ("empty arena", arena(false), 1.5),
    ];
    let pitches = [0.0, 0.3, -0.3, 0.8, -0.8, 1.5, -1.5];
    println!("frames per second level, and how many times that a picture costs at a pitch of {:?}", &pitches[1..]);
    for size in [(96, 72), (84, 84)] {
        for (name, world, eye) in &worlds {
            let [level, tilted @ ..] =
                measure(world, &textures, &pitches.map(|pitch| places(world, *eye, pitch)), size)?;
            print!("{name:22} {}x{} {level:8.0}", size.0, size.1);
            for tilted in tilted {
                print!(" {:5.2}", level / tilted);
            }
            println!();
        }
    }
    Ok(())
}
