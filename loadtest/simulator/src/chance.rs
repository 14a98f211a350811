//! The random choices of a seed: the same seed makes the same choices on every machine. No other randomness is used.

/// The factors of a weight, of which a seed has one. Seeds differ in what happens often in them and what never: a rare
/// order of things is common in some.
pub const ALWAYS: &[i64] = &[1, 1, 4];
pub const MOSTLY: &[i64] = &[0, 1, 1, 4];
pub const SELDOM: &[i64] = &[0, 0, 1, 4];

/// SplitMix64: small, quick, and good for neighbouring seeds.
pub struct Chance(u64);

impl Chance {
    pub fn of(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to `end`, without `end`.
    pub fn below(&mut self, end: i64) -> i64 {
        let end = u64::try_from(end).unwrap().max(1);
        i64::try_from(self.next() % end).unwrap()
    }

    pub fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(i64::try_from(count).unwrap())).unwrap()
    }

    pub fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }

    pub fn one_in(&mut self, count: i64) -> bool {
        self.below(count) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    /// One of them, as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, from: &[(i64, T)]) -> T {
        let mut left = self.below(from.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in from {
            left -= weight;
            if left < 0 {
                return *item;
            }
        }
        from[0].1
    }
}
