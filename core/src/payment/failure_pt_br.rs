//! `failureMessage` of a payment, by our own codes. Lost, stolen and fraud read as a plain decline.

use super::FailureCode;

pub fn sentence(code: FailureCode) -> &'static str {
    match code {
        FailureCode::Declined => {
            "Pagamento recusado pelo banco. Tente outro cartão ou pague por PIX"
        }
        FailureCode::InsufficientFunds => "Saldo ou limite insuficiente no cartão",
        FailureCode::ExpiredCard => "O cartão está vencido",
        FailureCode::IncorrectCvc => "O código de segurança do cartão está incorreto",
        FailureCode::IncorrectNumber => "O número do cartão está incorreto",
        FailureCode::AuthenticationRequired => "O banco não confirmou a autenticação do pagamento",
        FailureCode::ProcessingError => "Não foi possível processar o pagamento. Tente novamente",
        FailureCode::PaymentExpired => "O prazo para o pagamento terminou",
        FailureCode::UnderReview => "O pagamento está em análise",
        FailureCode::Other => "O pagamento não foi concluído. Tente novamente",
    }
}
