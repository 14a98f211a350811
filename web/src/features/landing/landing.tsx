// The public page: what Bipe is, with the way in. `landing.html` carries its markup ready made by the build
// (`landing-markup.tsx`), and `landing.tsx` wakes it up, so nothing here may need a browser to render. Whether
// somebody is signed in is decided by `/theme.js` before the first paint and shown by `signed-in` and
// `signed-out` classes. Links leave for the app, which is another page: plain anchors.
import { useEffect, useState } from 'react'
import { paths } from '../../lib/paths'
import { SALES_EMAIL } from '../../lib/plans'
import { SkipLink } from '../../ui/skip-link'
import { Benefits } from './benefits'
import { LandingFooter } from './landing-footer'
import { LandingHeader } from './landing-header'
import { NotFoundNotice } from './not-found-notice'
import { Prices } from './prices'
import { ScannedLabel } from './scanned-label'
import { Solution } from './solution'
import { Testimonials } from './testimonials'

const facts = ['95% menos perdas', 'Retorno em 60 dias', 'Suporte 24/7', 'Demonstração gratuita']

export function LandingPage() {
  const [pricesFailed, setPricesFailed] = useState(false)
  const salesEmail = useSalesEmail()
  return (
    <div className="min-h-dvh">
      <SkipLink />
      <LandingHeader withPrices={!pricesFailed} />
      <main id="content" tabIndex={-1}>
        <Hero />
        <Solution />
        <Benefits />
        {!pricesFailed && <Prices salesEmail={salesEmail} onFailure={() => setPricesFailed(true)} />}
        <Testimonials />
        <Demonstration salesEmail={salesEmail} />
      </main>
      <LandingFooter withPrices={!pricesFailed} />
    </div>
  )
}

const entry = 'inline-flex h-12 items-center rounded-control px-6 text-reading font-medium'
const loud = `${entry} bg-on-band text-band hover:bg-band-muted`

function Hero() {
  return (
    <section className="relative overflow-hidden bg-band text-on-band">
      <NotFoundNotice />
      <div className="mx-auto grid max-w-[1200px] items-center gap-12 px-4 pt-32 pb-16 md:grid-cols-[minmax(0,7fr)_minmax(0,4fr)] md:px-6 lg:px-8 lg:pt-40 lg:pb-28">
        <div className="grid gap-8">
          <div className="grid gap-6">
            <h1 tabIndex={-1} className="max-w-[14ch] text-hero font-bold tracking-[-0.03em]">
              Nenhum pacote sem bipe.
            </h1>
            <p className="max-w-[48ch] text-h3 text-balance text-band-muted">
              Bipe a entrada, a saída e a entrega. Saiba onde está cada pacote.
            </p>
          </div>
          <div className="flex flex-wrap gap-3">
            <a href={paths.dashboard} className={`signed-in ${loud}`}>
              Ir para o Dashboard
            </a>
            <a href={paths.signUp} className={`signed-out ${loud}`}>
              Criar Conta
            </a>
            <a href={paths.signIn} className={`signed-out ${entry} border border-band-muted hover:underline`}>
              Entrar
            </a>
          </div>
          <ul className="grid justify-start gap-x-8 gap-y-2 text-reading text-band-muted sm:grid-cols-[auto_auto]">
            {facts.map((fact) => (
              <li key={fact} className="flex items-center gap-2.5">
                <span className="h-4 w-0.5 bg-band-beam" aria-hidden="true" />
                {fact}
              </li>
            ))}
          </ul>
        </div>
        <ScannedLabel />
      </div>
    </section>
  )
}

function Demonstration({ salesEmail }: { salesEmail: string }) {
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
        <a href={`mailto:${salesEmail}?${draft.toString().replaceAll('+', '%20')}`} className={loud}>
          Agendar demonstração
        </a>
      </div>
    </section>
  )
}

/**
 * Where to write to about a demonstration or a contract: the server's address when it answers, else the built-in one.
 */
function useSalesEmail(): string {
  const [address, setAddress] = useState(SALES_EMAIL)
  useEffect(() => {
    const leaving = new AbortController()
    import('../../api/config')
      .then(({ loadConfig }) => loadConfig(leaving.signal))
      .then(
        ({ salesEmail }) => setAddress(salesEmail),
        () => undefined,
      )
    return () => leaving.abort()
  }, [])
  return address
}
