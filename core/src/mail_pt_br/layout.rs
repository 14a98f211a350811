//! The blocks of a mail as plain text and as HTML. Everything that a person typed is text in both; the HTML escapes
//! it.
//!
//! Outlook for Windows draws HTML as Word does: of what is used here, cells of tables alone have a padding and nothing
//! has a greatest width, a cell does not take the font of what is around its table, and a list of fonts that begins
//! with an unknown one is Times New Roman. It alone reads what stands behind `[if mso]`, and `mso-padding-alt`.

use super::Block::{self, Code, Facts, Link, Paragraph};

const SIGNATURE: &str = "Equipe Bipe";
const FONT: &str = "'Segoe UI',system-ui,Roboto,Arial,sans-serif";

pub(super) fn as_text(blocks: &[Block]) -> String {
    let mut parts: Vec<String> = blocks
        .iter()
        .map(|block| match block {
            Paragraph(text) | Code(text) => one_line(text),
            Link(label, url) => format!("{label}:\n{url}"),
            Facts(facts) => {
                let line =
                    |(label, value): &(&str, String)| format!("{label}: {}", one_line(value));
                let lines = facts.iter().map(line);
                lines.collect::<Vec<_>>().join("\n")
            }
        })
        .collect();
    parts.push(SIGNATURE.into());
    parts.join("\n\n") + "\n"
}

/// The web app's mark, out of table cells: mail programs show no SVG and fetch no picture unasked.
fn mark() -> String {
    let widths = [3, 3, 3, 1, 3, 4, 3, 1, 3];
    let cell = |(at, width): (usize, &u8)| {
        let bar = if at % 2 == 1 { ";background:#FFFFFF" } else { "" };
        format!("<td style=\"padding:0;width:{width}px;height:7px{bar}\"></td>")
    };
    let bars: String = widths.iter().enumerate().map(cell).collect();
    format!(
        "<table role=\"presentation\" aria-hidden=\"true\" cellspacing=\"0\" \
         style=\"background:#0B5F5C;border:4px solid #0B5F5C;border-radius:8px;border-collapse:separate;\
         width:32px;height:32px;font-size:0;line-height:0\">\
         <tr><td colspan=\"9\" style=\"padding:0;height:4px\"></td></tr>\
         <tr>{bars}</tr><tr><td colspan=\"9\" style=\"padding:0;height:2px;background:#F2B04C\"></td></tr>\
         <tr>{bars}</tr><tr><td colspan=\"9\" style=\"padding:0;height:4px\"></td></tr></table>"
    )
}

/// The colours and the label motif of the web app's light theme.
pub(super) fn as_html(subject: &str, blocks: &[Block]) -> String {
    let mut links = 0;
    let body: String = blocks
        .iter()
        .map(|block| {
            links += usize::from(matches!(block, Link(..)));
            block_html(block, links == 1)
        })
        .collect();
    format!(
        "<!doctype html><html lang=\"pt-BR\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light\"><title>{}</title></head>\
         <body style=\"margin:0;background:#F6F4EE;color:#191D1C;\
         font:16px/24px {FONT}\">\
         <!--[if mso]><table role=\"presentation\" align=\"center\" width=\"520\" cellspacing=\"0\"><tr><td>\
         <![endif]--><div style=\"max-width:520px;margin:0 auto;padding:32px 16px\">\
         <table role=\"presentation\" cellspacing=\"0\" style=\"margin:0 0 16px\"><tr><td style=\"padding:0\">{}</td>\
         <td style=\"padding:0 0 0 10px;font:700 26px/32px {FONT};letter-spacing:-0.03em\">bipe</td></tr></table>\
         <table role=\"presentation\" cellspacing=\"0\" style=\"width:100%;table-layout:fixed;\
         border-collapse:separate;background:#FFFFFF;border:1px solid #DAD5C8;border-radius:10px\">\
         <tr><td style=\"padding:24px 24px 8px;font:16px/24px {FONT};overflow-wrap:break-word\">{body}\
         </td></tr></table>\
         <p style=\"margin:16px 0 0;color:#555A56;font-size:13px\">{SIGNATURE}</p></div>\
         <!--[if mso]></td></tr></table><![endif]--></body></html>",
        escape(subject),
        mark(),
    )
}

