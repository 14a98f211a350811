// The LGPD terms.
import { LegalPage } from './legal-page'

export function LgpdPage() {
  return (
    <LegalPage
      title="Termos LGPD"
      version="1.8"
      date="2026-12-01"
      sections={{
        'Base legal': [
          'Tratamos dados pessoais conforme a Lei\u00a013.709/2018 (LGPD): para executar o contrato com você ou sua empresa, cumprir obrigações legais, prevenir fraudes e, quando for o caso, com o seu consentimento.',
        ],
        'Seus direitos': [
          'Você pode confirmar o tratamento, acessar, corrigir e baixar seus dados, pedir a anonimização ou a exclusão e revogar consentimentos.',
          'Em “Minha Conta” você baixa tudo o que guardamos sobre você e exclui a conta, sem precisar pedir.',
          'Parte dos registros é mantida depois da exclusão porque a lei obriga, como os de pagamento.',
        ],
        Segurança: [
          'Senhas são guardadas com função de derivação própria para isso, as conexões são cifradas e o acesso aos dados de uma empresa é restrito aos seus membros e, para suporte e cobrança, aos administradores da plataforma.',
        ],
        Encarregado: [
          'O controlador dos dados é {empresa}. O encarregado de proteção de dados responde a pedidos sobre dados pessoais em {email}.',
        ],
      }}
    />
  )
}
