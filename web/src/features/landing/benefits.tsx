// What a point gains, with the savings counter beside it.
import type { Plan } from '../../api/plans'
import { SavingsCounter } from './savings-counter'

const benefits = [
  {
    title: '95% menos perdas',
    text: 'O que some aparece na conferência do mesmo dia, com a última leitura e o nome de quem bipou.',
  },
  {
    title: 'Retorno em 60 dias',
    text: 'O prazo conta a partir do primeiro bipe: até dois meses para a equipe bipar tudo. Daí em diante, o extravio evitado paga a assinatura todo mês.',
  },
  {
    title: 'Suporte 24/7',
    text: 'Escreva a qualquer hora, inclusive de madrugada, quando os caminhões chegam. O prazo de resposta é o do seu plano.',
  },
]

export function Benefits({ plans }: { plans: readonly Plan[] }) {
  return (
    <section id="beneficios" className="border-y border-line bg-surface">
      <div className="mx-auto grid max-w-[1200px] gap-10 px-4 py-16 md:px-6 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)] lg:px-8 lg:py-24">
        <div className="grid content-start gap-8">
          <h2 className="max-w-[24ch] text-h1">O prejuízo para de crescer no primeiro bipe</h2>
          <ul role="list" className="grid gap-6 sm:grid-cols-3 lg:grid-cols-1">
            {benefits.map(({ title, text }) => (
              <li key={title} className="grid content-start gap-1 border-l-2 border-beam pl-4">
                <h3 className="tabular-nums">{title}</h3>
                <p className="max-w-[52ch] text-muted">{text}</p>
              </li>
            ))}
          </ul>
        </div>
        <SavingsCounter plans={plans} />
      </div>
    </section>
  )
}
