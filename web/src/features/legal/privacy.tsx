// The privacy policy (a model).
import { LegalPage } from './legal-page'

export function PrivacyPage() {
  return (
    <LegalPage
      title="Política de Privacidade"
      version="1.0"
      date="2026-11-21"
      sections={{
        'Dados que coletamos': [
          'No cadastro: nome, email, CPF, telefone e data de nascimento. No uso: empresas de que você participa, ações de segurança (como entrada e troca de senha) e pagamentos.',
          'Números de cartão não passam pelos nossos servidores: vão direto do seu navegador para o provedor de pagamento.',
        ],
        'Para que usamos': [
          'Para criar e proteger sua conta, prestar o serviço contratado, cobrar a assinatura e cumprir obrigações legais. Não vendemos dados e não usamos rastreadores de publicidade.',
        ],
        'Com quem compartilhamos': [
          'Com o provedor de pagamento, para processar cobranças, e com o provedor de email, para enviar mensagens da sua conta. Outros membros da sua empresa veem seu nome, email e papel.',
        ],
        'Por quanto tempo guardamos': [
          'Enquanto a conta existir. Depois da exclusão os dados pessoais são anonimizados; registros fiscais e de pagamento são mantidos pelo prazo da lei.',
        ],
        'No seu navegador': [
          'Guardamos no seu navegador apenas o necessário para manter você conectado, a empresa escolhida e o tema. Não usamos cookies.',
        ],
      }}
    />
  )
}
