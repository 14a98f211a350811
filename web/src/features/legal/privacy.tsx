// The privacy policy (a model).
import { LegalPage } from './legal-page'

export function PrivacyPage() {
  return (
    <LegalPage
      title="Política de Privacidade"
      version="1.0"
      date="2026-11-21"
      sections={[
        {
          title: 'Dados que coletamos',
          paragraphs: [
            'No cadastro: nome, email, CPF, telefone e data de nascimento. No uso: empresas de que você participa, ações de segurança (como entrada e troca de senha) e pagamentos.',
            'Números de cartão não passam pelos nossos servidores: vão direto do seu navegador para o provedor de pagamento.',
          ],
        },
        {
          title: 'Para que usamos',
          paragraphs: [
            'Para criar e proteger sua conta, prestar o serviço contratado, cobrar a assinatura e cumprir obrigações legais. Não vendemos dados e não usamos rastreadores de publicidade.',
          ],
        },
        {
          title: 'Com quem compartilhamos',
          paragraphs: [
            'Com o provedor de pagamento, para processar cobranças, e com o provedor de email, para enviar mensagens da sua conta. Outros membros da sua empresa veem seu nome, email e papel.',
          ],
        },
        {
          title: 'Por quanto tempo guardamos',
          paragraphs: [
            'Enquanto a conta existir. Depois da exclusão os dados pessoais são anonimizados; registros fiscais e de pagamento são mantidos pelo prazo da lei.',
          ],
        },
        {
          title: 'No seu navegador',
          paragraphs: [
            'Guardamos no seu navegador apenas o necessário para manter você conectado, a empresa escolhida e o tema. Não usamos cookies.',
          ],
        },
      ]}
    />
  )
}
