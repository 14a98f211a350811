//! The plans of a new installation, loaded once by `store::load_catalogue`; afterwards a platform admin
//! owns them. Prices and limits are those of docs/billing.md, "Plans and prices".

use super::Limits;
use crate::money::Cents;

/// A plan before it has an id.
pub struct DefaultPlan {
    pub display_name: &'static str,
    pub description: &'static str,
    pub features: &'static [&'static str],
    pub is_free: bool,
    pub is_popular: bool,
    pub monthly: Cents,
    pub quarterly: Cents,
    pub yearly: Cents,
    pub limits: Limits,
    pub hierarchy: i32,
}

const fn limits(max_users: i32, max_beeping: i32) -> Limits {
    Limits { max_users, max_beeping }
}

pub const DEFAULT_PLANS: [DefaultPlan; 5] = [
    DefaultPlan {
        display_name: "Grátis",
        description: "Para conhecer o Bipe e organizar as primeiras entregas.",
        features: &["Painel de entregas", "Suporte por email"],
        is_free: true,
        is_popular: false,
        monthly: Cents(0),
        quarterly: Cents(0),
        yearly: Cents(0),
        limits: limits(5, 500),
        hierarchy: 1,
    },
    DefaultPlan {
        display_name: "Essencial",
        description: "Para pontos de distribuição que estão crescendo.",
        features: &[
            "Tudo do plano Grátis",
            "Histórico de movimentações",
            "Suporte em horário comercial",
        ],
        is_free: false,
        is_popular: false,
        monthly: Cents(4_990),
        quarterly: Cents(12_725),
        yearly: Cents(44_910),
        limits: limits(10, 5_000),
        hierarchy: 2,
    },
    DefaultPlan {
        display_name: "Profissional",
        description: "Para operações com vários entregadores e turnos.",
        features: &[
            "Tudo do plano Essencial",
            "Papéis de financeiro e operação",
            "Suporte prioritário",
        ],
        is_free: false,
        is_popular: true,
        monthly: Cents(9_990),
        quarterly: Cents(25_475),
        yearly: Cents(89_910),
        limits: limits(50, 50_000),
        hierarchy: 3,
    },
    DefaultPlan {
        display_name: "Negócio",
        description: "Para redes com alto volume de encomendas.",
        features: &[
            "Tudo do plano Profissional",
            "Acompanhamento de implantação",
            "Suporte prioritário por telefone",
        ],
        is_free: false,
        is_popular: false,
        monthly: Cents(19_990),
        quarterly: Cents(50_975),
        yearly: Cents(179_910),
        limits: limits(200, 500_000),
        hierarchy: 4,
    },
    DefaultPlan {
        display_name: "Enterprise",
        description: "Para grandes operadores, com condições sob medida.",
        features: &[
            "Tudo do plano Negócio",
            "Gerente de conta dedicado",
            "Contrato e suporte sob medida",
        ],
        is_free: false,
        is_popular: false,
        monthly: Cents(0),
        quarterly: Cents(0),
        yearly: Cents(0),
        limits: limits(-1, -1),
        hierarchy: 5,
    },
];
