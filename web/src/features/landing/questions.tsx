// What people ask before they sign up. What a plan holds is said by its card and the comparison alone.
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/decimal'
import { formatReais } from '../../lib/money'
import { helpPath, paths } from '../../lib/paths'
import { DownIcon } from '../../ui/icons'
import { LOST_PACKAGES, MONTHLY_LOSS, MONTHLY_SAVING, PACKAGES, VALUE } from './savings-counter'

const questions: { question: string; answer: ReactNode }[] = [
  {
    question: 'Preciso instalar alguma coisa?',
    answer: 'Não. O Bipe abre no navegador do computador, do tablet e do celular, no tema claro ou no escuro.',
  },
  {
    question: 'O que já funciona hoje?',
    answer:
      'Conta, empresas e equipe com papéis, planos, pagamentos, faturas, extrato, análises e avisos na hora. Entregas, clientes, catálogo de produtos e gestão de pedidos aparecem no sistema com a marca “Em breve” até serem liberados.',
  },
  {
    question: `De onde vêm os ${formatReais(MONTHLY_SAVING)} por mês e os 60 dias?`,
    answer: `São a conta de um exemplo: de ${formatCount(PACKAGES)} pacotes por dia, 0,5% de extravio são ${LOST_PACKAGES} pacotes por mês. A ${formatReais(VALUE)} cada um, perdem-se ${formatReais(MONTHLY_LOSS)}; com 95% menos perdas, ${formatReais(MONTHLY_SAVING)} ficam no caixa. Isso vale quando tudo passa pelo leitor, e os 60 dias são o tempo para chegar lá: nos primeiros dois meses a economia cresce até esse valor. Refaça a conta com os números do seu ponto.`,
  },
  {
    question: 'O suporte é mesmo 24/7?',
    answer:
      'Sim: você escreve a qualquer hora, em qualquer dia e em qualquer plano. O prazo da resposta, a prioridade e o telefone mudam de plano para plano e estão em Preços, nesta página.',
  },
  {
    question: 'Como pago?',
    answer:
      'Por cartão, PIX ou boleto, a cada mês, trimestre ou ano. O PIX é aprovado na hora. O boleto vence em 3 dias úteis. Um cartão só é cobrado de novo se você o salvar e aceitar a renovação automática. Cada pagamento tem um recibo numerado, em PDF.',
  },
  {
    question: 'Posso mudar de plano ou cancelar?',
    answer:
      'A qualquer momento. Um upgrade vale na hora e cobra só a diferença proporcional; um downgrade vale ao fim do período pago. Quem cancela usa o Bipe até o fim do período e não é mais cobrado.',
  },
  {
    question: 'Tenho mais de um ponto. Preciso de várias contas?',
    answer:
      'Não. Com uma conta você participa de várias empresas e troca de uma para outra. A assinatura é de cada empresa.',
  },
  {
    question: 'O que acontece com os dados da minha equipe?',
    answer: (
      <>
        Só os membros da sua empresa e, para suporte e cobrança, os administradores da plataforma veem esses dados. Cada
        pessoa baixa ou exclui os próprios dados em “Minha Conta”, e números de cartão vão direto ao provedor de
        pagamento. O resto está na{' '}
        <a className="link" href={paths.privacy}>
          Política de Privacidade
        </a>
        .
      </>
    ),
  },
  {
    question: 'Como falo com vocês?',
    answer: (
      <>
        Pelo email no{' '}
        <a className="link" href={helpPath}>
          fim desta página
        </a>
        , que também diz qual empresa oferece o Bipe.
      </>
    ),
  },
]

export function Questions() {
  return (
    <section
      id="perguntas"
      className="mx-auto grid max-w-[1200px] gap-x-12 gap-y-6 px-4 pb-16 md:px-6 lg:grid-cols-[minmax(0,4fr)_minmax(0,8fr)] lg:px-8 lg:pb-24"
    >
      <h2 className="text-h1">Perguntas frequentes</h2>
      <div className="border-t border-line">
        {questions.map(({ question, answer }) => (
          <details key={question} className="group border-b border-line">
            <summary className="flex cursor-pointer list-none items-center justify-between gap-4 rounded-control py-4 [&::-webkit-details-marker]:hidden">
              <h3 className="text-reading">{question}</h3>
              <DownIcon
                className="size-5 shrink-0 text-muted transition-transform duration-120 group-open:rotate-180"
                aria-hidden="true"
              />
            </summary>
            <p className="max-w-[68ch] pb-5 text-reading text-muted">{answer}</p>
          </details>
        ))}
      </div>
    </section>
  )
}
