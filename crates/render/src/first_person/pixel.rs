//! Drawing pixel by pixel, at any pitch: one ray each over the same grid.

use crate::first_person::colour::turns;
use crate::first_person::stage::Stage;
use crate::first_person::walk::Walk;

/// Draws every pixel by a ray of its own, and its depth if that is asked for.
pub(super) fn draw(stage: &Stage<'_>, pixels: &mut [[u8; 3]], mut depths: Option<&mut [f32]>) {
    let (lens, width) = (&stage.lens, stage.lens.width());
    for row in 0..lens.height() {
        let up = lens.up_slope(row);
        for column in 0..width {
            let ray = lens.ray(lens.right_slope(column), up);
            let (mut depth, mut colour) = behind_objects(stage, ray);
            for object in stage.objects().filter(|object| object.covers_column(column) && object.covers_row(row)) {
                if let Some((nearer, paint)) = object.hit(ray)
                    && nearer < depth
                {
                    (depth, colour) = (nearer, paint);
                }
            }
            pixels[row * width + column] = colour;
            if let Some(depths) = &mut depths {
                depths[row * width + column] = depth;
            }
        }
    }
}

/// The depth and the colour of wall, floor or sky along a ray.
fn behind_objects(stage: &Stage<'_>, [east, up, north]: [f32; 3]) -> (f32, [u8; 3]) {
    let (eye, plan) = (stage.lens.eye[1], &stage.plan);
    let level = [east, north];
    let floor = if up < 0.0 { -eye / up } else { f32::INFINITY };
    // Beyond this the ray is under the floor or above all walls.
    let until = if up > 0.0 { (plan.tallest - eye) / up } else { floor };
    let mut walk = Walk::new(plan, east, north);
    while let Some(stretch) = walk.next(plan, until) {
        let enter = stretch.enter.max(plan.near);
        let height = eye + enter * up;
        if height < 0.0 || (up >= 0.0 && height >= plan.tallest) {
            break;
        }
        if height < stretch.height && !stretch.inside {
            let (place, per_slope) = stage.wall_v(&stretch, enter);
            let v = turns(place + per_slope * up);
            let texel =
                stage.texture(&stretch).sample(stage.wall_level(enter), stage.wall_u(&stretch, enter, level), v);
            return (enter, Stage::wall_tint(&stretch).apply(texel));
        }
        if stretch.height < eye && up < 0.0 {
            let depth = (stretch.height - eye) / up;
            if depth <= stretch.leave {
                return (depth, stage.top_colour(&stretch, depth, level));
            }
        }
    }
    if up < 0.0 {
        return (floor, stage.floor_colour(floor, level));
    }
    let length = (east * east + north * north).sqrt();
    (f32::INFINITY, stage.sky.colour(east, north, up / length.max(1e-6)))
}
