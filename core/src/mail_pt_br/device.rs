//! What a browser calls itself, in words: "Chrome no Windows". The list of sessions says the same
//! (`web/src/lib/device.ts`); the golden cases of `core/tests/vectors/devices.json` hold the two together. Pure.

/// What the well-known ones write of themselves. Most also name the ones that they descend from: the first counts.
const BROWSERS: [(&str, &str); 12] = [
    ("Edg/", "Edge"),
    ("Edge/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("Opera", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 8] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "Mac"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
];
/// Characters of another one's own text.
const LONGEST: usize = 60;

pub fn name(user_agent: &str) -> String {
    let (browser, system) = (known(user_agent, &BROWSERS), known(user_agent, &SYSTEMS));
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} no {system}"),
        (Some(half), None) | (None, Some(half)) => half.to_owned(),
        (None, None) => {
            let own: String = user_agent.trim().chars().take(LONGEST).collect();
            if own.is_empty() { "Dispositivo desconhecido".to_owned() } else { own }
        }
    }
}

fn known(user_agent: &str, marks: &[(&str, &'static str)]) -> Option<&'static str> {
    marks.iter().find(|(mark, _)| user_agent.contains(*mark)).map(|(_, name)| *name)
}
