// The terms of use.
import { LegalPage } from './legal-page'

export function TermsPage() {
  return (
    <LegalPage
      title="Termos Legais"
      version="1.8"
      date="2026-12-01"
      sections={{
        'O serviço': [
          'O Bipe é um sistema para empresas que recebem, conferem e entregam pacotes. O acesso é oferecido por assinatura, por empresa, nos planos publicados no site.',
          'As áreas marcadas com “Em breve” ainda não estão disponíveis.',
        ],
        Conta: [
          'Para usar o Bipe é preciso ter {idade} anos ou mais, informar dados verdadeiros e confirmar o email. A senha é pessoal; avise o suporte se suspeitar de uso indevido.',
          'Quem cria uma empresa no sistema é seu administrador e responde por quem convida e pelas permissões que concede.',
        ],
        'Planos e pagamento': [
          'Os planos são cobrados por mês, trimestre ou ano, em reais, por cartão, PIX ou boleto. O valor devido é sempre mostrado antes da confirmação.',
          'Um upgrade vale na hora e cobra a diferença proporcional. Um downgrade vale ao fim do período já pago.',
          'Um cartão só é cobrado nas renovações se quem o salva aceitar a frase que diz isso. Cada pagamento tem um recibo numerado em Faturas.',
        ],
        Cancelamento: [
          'A assinatura pode ser cancelada a qualquer momento. O acesso continua até o fim do período pago e não há novas cobranças.',
        ],
        'Uso adequado': [
          'Não é permitido tentar acessar dados de outras empresas, sobrecarregar o serviço ou usá-lo para fins ilegais. O uso indevido pode levar à suspensão da conta.',
        ],
        Mudanças: [
          'Mudanças nestes termos são publicadas nesta página antes de valer. A versão e a data no alto mostram qual texto está em vigor.',
        ],
        'Quem oferece o Bipe': ['O Bipe é oferecido por {empresa}. Para falar conosco, escreva para {email}.'],
      }}
    />
  )
}
