//! The embedded fonts: which one has a character, and which glyphs a text has in it.
//!
//! Unpacked and parsed once, when the first sheet is drawn. Lengths are in ems: one em is the size of the type.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, LazyLock};

use flate2::read::GzDecoder;
use harfrust::{
    Direction, Feature, Script, ShapeOptions, ShapePlan, Shaper, ShaperData, UnicodeBuffer, script,
};
use krilla::text::{Font, GlyphId, KrillaGlyph};
use parking_lot::Mutex;
use skrifa::charmap::Charmap;
use skrifa::{FontRef, MetadataProvider, Tag};

const REGULAR: &[u8] = include_bytes!("../../fonts/inter-regular.ttf.gz");
const STRONG: &[u8] = include_bytes!("../../fonts/inter-semibold.ttf.gz");
const HEBREW: &[u8] = include_bytes!("../../fonts/noto-hebrew.ttf.gz");
const ARABIC: &[u8] = include_bytes!("../../fonts/noto-arabic.ttf.gz");
const SYMBOLS: &[u8] = include_bytes!("../../fonts/noto-symbols.ttf.gz");
const EMOJI: &[u8] = include_bytes!("../../fonts/noto-emoji.ttf.gz");

/// What is drawn for a character that no font has.
const MISSING: char = '□';

/// How heavy a text is set. Hebrew, Arabic, symbols and emoji have one weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Regular,
    Strong,
}

/// Joiners, variation selectors and the letters of flag sequences have no glyph of their own: they say how their
/// neighbours are drawn.
pub fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}')
}

/// One font.
pub struct Face {
    /// The font as the PDF embeds it.
    pub font: Font,
    parsed: FontRef<'static>,
    characters: Charmap<'static>,
    shaper: ShaperData,
    /// Which tables of the font apply. To look that up takes longer than to shape a short text.
    plans: Mutex<HashMap<PlanKey, Arc<ShapePlan>>>,
    units_per_em: f32,
}

/// Texts of one script, one direction and one kind of figures share a plan. Unicode has some 170 scripts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PlanKey {
    script: Option<Script>,
    right_to_left: bool,
    tabular: bool,
}

impl PlanKey {
    fn direction(self) -> Direction {
        if self.right_to_left { Direction::RightToLeft } else { Direction::LeftToRight }
    }

    fn plan(self, shaper: &Shaper<'_>) -> ShapePlan {
        let figures = [Feature::new(Tag::new(b"tnum"), 1, ..)];
        let features = if self.tabular { figures.as_slice() } else { &[] };
        ShapePlan::new(shaper, self.direction(), self.script, None, features)
    }
}

/// A text's glyphs from left to right, of one font.
pub struct Shaped {
    pub glyphs: Vec<KrillaGlyph>,
    /// The sum of their advances.
    pub width: f32,
}

/// All fonts.
pub struct Faces {
    regular: Face,
    strong: Face,
    /// In the order in which they are asked for a character that the main font lacks.
    others: [Face; 3],
    emoji: Face,
}

/// The fonts, or nothing if one of them is damaged.
pub fn faces() -> Option<&'static Faces> {
    static FACES: LazyLock<Option<Faces>> = LazyLock::new(|| {
        Some(Faces {
            regular: Face::parse(REGULAR)?,
            strong: Face::parse(STRONG)?,
            others: [Face::parse(HEBREW)?, Face::parse(ARABIC)?, Face::parse(SYMBOLS)?],
            emoji: Face::parse(EMOJI)?,
        })
    });
    FACES.as_ref()
}

impl Faces {
    /// The main font.
    pub fn main(&self, weight: Weight) -> &Face {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Strong => &self.strong,
        }
    }

    /// The font that draws this grapheme as a whole.
    pub fn of(&self, grapheme: &str, weight: Weight) -> Option<&Face> {
        // Variation selector 16 and the keycap ask for a picture where a plain sign exists too.
        let wants_picture = grapheme.contains(['\u{fe0f}', '\u{20e3}']);
        let picture = Some(&self.emoji).filter(|_| wants_picture);
        let plain = [self.main(weight)].into_iter().chain(&self.others).chain([&self.emoji]);
        picture.into_iter().chain(plain).find(|face| face.has_all(grapheme))
    }
}

