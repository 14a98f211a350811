//! A mail's blocks as plain text and as HTML. Whatever a person typed is text in both: HTML escapes all of it.

use super::Block::{self, Code, Facts, Link, Paragraph};

const SIGNATURE: &str = "Equipe Bipe";

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

pub(super) fn as_html(subject: &str, blocks: &[Block]) -> String {
    let body: String = blocks.iter().map(block_html).collect();
    format!(
        "<!doctype html><html lang=\"pt-BR\"><head><meta charset=\"utf-8\"><title>{}</title></head>\
         <body style=\"margin:0;background:#F6F4EE;color:#191D1C;font:16px/24px system-ui,sans-serif\">\
         <div style=\"max-width:480px;margin:0 auto;padding:32px 24px\">\
         <p style=\"margin:0 0 24px;font-weight:700;font-size:20px;color:#0B5F5C\">bipe</p>{body}\
         <p style=\"margin:32px 0 0;color:#555A56;font-size:13px\">{SIGNATURE}</p></div></body></html>",
        escape(subject)
    )
}

fn block_html(block: &Block) -> String {
    match block {
        Paragraph(text) => format!("<p style=\"margin:0 0 16px\">{}</p>", escape(text)),
        Code(text) => format!(
            "<p style=\"margin:0 0 16px;padding:16px;background:#fff;border:1px dashed #7F796B;\
             font:700 20px/28px ui-monospace,monospace;overflow-wrap:anywhere\">{}</p>",
            escape(text)
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
                        "<tr><td style=\"padding:4px 16px 4px 0;color:#555A56\">{}</td><td>{}</td></tr>",
                        escape(label),
                        escape(value)
                    )
                })
                .collect();
            format!("<table style=\"margin:0 0 16px\">{rows}</table>")
        }
    }
}

/// What a person typed begins no line of its own: neither one of the text nor a header.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Text that means the same inside an element and inside a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
