//! The mails that tell an owner of a change of the account, each with the link "Não fui eu" that undoes it, and the
//! mail that tells that a change was undone. Pure.

use jiff::Timestamp;

use super::Block::{self, Facts, Link};
use super::{Mail, device_fact, hello, moment, reset_password_link, say};
use crate::auth::recovery::undo_link;

/// What stands below a notice: how to undo it.
pub(super) struct UndoSection {
    /// None for a mail that was queued before its notice had a link.
    link: Option<(String, Timestamp)>,
}

impl UndoSection {
    /// The token stands in the fragment, which no server and no proxy sees.
    pub(super) fn of(undo: Option<&undo_link::UndoLink>, token: &str, url: &str) -> Self {
        Self { link: undo.map(|undo| (format!("{url}/not-me#{token}"), undo.expires_at())) }
    }

    pub(super) fn below(&self, mut blocks: Vec<Block>, what: &str) -> Vec<Block> {
        let Some((link, until)) = &self.link else {
            blocks.push(say("Se não foi você, redefina a sua senha agora."));
            return blocks;
        };
        blocks.push(say("Se foi você, não é preciso fazer nada. Se não foi, proteja a sua conta:"));
        blocks.push(Link("Não fui eu", link.clone()));
        blocks.push(say(format!(
            "Na página que abre, confirme: {what} O link vale uma vez, até {}.",
            moment(*until)
        )));
        blocks
    }
}

pub(super) const PROTECTS: &str =
    "todas as sessões são encerradas e a senha deixa de valer até você escolher outra.";

pub(super) fn password_reset(name: &str, at: Timestamp, undo: &UndoSection) -> Mail {
    let blocks = vec![
        hello(name),
        say(format!(
            "A senha da sua conta foi redefinida em {}. Todas as sessões foram encerradas.",
            moment(at)
        )),
    ];
    ("Sua senha do Bipe foi redefinida".into(), undo.below(blocks, PROTECTS))
}

pub(super) fn password_changed(name: &str, at: Timestamp, undo: &UndoSection) -> Mail {
    let blocks = vec![
        hello(name),
        say(format!(
            "A senha da sua conta foi alterada em {}. As outras sessões foram encerradas.",
            moment(at)
        )),
    ];
    ("Sua senha do Bipe foi alterada".into(), undo.below(blocks, PROTECTS))
}

pub(super) fn email_changed(name: &str, at: Timestamp, undo: &UndoSection) -> Mail {
    let blocks = vec![
        hello(name),
        say(format!(
            "O email da sua conta foi alterado em {}. Não é mais possível entrar com este endereço.",
            moment(at)
        )),
    ];
    let what = format!("a conta volta para este email, {PROTECTS}");
    ("O email da sua conta do Bipe foi alterado".into(), undo.below(blocks, &what))
}

pub(super) fn admin_sign_in(
    at: Timestamp,
    network: &str,
    device: &str,
    undo: &UndoSection,
) -> Mail {
    let blocks = vec![
        say("Houve um acesso de administrador da plataforma a partir de uma rede nova."),
        Facts(vec![("Quando", moment(at)), ("Rede", network.to_owned()), device_fact(device)]),
    ];
    ("Acesso de administrador a partir de uma rede nova".into(), undo.below(blocks, PROTECTS))
}

pub(super) fn new_sign_in(
    name: &str,
    at: Timestamp,
    network: &str,
    device: &str,
    undo: &UndoSection,
) -> Mail {
    let blocks = vec![
        hello(name),
        say("Houve um acesso à sua conta a partir de um lugar novo."),
        Facts(vec![("Quando", moment(at)), ("Rede", network.to_owned()), device_fact(device)]),
    ];
    ("Novo acesso à sua conta do Bipe".into(), undo.below(blocks, PROTECTS))
}

pub(super) fn protected(name: &str, at: Timestamp, factors_removed: bool, url: &str) -> Mail {
    let mut blocks = vec![
        hello(name),
        say(format!(
            "Protegemos a sua conta em {}, como você pediu: todas as sessões foram encerradas e a senha antiga não \
             vale mais.",
            moment(at)
        )),
    ];
    if factors_removed {
        blocks.push(say(
            "A verificação em duas etapas adicionada há pouco também foi removida. Se era sua, ative-a de novo em \
             Minha Conta.",
        ));
    }
    blocks.push(say("Para entrar de novo, escolha outra senha:"));
    blocks.push(reset_password_link(url));
    ("Sua conta do Bipe está protegida".into(), blocks)
}
