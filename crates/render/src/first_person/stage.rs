//! A scene made ready for one camera: what both ways of drawing share.

use crate::Rgb;
use crate::first_person::colour::{FULL, Tint, turns};
use crate::first_person::lens::{Lens, finite};
use crate::first_person::object::Placed;
use crate::first_person::texture::{Level, Texture};
use crate::first_person::walk::{Plan, Stretch};
use crate::first_person::{Camera, MAX_OBJECTS, Scene, Side, Sky, Wall};

/// The light on the sides that face east or west, 0.85 (memory spec, 5.2); the others have all of it.
const SIDE_LIGHT: u32 = 218;

/// The light on the top of a wall.
const TOP_LIGHT: u32 = 236;

/// Texels along the finest level of a texture.
const TEXELS: f32 = 64.0;

/// How a side of a wall is painted.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) texture: &'a Texture,
    pub(super) tint: Tint,
    /// How far the eye is from where the texture begins, along the side, and whether it runs that way or back.
    pub(super) origin: f32,
    pub(super) sign: f32,
    /// The repetitions of the texture from the eye's height up to where it begins.
    pub(super) anchor: f32,
}

/// Everything that is computed once for a picture.
pub(super) struct Stage<'a> {
    pub(super) lens: Lens,
    pub(super) plan: Plan<'a>,
    pub(super) sky: &'a Sky,
    scene: Scene<'a>,
    floor: &'a Texture,
    floor_tint: Tint,
    floor_repeats: f32,
    /// Texels of a wall's texture to a pixel at depth one.
    wall_texels: f32,
    /// The objects that may be in the picture come first.
    objects: [Option<Placed>; MAX_OBJECTS],
    seen: usize,
}

impl<'a> Stage<'a> {
    pub(super) fn new(scene: &Scene<'a>, camera: &Camera, width: usize, height: usize) -> Self {
        let lens = Lens::new(camera, width, height);
        let plan = Plan::new(scene.grid, lens.eye[0], lens.eye[2]);
        let mut objects = [None; MAX_OBJECTS];
        let mut seen = 0;
        for placed in scene.objects.iter().take(MAX_OBJECTS).filter_map(|object| Placed::new(object, &lens)) {
            objects[seen] = Some(placed);
            seen += 1;
        }
        let period = finite(scene.floor.period);
        Self {
            lens,
            plan,
            sky: scene.sky,
            scene: *scene,
            floor: scene.textures.get(scene.floor.surface.texture),
            floor_tint: Tint::new(scene.floor.surface.tint, FULL),
            floor_repeats: if period > 0.0 { 1.0 / period.max(1e-6) } else { 0.0 },
            wall_texels: lens.pixel() * TEXELS * plan.repeats_per_unit,
            objects,
            seen,
        }
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = &Placed> {
        self.objects[..self.seen].iter().flatten()
    }

    /// How coarse a wall is drawn at a depth.
    pub(super) fn wall_level(&self, depth: f32) -> Level {
        Level::of(depth * self.wall_texels)
    }

    pub(super) fn texture(&self, stretch: &Stretch) -> &'a Texture {
        self.scene.textures.get(stretch.surface.texture)
    }

    /// The tint of the side of a wall.
    pub(super) fn wall_tint(stretch: &Stretch) -> Tint {
        Self::tint(stretch.surface.tint, stretch.side)
    }

    fn tint(tint: Rgb, side: Side) -> Tint {
        Tint::new(tint, if matches!(side, Side::North | Side::South) { FULL } else { SIDE_LIGHT })
    }

    /// The place of a point on the side of a wall within a repetition of its texture, to the right as seen.
    pub(super) fn wall_u(&self, stretch: &Stretch, depth: f32, [east, north]: [f32; 2]) -> u32 {
        let (x, z) = (self.lens.eye[0] - stretch.origin[0], self.lens.eye[2] - stretch.origin[1]);
        let place = match stretch.side {
            Side::South => x + depth * east,
            Side::North => -(x + depth * east),
            Side::West => -(z + depth * north),
            Side::East => z + depth * north,
        };
        turns(place * self.plan.repeats_per_unit)
    }

