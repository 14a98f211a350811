//! The plans of a new installation, loaded once by `store::load_catalogue`; afterwards a platform admin
//! owns them. Prices and limits are those of docs/billing.md, "Plans and prices".

use super::draft::PlanDraft;
use super::{Limits, slug};
use crate::money::Cents;

/// By hierarchy.
pub fn default_plans() -> [PlanDraft; 5] {
    let free = plan(1, "Grátis", [0, 0, 0], (5, 500));
    let essential = plan(2, "Essencial", [4_990, 12_725, 44_910], (10, 5_000));
    let professional = plan(3, "Profissional", [9_990, 25_475, 89_910], (50, 50_000));
    let business = plan(4, "Negócio", [19_990, 50_975, 179_910], (200, 500_000));
    let enterprise = plan(5, "Enterprise", [0, 0, 0], (-1, -1));
    [
        PlanDraft { is_free: true, ..free }.described(
            "Para conhecer o Bipe e organizar as primeiras entregas.",
            &[
                "Papéis de administrador, operador e financeiro",
                "Histórico e exportação de pagamentos",
                "Suporte 24/7 por email",
            ],
        ),
        essential.described(
            "Para pontos de distribuição que estão crescendo.",
            &["Tudo do plano Grátis", "Resposta do suporte em até 24 horas"],
        ),
        PlanDraft { is_popular: true, ..professional }.described(
            "Para operações com vários entregadores e turnos.",
            &["Tudo do plano Essencial", "Suporte prioritário"],
        ),
        business.described(
            "Para redes com alto volume de encomendas.",
            &[
                "Tudo do plano Profissional",
                "Acompanhamento de implantação",
                "Suporte prioritário por telefone",
            ],
        ),
        enterprise.described(
            "Para grandes operadores, com condições sob medida.",
            &[
                "Tudo do plano Negócio",
                "Gerente de conta dedicado",
                "Contrato e suporte sob medida",
            ],
        ),
    ]
}

/// Prices in centavos: a month, a quarter, a year. Limits: users, beeping.
fn plan(
    hierarchy: i32,
    display_name: &str,
    [monthly, quarterly, yearly]: [i64; 3],
    (max_users, max_beeping): (i32, i32),
) -> PlanDraft {
    PlanDraft {
        name: slug(display_name),
        display_name: display_name.to_owned(),
        description: String::new(),
        features: Vec::new(),
        is_free: false,
        is_popular: false,
        monthly: Cents(monthly),
        quarterly: Cents(quarterly),
        yearly: Cents(yearly),
        limits: Limits { max_users, max_beeping },
        hierarchy,
        status: None,
    }
}

impl PlanDraft {
    fn described(self, description: &str, features: &[&str]) -> Self {
        let features = features.iter().map(ToString::to_string).collect();
        Self { description: description.to_owned(), features, ..self }
    }
}
