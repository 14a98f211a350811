//! The mails about joining a company: the link of an invitation, and the welcome of a person who was added at once.
//! Pure.

use super::Block::{Facts, Link};
use super::{Block, Mail, hello, moment, say, unlinked};
use crate::mailer::message::{InviteNotice, WelcomeNotice};
use crate::scope::Role;

/// As the web app labels it.
fn label(role: Role) -> String {
    let label = match role {
        Role::Admin => "Administrador",
        Role::Operator => "Operador",
        Role::Finance => "Financeiro",
    };
    label.to_owned()
}

pub(super) fn invite(notice: &InviteNotice, token: &str, url: &str) -> Mail {
    let company = unlinked(&notice.company);
    let blocks: Vec<Block> = vec![
        say("Olá!"),
        say(format!("{} convidou você para uma empresa no Bipe.", unlinked(&notice.inviter))),
        Facts(vec![
            ("Empresa", company.clone()),
            ("Papel", label(notice.role)),
            ("Válido até", moment(notice.issue.expires_at())),
        ]),
        Link("Aceitar o convite", format!("{url}/accept-invite?token={token}")),
        say(
            "O convite vale uma vez e só para este email. Se você não conhece quem convidou, ignore esta mensagem.",
        ),
    ];
    (format!("Convite para a empresa {company}"), blocks)
}

pub(super) fn added(notice: &WelcomeNotice, url: &str) -> Mail {
    // Without the company the page would be that of another one, which nobody should leave.
    let query = notice.company_id.map(|id| format!("?companyId={id}")).unwrap_or_default();
    let company = unlinked(&notice.company);
    let blocks = vec![
        hello(&notice.name),
        say("Você agora faz parte de uma empresa no Bipe. Boas-vindas!"),
        Facts(vec![("Empresa", company.clone()), ("Papel", label(notice.role))]),
        Link("Ver a empresa", format!("{url}/company/manage{query}")),
        say("Se não reconhece esta empresa, abra o link acima e saia dela."),
    ];
    (format!("Você agora faz parte da empresa {company}"), blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::company::invite_link::InviteLink;
    use crate::id::InviteId;
    use crate::mail_pt_br::{Derived, render};
    use crate::mailer::message::Message;

    #[test]
    fn the_link_of_an_invitation_stands_alone_on_its_line() {
        let issued_at = "2026-11-21T15:00:00Z".parse().unwrap();
        let notice = InviteNotice {
            company: "<Norte>".into(),
            inviter: "Ana Souza".into(),
            role: Role::Finance,
            issue: InviteLink { invite_id: InviteId(uuid::Uuid::nil()), issued_at, key: None },
        };
        let derived = Derived { token: "t0k-en_".into(), ..Derived::default() };
        let mail = render(&Message::Invite(notice), &derived, "https://bipe.example");
        let link = "https://bipe.example/accept-invite?token=t0k-en_";
        assert_eq!(mail.text.lines().filter(|line| *line == link).count(), 1);
        assert!(mail.text.contains("Papel: Financeiro"));
        assert!(mail.text.contains("Válido até: 28/11/2026 às 12:00"));
        assert!(mail.html.contains(link) && !mail.html.contains("<Norte>"));
    }

    #[test]
    fn a_name_in_a_mail_to_somebody_else_is_no_address_to_click() {
        let company = "Prêmio em https://evil.example/x".to_owned();
        let issued_at = "2026-11-21T15:00:00Z".parse().unwrap();
        let invite = InviteNotice {
            company: company.clone(),
            inviter: "www.evil.example".into(),
            role: Role::Finance,
            issue: InviteLink { invite_id: InviteId(uuid::Uuid::nil()), issued_at, key: None },
        };
        let welcome =
            WelcomeNotice { name: "Bia".into(), company, company_id: None, role: Role::Finance };
        for message in [Message::Invite(invite), Message::AddedToCompany(welcome)] {
            let mail = render(&message, &Derived::default(), "https://bipe.example");
            for part in [&mail.subject, &mail.text, &mail.html] {
                let links = ["evil.example", "://evil", "www.evil"];
                assert!(!links.iter().any(|link| part.contains(link)), "{part}");
            }
            assert!(mail.subject.ends_with(" Prêmio em https: //evil. example/x"));
        }
        for name in ["Depósito Norte S.A.", "Transportes J.B. Silva Ltda.", "Ana Souza"] {
            assert_eq!(unlinked(name), name);
        }
    }
}
