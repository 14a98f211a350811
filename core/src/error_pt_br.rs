//! The sentence of every code, for the `message` of the envelope (docs/contract.md, "Error codes").
//! The web has the same table; `web/test/schema.test.ts` holds both equal.

use crate::error::Code;

/// `retry_after` fills the seconds of RATE_LIMITED.
pub fn message(code: Code, retry_after: Option<u32>) -> String {
    match (code, retry_after) {
        (Code::RateLimited, Some(seconds)) => {
            format!("Muitas tentativas. Tente novamente em {seconds} s.")
        }
        (code, _) => sentence(code).to_owned(),
    }
}

/// The sentence without its variable part.
#[expect(clippy::too_many_lines, reason = "a table: one entry for each code")]
pub fn sentence(code: Code) -> &'static str {
    match code {
        Code::EmailExists => "Este email já está cadastrado",
        Code::DocumentExists => "Este documento já está cadastrado",
        Code::InvalidCredentials => "Email ou senha incorretos",
        Code::AccountInactive => "Conta desativada. Entre em contato com o suporte",
        Code::EmailNotVerified => "Email não verificado. Verifique sua caixa de entrada",
        Code::InvalidVerificationCode => "Código de verificação inválido ou expirado",
        Code::EmailAlreadyVerified => "Email já foi verificado",
        Code::InvalidResetToken => "Código OTP inválido ou expirado",
        Code::InvalidSecondFactor => "Código inválido, expirado ou já usado",
        Code::InvalidChallenge => "A confirmação expirou. Entre novamente.",
        Code::StepUpRequired => "Confirme sua identidade para continuar",
        Code::SecondFactorRequired => "Ative a verificação em duas etapas para continuar",
        Code::MemberOfOtherCompanies => {
            "Esta pessoa também participa de empresas que você não administra"
        }
        Code::SecondFactorOlderThanMembership => {
            "Esta verificação foi ativada antes de a pessoa entrar na empresa. Só a própria pessoa pode removê-la."
        }
        Code::EmailSendError => "Erro no envio do email. Tente novamente",
        Code::InternalError => "Erro interno do servidor. Tente novamente",
        Code::ValidationError => "Dados inválidos. Verifique os campos",
        Code::Unauthorized | Code::InvalidRefreshToken => "Sessão expirada. Faça login novamente.",
        Code::Forbidden => "Você não tem permissão para esta ação",
        Code::NotFound => "Registro não encontrado",
        Code::MethodNotAllowed => "Este endereço não aceita esse tipo de chamada",
        Code::RateLimited => "Muitas tentativas. Tente novamente em instantes.",
        Code::AlreadyMember => "Este usuário já faz parte da empresa",
        Code::CreatorLocked => "O criador da empresa não pode ser removido",
        Code::PlanLimitReached => "Limite de usuários do plano atingido",
        Code::Conflict => "O registro mudou desde que você o abriu. Atualize e tente novamente",
        Code::UndoInvalid => "Este link não vale mais",
        Code::InviteInvalid => "Convite inválido ou expirado",
        Code::LastAdmin => "A empresa precisa de pelo menos um administrador",
        Code::PlanNotAvailable => "Este plano não está mais disponível",
        Code::PlanNameExists => "Já existe um plano com este nome",
        Code::SubscriptionExists => "A empresa já tem uma assinatura",
        Code::SubscriptionNotActive => "A assinatura não está ativa",
        Code::ChangeNotAllowed => "Esta mudança de plano não é permitida",
        Code::PaymentRequired => "É necessário concluir o pagamento",
        Code::AmountMismatch => "O valor foi atualizado. Confira e confirme novamente",
        Code::PaymentInProgress => "Já existe um pagamento em aberto para esta empresa",
        Code::PaymentNotCancellable => "Este pagamento não pode mais ser cancelado",
        Code::PaymentNotRefundable => "Este pagamento não pode ser reembolsado",
        Code::RefundExceedsPayment => "O valor passa do que ainda pode ser reembolsado",
        Code::PaymentMethodUnavailable => "Forma de pagamento indisponível no momento",
        Code::CardLimitReached => "A empresa já tem 10 cartões salvos. Remova um para salvar outro",
        Code::ProviderUnavailable => "Sistema de pagamento indisponível",
        Code::RequestInProgress => "Seu pedido ainda está sendo processado. Aguarde",
        Code::IdempotencyKeyReused => {
            "Este pedido já foi enviado com outros dados. Recarregue a página"
        }
        Code::CompanyHasActiveSubscription => "Cancele a assinatura antes de excluir a empresa",
        Code::CepNotFound => "CEP não encontrado",
        Code::CepUnavailable => "Não foi possível buscar o endereço do CEP. Preencha o endereço",
        Code::ViewNameExists => "Você já tem uma visualização com este nome",
        Code::ViewLimitReached => {
            "Esta lista já tem 20 visualizações. Exclua uma para salvar outra"
        }
        Code::ServiceUnavailable => {
            "Serviço temporariamente indisponível. Tente novamente em instantes"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::saved_cards::MAX_CARDS;
    use crate::saved_view;

    #[test]
    fn a_sentence_about_a_limit_names_the_limit() {
        let limits = [
            (Code::CardLimitReached, MAX_CARDS.to_string()),
            (Code::ViewLimitReached, saved_view::MAX_VIEWS_PER_LIST.to_string()),
        ];
        for (code, most) in limits {
            assert!(sentence(code).contains(&format!(" {most} ")), "{code:?}");
        }
    }
}
