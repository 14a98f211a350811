//! The sheets whose text and picture are kept.

use bipe_core::pdf::{Fact, Line, Party, Sheet};

pub fn line(description: &str, detail: Option<&str>, amount: &str) -> Line {
    Line {
        description: description.to_owned(),
        detail: detail.map(str::to_owned),
        amount: amount.to_owned(),
    }
}

fn party<const N: usize>(heading: &str, name: &str, lines: [&str; N]) -> Party {
    Party {
        heading: heading.to_owned(),
        name: name.to_owned(),
        lines: lines.map(str::to_owned).to_vec(),
    }
}

/// A change of plan with a credit and a discount.
pub fn ordinary() -> Sheet {
    let facts = [
        ("Emitida em", "10/08/2026"),
        ("Plano", "Profissional, anual"),
        ("Período", "10/08/2026 a 09/08/2027"),
        ("Forma de pagamento", "Cartão Visa final 4242"),
        ("Referência", "PAG-0000-4F2A"),
    ];
    let facts =
        facts.map(|(label, value)| Fact { label: label.to_owned(), value: value.to_owned() });
    Sheet {
        title: "Fatura 000123".to_owned(),
        subtitle: Some("Paga em 10 de agosto de 2026".to_owned()),
        created_at: "2026-08-10T12:34:56Z".parse().unwrap(),
        issuer: party(
            "Emitente",
            "Bipe Tecnologia Ltda.",
            [
                "CNPJ 11.222.333/0001-81",
                "Avenida Paulista, 1000, 12º andar",
                "São Paulo – SP, 01310-100",
            ],
        ),
        payer: party(
            "Cliente",
            "Pontos & Pacotes Comércio de Encomendas Ltda.",
            [
                "CNPJ 45.997.418/0001-53",
                "Rua das Laranjeiras, 45, loja B",
                "Belo Horizonte – MG, 30140-000",
            ],
        ),
        facts: facts.to_vec(),
        lines: vec![
            line("Plano Profissional, anual", Some("10/08/2026 a 09/08/2027"), "R$\u{a0}1.799,10"),
            line("Crédito do plano Essencial", Some("30 dias não usados"), "−R$\u{a0}99,99"),
            line("Desconto do ciclo anual", None, "−R$\u{a0}199,77"),
        ],
        totals: vec![
            line("Subtotal", None, "R$\u{a0}1.799,10"),
            line("Créditos e descontos", None, "−R$\u{a0}299,76"),
        ],
        total: line("Total pago", None, "R$\u{a0}1.499,34"),
        notices: vec!["Comprova o pagamento. Não substitui a nota fiscal.".to_owned()],
    }
}

/// What people may type as a name, and what nobody should.
pub fn hostile() -> Sheet {
    let family = "👨‍👩‍👧‍👦";
    let tower = "Z̸̡̪̯ͨ͊̽̅̾̎a̬̩̾͛ͪ̈́̀́͘ļ̶̨̱̹̭̯ͧ̾ͬg̷̙̲̝͖ͭ̏ͥͮ͟o̮̪̝͍";
    Sheet {
        issuer: party(
            "Emitente",
            &"A".repeat(200),
            ["e\u{301}a\u{303}o\u{308}", tower, "𝓕𝓪𝓷𝓬𝔂 Ｆｕｌｌ ﬁ ½"],
        ),
        payer: party(
            "Cliente\u{202e}",
            "\u{202e}Loja\u{200f} 👩‍💻 שלום עולם مرحبا بالعالم 北京 한국 🇧🇷 1️⃣ 👍🏽",
            [
                "Ελληνικά, Кириллица, Việt, ♥ ★ ✓ → ☎ ❤️",
                &"W".repeat(200),
                "\u{0}\u{7}\u{feff}\u{fffe}\u{10ffff}\u{e000}x\r\ny\u{2028}z\tw",
                "\u{200d}\u{301}",
                "\u{202e}\u{2066}",
                "नमस्ते สวัสดี ﷽",
            ],
        ),
        lines: vec![
            line("שלום 123 עולם (45)", Some("مرحبا 99, 100"), "R$\u{a0}49,90"),
            line(
                "\u{2067}Plano\u{202e} Essencial",
                Some("\u{2068}\u{202b}"),
                "\u{202e}R$\u{a0}49,90",
            ),
            line(&family.repeat(42), Some(&"W".repeat(300)), &"9".repeat(40)),
            line(
                "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
                None,
                "",
            ),
            line("", None, "R$\u{a0}0,00"),
        ],
        ..ordinary()
    }
}

/// Sixty lines, which need several pages.
pub fn long() -> Sheet {
    let lines = (1..=60).map(|number| {
        let detail = (number % 3 == 0).then_some("Ponto de retirada do centro");
        line(
            &format!("Mensalidade {number} do plano Essencial"),
            detail,
            &format!("R$\u{a0}{number}.111,10"),
        )
    });
    Sheet { lines: lines.collect(), ..ordinary() }
}

/// As much as a sheet takes, all of it as wide as can be.
pub fn full() -> Sheet {
    let wide = |length: usize| "W".repeat(length);
    let party = || Party { heading: wide(60), name: wide(200), lines: vec![wide(254); 10] };
    let line = || line(&wide(300), Some(&wide(300)), &wide(40));
    Sheet {
        title: wide(80),
        subtitle: Some(wide(200)),
        created_at: ordinary().created_at,
        issuer: party(),
        payer: party(),
        facts: vec![Fact { label: wide(60), value: wide(300) }; 12],
        lines: vec![line(); 200],
        totals: vec![line(); 10],
        total: line(),
        notices: vec![wide(500); 8],
    }
}
