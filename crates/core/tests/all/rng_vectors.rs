//! The generator's streams, frozen. The numbers were computed by an independent program from the published algorithms;
//! they never change: every recorded score depends on them.

use heldout_core::{Rng, Seed};

#[test]
fn words_of_the_stream() {
    let mut rng = Rng::new(Seed(0));
    for word in [
        0x5317_5d61_490b_23df,
        0x61da_6f3d_c380_d507,
        0x5c0f_df91_ec9a_7bfc,
        0x02ee_bf8c_3bbe_5e1a,
        0x7eca_04eb_af4a_5eea,
    ] {
        assert_eq!(rng.next_u64(), word);
    }
    let mut rng = Rng::new(Seed(1));
    for word in [
        0xcfc5_d07f_6f03_c29b,
        0xbf42_4132_963f_e08d,
        0x19a3_7d57_57aa_f520,
        0xbf08_119f_05cd_56d6,
        0x2f47_184b_8618_6fa4,
    ] {
        assert_eq!(rng.next_u64(), word);
    }
    let mut rng = Rng::new(Seed(3_735_928_559));
    for word in [
        0x0c52_0eb8_fea9_8ede,
        0x2b74_a633_8b80_e0e2,
        0xbe23_8770_c379_5322,
        0x5f23_5f98_a244_ea97,
        0xe004_f0cc_1514_d858,
    ] {
        assert_eq!(rng.next_u64(), word);
    }
}

#[test]
fn derived_seeds() {
    assert_eq!(Seed(0).derive(0), Seed(0x4821_8226_ff3c_d4bf));
    assert_eq!(Seed(0).derive(1), Seed(0xea85_68d2_e45f_d6cb));
    assert_eq!(Seed(1).derive(0), Seed(0x4450_18e3_0581_0b78));
    assert_eq!(Seed(7).derive(12345), Seed(0x6ad6_7697_e348_ed3f));
    assert_eq!(Seed(0).stream(""), Seed(0x9f93_cd3b_b32d_b940));
    assert_eq!(Seed(0).stream("layout"), Seed(0xe8a0_07e0_3132_476c));
    assert_eq!(Seed(1).stream("layout"), Seed(0xaf91_651e_68f3_100a));
    assert_eq!(Seed(1).stream("policy"), Seed(0xf0d7_fbea_960a_2233));
}

#[test]
fn bounded_integers() {
    let mut rng = Rng::new(Seed(5));
    let drawn: Vec<u32> = (0..16).map(|_| rng.below(10)).collect();
    assert_eq!(drawn, [2, 6, 0, 0, 5, 7, 4, 0, 8, 8, 9, 8, 9, 4, 5, 9]);
    // A bound above 2^31 rejects often.
    let mut rng = Rng::new(Seed(6));
    let drawn: Vec<u32> = (0..8).map(|_| rng.below(3_000_000_000)).collect();
    assert_eq!(
        drawn,
        [
            1_935_731_286,
            430_965_672,
            1_448_989_583,
            2_411_863_715,
            311_226_032,
            325_340_978,
            132_443_955,
            1_037_621_961
        ]
    );
    let mut rng = Rng::new(Seed(6));
    let drawn: Vec<i32> = (0..8).map(|_| rng.between(-3, 3)).collect();
    assert_eq!(drawn, [1, 1, 0, -2, 2, 0, -3, 2]);
}

#[test]
fn unit_floats() {
    let mut rng = Rng::new(Seed(7));
    for expected in [0x3fac_5834_0055_5d20, 0x3fc6_07e4_6efd_274c, 0x3fe6_f662_3676_1a8b, 0x3fdb_5767_da98_c600_u64] {
        assert_eq!(rng.unit().to_bits(), expected);
    }
}

#[test]
fn orders() {
    let mut items: Vec<u32> = (0..12).collect();
    Rng::new(Seed(8)).shuffle(&mut items);
    assert_eq!(items, [0, 10, 2, 5, 7, 1, 8, 9, 6, 3, 11, 4]);
}

#[test]
fn gaussian_moments() {
    let mut rng = Rng::new(Seed(9));
    let n = 200_000;
    let (mut sum, mut squares, mut fourth) = (0.0, 0.0, 0.0);
    for _ in 0..n {
        let x = rng.gaussian();
        assert!(x.is_finite());
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
    }
    let n = f64::from(n);
    // Five standard errors: 1, 2 and 96 are the variances of x, x^2 and x^4.
    assert!((sum / n).abs() < 5.0 * (1.0 / n).sqrt());
    assert!((squares / n - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
    assert!((fourth / n - 3.0).abs() < 5.0 * (96.0 / n).sqrt());
}

#[test]
fn weights_are_proportions() {
    let mut rng = Rng::new(Seed(10));
    let mut counts = [0_u32; 4];
    for _ in 0..100_000 {
        counts[rng.weighted(&[1.0, 0.0, 3.0, 4.0])] += 1;
    }
    assert_eq!(counts[1], 0);
    for (count, p) in counts.into_iter().zip([0.125_f64, 0.0, 0.375, 0.5]) {
        let sigma = (100_000.0 * p * (1.0 - p)).sqrt();
        assert!((f64::from(count) - 100_000.0 * p).abs() <= 5.0 * sigma, "{counts:?}");
    }
}

/// What the derived draws give, to the last bit.
#[test]
fn derived_draws() {
    let mut rng = Rng::new(Seed(11));
    let gaussians: Vec<u64> = (0..4).map(|_| rng.gaussian().to_bits()).collect();
    assert_eq!(gaussians, [0x3fe6_0919_9159_80c4, 0xc000_7424_a60e_7086, 0xbfc6_e4a9_8006_1c95, 0x3fe0_c321_8654_c884]);
    let mut rng = Rng::new(Seed(12));
    let picked: Vec<usize> = (0..12).map(|_| rng.weighted(&[1.0, 2.0, 0.5])).collect();
    assert_eq!(picked, [1, 2, 1, 0, 2, 0, 1, 1, 1, 1, 2, 0]);
    let mut rng = Rng::new(Seed(13));
    let tossed: Vec<bool> = (0..10).map(|_| rng.chance(0.3)).collect();
    assert_eq!(tossed, [true, true, false, false, true, true, true, true, false, true]);
    let mut rng = Rng::new(Seed(14));
    let letters: String = (0..10).map(|_| *rng.pick(&['a', 'b', 'c', 'd', 'e'])).collect();
    assert_eq!(letters, "eadddbeaec");
}
