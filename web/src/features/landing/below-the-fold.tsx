// Everything below the landing page's first words. The plans on sale are read once, because the page is not live; when
// they cannot be loaded, the prices leave.
import { useEffect, useState } from 'react'
import type { Plan } from '../../api/plans'
import { helpPath } from '../../lib/paths'
import { Benefits } from './benefits'
import { Prices } from './prices'
import { Questions } from './questions'
import { Solution } from './solution'
import { primaryBandButton } from './style'
import { Testimonials } from './testimonials'
import { Tour } from './tour'

export { LandingFooter, type LandingFooterProps } from './landing-footer'

export interface BelowTheFoldProps {
  /** Null until the server has answered. */
  salesEmail: string | null
  withPrices: boolean
  onPricesFailure: () => void
}

export function BelowTheFold({ salesEmail, withPrices, onPricesFailure }: BelowTheFoldProps) {
  const plans = usePlans(onPricesFailure)
  return (
    <>
      <Tour />
      <Solution />
      <Benefits plans={plans ?? []} />
      {withPrices && <Prices plans={plans} salesEmail={salesEmail} />}
      <Testimonials />
      <Questions />
      <Demonstration salesEmail={salesEmail} />
    </>
  )
}

function Demonstration({ salesEmail }: { salesEmail: string | null }) {
  const draft = new URLSearchParams({
    subject: 'Demonstração do Bipe',
    body: 'Nome da empresa:\r\nNúmero de entregadores:\r\nVolume mensal de entregas:\r\n',
  })
  return (
    <section className="bg-band text-on-band">
      <div className="mx-auto flex max-w-[1200px] flex-wrap items-center gap-6 px-4 py-12 md:px-6 lg:px-8 lg:py-16">
        <div className="mr-auto grid gap-2">
          <h2>Veja o Bipe no seu ponto</h2>
          <p className="max-w-[68ch] text-band-muted">
            A demonstração é gratuita e dura meia hora. Respondemos em até 24 horas.
          </p>
        </div>
        <a
          href={salesEmail ? `mailto:${salesEmail}?${draft.toString().replaceAll('+', '%20')}` : helpPath}
          className={primaryBandButton}
        >
          Agendar demonstração
        </a>
      </div>
    </section>
  )
}

function usePlans(onFailure: () => void): Plan[] | null {
  const [plans, setPlans] = useState<Plan[] | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    // The page can be read before the code that calls the server is there.
    import('../../api/plans')
      .then(({ loadPlans }) => loadPlans(leaving.signal))
      .then(setPlans)
      .catch((error: unknown) => {
        if (leaving.signal.aborted) return
        console.warn('prices', error)
        onFailure()
      })
    return () => leaving.abort()
    // Once: the section leaves with the first failure.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  return plans
}
