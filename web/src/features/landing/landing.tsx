// The public page: what Bipe is, with the way in. `landing.html` carries its markup ready made by the build
// (`ready-markup.tsx`), and `landing.tsx` wakes it up, so nothing here may need a browser to render. What is not seen
// at first wakes up later, with code of its own. Whether somebody is signed in is decided by `/theme.js` before the
// first paint and shown by `signed-in` and `signed-out` classes. Links leave for the app, which is another page: plain
// anchors.
import { startTransition, Suspense, useEffect, useState, type ComponentType } from 'react'
import type { PublicConfig } from '../../api/config'
import { paths } from '../../lib/paths'
import { SkipLink } from '../../ui/skip-link'
import type { BelowTheFoldProps, LandingFooterProps } from './below-the-fold'
import { LandingHeader } from './landing-header'
import { NotFoundNotice } from './not-found-notice'
import { ScannedLabel } from './scanned-label'
import { bandButton, primaryBandButton } from './style'

const facts = ['95% menos perdas', 'Retorno em 60 dias', 'Suporte 24/7', 'Demonstração gratuita']

interface LandingParts {
  Below: ComponentType<BelowTheFoldProps>
  Footer: ComponentType<LandingFooterProps>
}

export function LandingPage({ Below, Footer }: LandingParts) {
  const [withPrices, setWithPrices] = useState(true)
  const config = useConfig()
  return (
    <div className="min-h-dvh">
      <SkipLink />
      <LandingHeader withPrices={withPrices} />
      <main id="content" tabIndex={-1}>
        <Hero />
        <Suspense>
          <Below
            salesEmail={config?.salesEmail ?? null}
            withPrices={withPrices}
            onPricesFailure={() => startTransition(() => setWithPrices(false))}
          />
        </Suspense>
      </main>
      <Suspense>
        <Footer withPrices={withPrices} config={config} />
      </Suspense>
    </div>
  )
}

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
            <a href={paths.dashboard} className={`signed-in ${primaryBandButton}`}>
              Ir para o Dashboard
            </a>
            <a href={paths.signUp} className={`signed-out ${primaryBandButton}`}>
              Criar Conta
            </a>
            <a href={paths.signIn} className={`signed-out ${bandButton} border border-band-muted hover:underline`}>
              Entrar
            </a>
          </div>
          <ul
            role="list"
            className="grid justify-start gap-x-8 gap-y-2 text-reading text-band-muted sm:grid-cols-[auto_auto]"
          >
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

/** The server's settings once they have come. As a transition: what still sleeps keeps its markup until it wakes up. */
function useConfig(): PublicConfig | null {
  const [config, setConfig] = useState<PublicConfig | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    import('../../api/config')
      .then(({ loadConfig }) => loadConfig(leaving.signal))
      .then(
        (loaded) => startTransition(() => setConfig(loaded)),
        () => undefined,
      )
    return () => leaving.abort()
  }, [])
  return config
}
