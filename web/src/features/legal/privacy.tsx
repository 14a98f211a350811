// The privacy policy.
import { LegalPage } from './legal-page'

export function PrivacyPage() {
  return (
    <LegalPage
      title="Política de Privacidade"
      version="1.8"
      date="2026-12-01"
      sections={{
        'Dados que coletamos': [
          'No cadastro: nome, email, CPF, telefone e data de nascimento. No uso: empresas de que você participa, ações de segurança (como entrada e troca de senha), quando você usou o Bipe, de onde e com qual dispositivo entrou, chaves de acesso e aplicativos autenticadores que você adicionou, e pagamentos.',
          'Dados de cobrança da empresa: CNPJ ou CPF, razão social, nome fantasia, endereço e os emails que recebem cópia dos recibos.',
          'Faturas, recibos e reembolsos: quem pagou, com nome, CNPJ ou CPF e endereço como eram no dia, o que foi comprado e quando. Para cada cartão salvo, a frase de renovação que foi aceita e por quem.',
          'Avisos da sua conta: o que aconteceu nas empresas de que você participa, com empresa, plano e valor, e quais avisos você quer receber.',
          'Números de cartão não passam pelos nossos servidores: vão direto do seu navegador para o provedor de pagamento.',
        ],
        'Para que usamos': [
          'Para criar e proteger sua conta, prestar o serviço contratado, cobrar a assinatura, emitir documentos, avisar você do que acontece na sua empresa e cumprir obrigações legais. Não vendemos dados e não usamos rastreadores de publicidade.',
        ],
        'Com quem compartilhamos': [
          'Com o provedor de pagamento, para processar cobranças e guardar cartões (com nome e email de quem paga ou adiciona o cartão; no boleto, também com o CPF ou CNPJ e o endereço), e com o provedor de email, para enviar mensagens da sua conta. Outros membros da sua empresa veem seu nome, email e papel, e as mudanças que você fez na assinatura. Os administradores dela veem também o que mais você fez na empresa e quando. Quem você convida vê seu nome. Os administradores da plataforma consultam contas, empresas e pagamentos para dar suporte e tratar cobranças.',
          'Os dados de cobrança e as faturas de uma empresa são vistos por seus administradores e pelo financeiro. Quando você digita um CEP, só o número vai a um serviço de endereços, sem nada que identifique você.',
        ],
        'Por quanto tempo guardamos': [
          'Enquanto a conta existir. Depois da exclusão os dados pessoais são anonimizados. Cadastros sem confirmação do email são apagados depois de 7 dias.',
          'Sessões encerradas ficam por 30 dias, avisos e mensagens do provedor de pagamento por 90 dias, convites por até 90 dias depois de usados ou expirados, registros de acesso por 6 meses e registros de ações de segurança por 5 anos. Os aceites destes textos ficam por 5 anos depois da exclusão.',
          'Pagamentos, com o que foi enviado ao provedor, faturas, recibos, aceites de renovação e nome, descrição e dados de cobrança de empresas que pagaram são mantidos pelo prazo da lei, de 5 anos ou mais, com o nome de quem pagou. Nome, descrição e dados de cobrança de empresas que nunca pagaram são apagados um dia depois do encerramento da empresa.',
          'Cópias de segurança guardam os dados até serem apagadas. Se uma delas é restaurada, as contas que já tinham sido excluídas são anonimizadas de novo.',
        ],
        'No seu navegador': [
          'Guardamos no seu navegador apenas o necessário para manter você conectado (com seu nome e email) e confirmar seu email, a empresa escolhida, o tema e os primeiros passos que você dispensou. O Bipe não usa cookies.',
          'Quando o formulário de cartão abre, o provedor de pagamento grava cookies dele no seu navegador, para prevenir fraudes.',
        ],
        'Quem responde pelos dados': [
          'Quem responde pelos dados é {empresa}. Pedidos e dúvidas sobre privacidade: {email}.',
        ],
      }}
    />
  )
}