    /// The place downwards within a repetition of a wall's texture: at slope zero, and for a unit of slope upwards.
    pub(super) fn wall_v(&self, stretch: &Stretch, depth: f32) -> (f32, f32) {
        ((stretch.anchor - self.lens.eye[1]) * self.plan.repeats_per_unit, -(depth * self.plan.repeats_per_unit))
    }

    /// The look of no wall.
    pub(super) fn plain_look(&self) -> Look<'a> {
        Look { texture: self.floor, tint: self.floor_tint, origin: 0.0, sign: 1.0, anchor: 0.0 }
    }

    /// How a side of a wall is painted: [`Stage::wall_u`] and its kin for all rays that meet it.
    pub(super) fn look(&self, wall: u8, side: Side) -> Look<'a> {
        let wall = &self.plan.grid.walls[usize::from(wall)];
        let ([x, z], anchor) = self.plan.origin(wall);
        let (Wall::Solid { surface, .. } | Wall::Block { surface, .. }) = wall;
        let (origin, sign) = match side {
            Side::South => (self.lens.eye[0] - x, 1.0),
            Side::North => (self.lens.eye[0] - x, -1.0),
            Side::West => (self.lens.eye[2] - z, -1.0),
            Side::East => (self.lens.eye[2] - z, 1.0),
        };
        Look {
            texture: self.scene.textures.get(surface.texture),
            tint: Self::tint(surface.tint, side),
            origin,
            sign,
            anchor: (anchor - self.lens.eye[1]) * self.plan.repeats_per_unit,
        }
    }

    /// The colour of a wall's top where a ray meets it.
    pub(super) fn top_colour(&self, wall: u8, depth: f32, [east, north]: [f32; 2]) -> [u8; 3] {
        let wall = &self.plan.grid.walls[usize::from(wall)];
        let ([x, z], _) = self.plan.origin(wall);
        let (Wall::Solid { surface, .. } | Wall::Block { surface, .. }) = wall;
        let (x, z) = (self.lens.eye[0] - x, self.lens.eye[2] - z);
        let u = turns((x + depth * east) * self.plan.repeats_per_unit);
        let v = turns(-(z + depth * north) * self.plan.repeats_per_unit);
        let texel = self.scene.textures.get(surface.texture).sample(self.wall_level(depth), u, v);
        Tint::new(surface.tint, TOP_LIGHT).apply(texel)
    }

    /// The place of a point of the floor within a repetition of its texture: to the east, and to the south.
    pub(super) fn floor_place(&self, depth: f32, [east, north]: [f32; 2]) -> [u32; 2] {
        let (x, z) = (self.lens.eye[0] + depth * east, self.lens.eye[2] + depth * north);
        [turns(x * self.floor_repeats), turns(-(z * self.floor_repeats))]
    }

    /// The same for a step across the floor.
    pub(super) fn floor_step(&self, depth: f32, [east, north]: [f32; 2]) -> [u32; 2] {
        [turns(depth * east * self.floor_repeats), turns(-(depth * north * self.floor_repeats))]
    }

    /// The floor's texture and tint, and how coarse it is drawn at a depth: by the mean of a pixel's extent across and
    /// ahead at pitch zero.
    pub(super) fn floor_look(&self, depth: f32) -> (&'a Texture, Tint, Level) {
        let extent = (depth + depth * depth / self.lens.eye[1]) * 0.5 * self.lens.pixel();
        (self.floor, self.floor_tint, Level::of(extent * TEXELS * self.floor_repeats))
    }

    /// The colour of the floor where a ray meets it.
    pub(super) fn floor_colour(&self, depth: f32, ray: [f32; 2]) -> [u8; 3] {
        let (texture, tint, level) = self.floor_look(depth);
        let [u, v] = self.floor_place(depth, ray);
        tint.apply(texture.sample(level, u, v))
    }
}
