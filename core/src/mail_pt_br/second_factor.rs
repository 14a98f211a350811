//! The mails that tell the owner of an account that a second factor was added, removed or used. Pure.
//!
//! Whoever did not add a factor takes it away by the link "Não fui eu". Against who removed or used one a new password
//! is enough: it ends every session.

use jiff::Timestamp;

use super::Block::Facts;
use super::notices::{PROTECTS, UndoSection};
use super::{
    Block, Mail, account_link, device_fact, hello, moment, reset_password_link, say, unlinked,
};

fn factor(passkey: Option<&str>) -> String {
    match passkey {
        None => "Aplicativo autenticador".into(),
        Some(name) => format!("Chave de acesso {}", unlinked(name)),
    }
}

/// For who did not do it.
fn was_it_you(url: &str) -> [Block; 2] {
    [
        say("Se foi você, não é preciso fazer nada. Se não foi, redefina a sua senha agora:"),
        reset_password_link(url),
    ]
}

fn mail(subject: &str, mut blocks: Vec<Block>, url: &str) -> Mail {
    blocks.extend(was_it_you(url));
    (subject.into(), blocks)
}

pub(super) fn added(
    name: &str,
    at: Timestamp,
    passkey: Option<&str>,
    device: &str,
    undo: &UndoSection,
) -> Mail {
    let blocks = vec![
        hello(name),
        say("Uma segunda etapa de verificação foi adicionada à sua conta."),
        Facts(vec![("Etapa", factor(passkey)), ("Quando", moment(at)), device_fact(device)]),
    ];
    let what = format!("esta etapa é removida, {PROTECTS}");
    ("Nova etapa de verificação na sua conta do Bipe".into(), undo.below(blocks, &what))
}

pub(super) fn removed(
    name: &str,
    at: Timestamp,
    passkey: Option<&str>,
    is_last: bool,
    url: &str,
) -> Mail {
    let rest = if is_last {
        "A verificação em duas etapas está desativada: a senha sozinha abre a sua conta."
    } else {
        "As outras etapas da sua conta continuam ativas."
    };
    let blocks = vec![
        hello(name),
        say("Uma segunda etapa de verificação foi removida da sua conta."),
        Facts(vec![("Etapa", factor(passkey)), ("Quando", moment(at))]),
        say(rest),
    ];
    mail("Etapa de verificação removida da sua conta do Bipe", blocks, url)
}

pub(super) fn codes_replaced(name: &str, at: Timestamp, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(format!(
            "Novos códigos de recuperação da sua conta foram gerados em {}. Os anteriores não valem mais.",
            moment(at)
        )),
    ];
    mail("Novos códigos de recuperação do Bipe", blocks, url)
}

pub(super) fn code_used(name: &str, at: Timestamp, device: &str, left: i64, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say("Um código de recuperação da sua conta foi usado e não vale mais."),
        Facts(vec![
            ("Quando", moment(at)),
            device_fact(device),
            ("Códigos restantes", left.to_string()),
        ]),
    ];
    mail("Um código de recuperação do Bipe foi usado", blocks, url)
}

pub(super) fn passkey_copied(
    name: &str,
    at: Timestamp,
    passkey: &str,
    device: &str,
    url: &str,
) -> Mail {
    let blocks = vec![
        hello(name),
        say(
            "Recusamos uma das suas chaves de acesso, porque o contador dela regrediu. Isso pode significar que \
             alguém a copiou.",
        ),
        Facts(vec![
            ("Chave de acesso", unlinked(passkey)),
            ("Quando", moment(at)),
            device_fact(device),
        ]),
        say("Se desconfiar de algo, remova essa chave na página Minha Conta:"),
        account_link(url),
    ];
    ("Recusamos uma chave de acesso da sua conta do Bipe".into(), blocks)
}

pub(super) fn reset(name: &str, at: Timestamp, company: &str, url: &str) -> Mail {
    let blocks = vec![
        hello(name),
        say(
            "Um administrador da sua empresa redefiniu a sua verificação em duas etapas. Todas as sessões foram \
             encerradas.",
        ),
        Facts(vec![("Empresa", unlinked(company)), ("Quando", moment(at))]),
        say("Entre com a sua senha e ative a verificação de novo na página Minha Conta."),
        say("Se você não pediu isso, redefina a sua senha agora:"),
        reset_password_link(url),
    ];
    ("Sua verificação em duas etapas do Bipe foi redefinida".into(), blocks)
}