/// One button a mail: its first link; further ones are words.
fn block_html(block: &Block, is_button: bool) -> String {
    match block {
        Paragraph(text) => format!("<p style=\"margin:0 0 16px\">{}</p>", escape(text)),
        Code(text) => {
            // Six digits are read aloud, a payment's code is copied.
            let font = if text.len() > 12 { "400 14px/22px" } else { "700 22px/28px" };
            format!(
                "<p style=\"margin:0 0 16px;padding:16px;background:#F6F4EE;border:1px dashed #7F796B;\
                 border-radius:6px;font:{font} Consolas,ui-monospace,Menlo,monospace;letter-spacing:1px;\
                 overflow-wrap:anywhere\">{}</p>",
                escape(text)
            )
        }
        Link(label, url) if is_button => format!(
            "<table role=\"presentation\" cellspacing=\"0\" style=\"margin:0 0 16px;border-collapse:separate\"><tr>\
             <td style=\"padding:0;background:#0B5F5C;border-radius:6px;mso-padding-alt:8px 20px\"><a href=\"{}\" \
             style=\"display:inline-block;padding:8px 20px;mso-padding-alt:0;font:500 16px/24px {FONT};\
             color:#FFFFFF;text-decoration:none\">{}</a></td></tr></table>",
            escape(url),
            escape(label)
        ),
        Link(label, url) => format!(
            "<p style=\"margin:0 0 16px\"><a href=\"{}\" style=\"color:#0B5F5C\">{}</a></p>",
            escape(url),
            escape(label)
        ),
        Facts(facts) => {
            let rows: String = facts
                .iter()
                .map(|(label, value)| {
                    format!(
                        "<tr><th scope=\"row\" style=\"width:40%;padding:8px 16px 8px 0;border-top:1px dashed #7F796B;\
                         color:#555A56;font-family:{FONT};font-weight:400;text-align:left\">{}</th>\
                         <td style=\"padding:8px 0;border-top:1px dashed #7F796B;text-align:right;\
                         font-family:{FONT};overflow-wrap:anywhere\">{}</td></tr>",
                        escape(label),
                        escape(value)
                    )
                })
                .collect();
            format!(
                "<table cellspacing=\"0\" style=\"width:100%;margin:0 0 16px;\
                 font-variant-numeric:tabular-nums\">{rows}</table>"
            )
        }
    }
}

/// What a person typed begins no line of its own: neither one of the text nor a header.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A name that somebody has chosen, for a reader who may not trust that person. No part of it is an address to click: a
/// space stands behind each dot that a word follows, and before `//`.
pub(super) fn unlinked(name: &str) -> String {
    let mut parts = name.split('.');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // S.A. and J.B. Silva stay as they are: no domain ends with one letter.
        let is_word = part.chars().take(2).filter(|c| c.is_alphanumeric()).count() == 2;
        text.push_str(if is_word { ". " } else { "." });
        text.push_str(part);
    }
    text.replace("://", ": //")
}

/// Text that means the same inside an element and inside a quoted attribute.
pub fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_headed_by_its_name() {
        let html = as_html("Recibo", &[Facts(vec![("Valor", "99,90".into())])]);
        let row = html.split("<th scope=\"row\" ").nth(1).unwrap_or_default();
        assert!(row.contains(">Valor</th><td ") && row.contains(">99,90</td>"), "{html}");
    }

    /// A value may break anywhere, so a name without a width takes all the room that it asks for, and breaks its value.
    #[test]
    fn the_name_of_a_fact_leaves_its_value_room() {
        let html = as_html("Recibo", &[Facts(vec![("Plano", "Profissional".into())])]);
        assert!(html.contains("<th scope=\"row\" style=\"width:40%;"), "{html}");
    }

    /// Not `anywhere`, by which the names of the facts would give their width to the values.
    #[test]
    fn a_word_that_is_wider_than_a_phone_breaks() {
        let html = as_html("Convite", &[Paragraph("A".repeat(80))]);
        let card = html.split("padding:24px 24px 8px;").nth(1).unwrap_or_default();
        let style = card.split('"').next().unwrap_or_default();
        assert!(style.ends_with(";overflow-wrap:break-word"), "{html}");
    }

    #[test]
    fn outlook_draws_the_width_the_card_and_the_button() {
        let link = |label| Link(label, "https://bipe.example".into());
        let html = as_html("Assunto", &[link("Pagar agora"), link("Ver os planos")]);
        let (begins, ends) =
            ("<!--[if mso]><table ", "<!--[if mso]></td></tr></table><![endif]-->");
        assert_eq!((html.matches(begins).count(), html.matches(ends).count()), (1, 1), "{html}");
        assert!(html.contains("align=\"center\" width=\"520\""), "{html}");
        let padded = |padding: &str| html.contains(&format!("<td style=\"{padding}"));
        assert!(padded("padding:24px 24px 8px"), "the card: {html}");
        let button = "padding:0;background:#0B5F5C;border-radius:6px;mso-padding-alt:8px 20px";
        assert!(padded(button), "{html}");
        assert_eq!(html.matches("mso-padding-alt:8px 20px").count(), 1, "one button: {html}");
        let fonts = html.split("font:").skip(1).filter_map(|font| font.split([';', '"']).next());
        for font in fonts {
            assert!(font.contains("px 'Segoe UI',"), "{font}");
        }
    }
}
