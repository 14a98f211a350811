// The public page: what Bipe is, in one screen, with the way in. The header turns solid after 50 px.
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../app/paths'
import { useSession } from '../../auth/use-session'
import { Brand } from '../../ui/brand'
import { cx } from '../../ui/cx'
import { LandingFooter } from './landing-footer'
import { ScannedLabel } from './scanned-label'
import { Solution } from './solution'

const SCROLL_THRESHOLD = 50
const facts = ['95% menos perdas', 'Retorno em 60 dias', 'Suporte 24/7', 'Demonstração gratuita']

export function LandingPage() {
  useEffect(() => {
    document.title = 'Bipe · Nenhum pacote sem bipe.'
  }, [])
  return (
    <div className="min-h-dvh">
      <a href="#content" className="sr-only z-60 rounded-control bg-surface px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2">
        Pular para o conteúdo
      </a>
      <LandingHeader />
      <main id="content" tabIndex={-1}>
        <Hero />
        <Solution />
      </main>
      <LandingFooter />
    </div>
  )
}

function LandingHeader() {
  const solid = useScrolled()
  return (
    <header className={cx('fixed inset-x-0 top-0 z-30 text-on-band transition-colors duration-180', solid && 'bg-band')}>
      <div className="mx-auto flex h-16 max-w-[1200px] items-center gap-2 px-4 md:px-6 lg:px-8">
        <Link to={paths.landing} aria-label="Bipe, página inicial" className="mr-auto rounded-control">
          <Brand />
        </Link>
        <a href="#solucao" className="hidden rounded-control px-3 py-2 hover:underline sm:block">
          Solução
        </a>
        <EntryLinks />
      </div>
    </header>
  )
}

const quiet = 'inline-flex h-control items-center rounded-control px-3 font-medium text-on-band hover:underline'

function EntryLinks() {
  const signedIn = useSession().status === 'authenticated'
  if (signedIn) {
    return (
      <Link to={paths.dashboard} className={quiet}>
        Ir para o Dashboard
      </Link>
    )
  }
  return (
    <>
      <Link to={paths.signIn} className={quiet}>
        Entrar
      </Link>
      <Link to={paths.signUp} className={cx(quiet, 'border border-band-muted')}>
        Criar Conta
      </Link>
    </>
  )
}

const entry = 'inline-flex h-12 items-center rounded-control px-6 text-reading font-medium'
const loud = `${entry} bg-on-band text-band hover:bg-band-muted`

function Hero() {
  const signedIn = useSession().status === 'authenticated'
  return (
    <section className="overflow-hidden bg-band text-on-band">
      <div className="mx-auto grid max-w-[1200px] items-center gap-12 px-4 pt-32 pb-16 md:px-6 lg:grid-cols-[minmax(0,7fr)_minmax(0,4fr)] lg:px-8 lg:pt-40 lg:pb-28">
        <div className="grid gap-8">
          <div className="grid gap-6">
            <h1 tabIndex={-1} className="max-w-[14ch] text-hero font-bold tracking-[-0.03em]">
              Nenhum pacote sem bipe.
            </h1>
            <p className="max-w-[44ch] text-h3 text-band-muted">Bipe a entrada, a saída e a entrega. Saiba onde está cada pacote.</p>
          </div>
          <div className="flex flex-wrap gap-3">
            {signedIn ? (
              <Link to={paths.dashboard} className={loud}>
                Ir para o Dashboard
              </Link>
            ) : (
              <>
                <Link to={paths.signUp} className={loud}>
                  Criar Conta
                </Link>
                <Link to={paths.signIn} className={`${entry} border border-band-muted hover:underline`}>
                  Entrar
                </Link>
              </>
            )}
          </div>
          <ul className="flex flex-wrap gap-x-8 gap-y-2 text-reading text-band-muted">
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

function useScrolled(): boolean {
  const [scrolled, setScrolled] = useState(false)
  useEffect(() => {
    const onScroll = () => setScrolled(window.scrollY > SCROLL_THRESHOLD)
    onScroll()
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  return scrolled
}