impl Face {
    /// From a font of the binary, which is kept as long as the program runs.
    fn parse(compressed: &[u8]) -> Option<Self> {
        let mut bytes = Vec::new();
        GzDecoder::new(compressed).read_to_end(&mut bytes).ok()?;
        let bytes: &'static [u8] = bytes.leak();
        let parsed = FontRef::new(bytes).ok()?;
        let font = Font::new(bytes.into(), 0)?;
        Some(Self {
            characters: parsed.charmap(),
            shaper: ShaperData::new(&parsed),
            plans: Mutex::default(),
            units_per_em: font.units_per_em(),
            parsed,
            font,
        })
    }

    /// Whether the font has every visible character of this text.
    pub fn has_all(&self, text: &str) -> bool {
        text.chars().all(|letter| is_invisible(letter) || self.characters.map(letter).is_some())
    }

    /// The glyphs of a text that runs in one direction. Nothing if the font lacks one.
    pub fn shape(&self, text: &str, right_to_left: bool, tabular: bool) -> Option<Shaped> {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        let script = Some(buffer.script()).filter(|script| *script != script::UNKNOWN);
        let key = PlanKey { script, right_to_left, tabular };
        buffer.set_direction(key.direction());
        let shaper = self.shaper.shaper(&self.parsed).build();
        let mut plans = self.plans.lock();
        let plan = plans.entry(key).or_insert_with(|| Arc::new(key.plan(&shaper))).clone();
        drop(plans);
        let shaped = shaper.shape(buffer, ShapeOptions::new().plan(Some(&plan)));
        let start = |cluster: u32| usize::try_from(cluster).unwrap_or_default();
        let infos = shaped.glyph_infos();
        let mut starts: Vec<usize> = infos.iter().map(|info| start(info.cluster)).collect();
        starts.sort_unstable();
        let mut glyphs = Vec::with_capacity(infos.len());
        for (info, position) in infos.iter().zip(shaped.glyph_positions()) {
            let start = start(info.cluster);
            let next = starts.partition_point(|other| *other <= start);
            let end = starts.get(next).copied().unwrap_or(text.len());
            if info.glyph_id == 0 {
                return None;
            }
            glyphs.push(KrillaGlyph::new(
                GlyphId::new(info.glyph_id),
                self.ems(position.x_advance),
                self.ems(position.x_offset),
                self.ems(position.y_offset),
                self.ems(position.y_advance),
                start..end,
                None,
            ));
        }
        let width = glyphs.iter().map(|glyph| glyph.x_advance).sum();
        Some(Shaped { glyphs, width })
    }

    /// One replacement for each of these graphemes, which keep their characters when the text is copied.
    pub fn shape_missing<'a>(&self, graphemes: impl Iterator<Item = &'a str>) -> Shaped {
        let sign = self.shape(MISSING.encode_utf8(&mut [0; 4]), false, false);
        let mut shaped = Shaped { glyphs: Vec::new(), width: 0.0 };
        let Some(sign) = sign.and_then(|sign| sign.glyphs.into_iter().next()) else {
            return shaped;
        };
        let mut start = 0;
        for grapheme in graphemes {
            let end = start + grapheme.len();
            shaped.width += sign.x_advance;
            shaped.glyphs.push(KrillaGlyph { text_range: start..end, ..sign.clone() });
            start = end;
        }
        shaped
    }

    /// Font units are at most a few thousand.
    fn ems(&self, units: i32) -> f32 {
        let units = i16::try_from(units).unwrap_or(if units < 0 { i16::MIN } else { i16::MAX });
        f32::from(units) / self.units_per_em
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(shaped: &Shaped) -> Vec<(u32, f32)> {
        shaped.glyphs.iter().map(|glyph| (glyph.glyph_id.to_u32(), glyph.x_advance)).collect()
    }

    #[test]
    fn a_plan_serves_its_own_script_direction_and_figures_alone() {
        let faces = faces().unwrap();
        let shape = |text, right_to_left, tabular| {
            let hebrew = &faces.others[0];
            let face = if right_to_left { hebrew } else { faces.main(Weight::Regular) };
            glyphs(&face.shape(text, right_to_left, tabular).unwrap())
        };
        let all = || {
            let texts = [("111", false, false), ("111", false, true), ("שלום", true, false)];
            texts.map(|(text, right_to_left, tabular)| shape(text, right_to_left, tabular))
        };
        let first = all();
        assert_ne!(first[0], first[1], "figures of one width are other glyphs");
        assert_eq!(all(), first, "the plans are kept now");
        let other = glyphs(&faces.others[0].shape("שלום", false, false).unwrap());
        let ids = |glyphs: &[(u32, f32)]| glyphs.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        let turned: Vec<u32> = ids(&first[2]).into_iter().rev().collect();
        assert_eq!(ids(&other), turned, "the same letters from left to right");
    }
}
