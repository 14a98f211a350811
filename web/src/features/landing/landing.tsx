// The public page: what Bipe is, in one screen, with the way in. The header turns solid after 50 px.
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../app/paths'
import { useSession } from '../../auth/use-session'
import { Brand } from '../../ui/brand'
import { buttonClass } from '../../ui/button'
import { cx } from '../../ui/cx'
import { LandingFooter } from './landing-footer'
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

function Hero() {
  const signedIn = useSession().status === 'authenticated'
  return (
    <section className="bg-band text-on-band">
      <div className="mx-auto grid max-w-[1200px] gap-8 px-4 pt-32 pb-20 md:px-6 lg:px-8 lg:pt-44 lg:pb-28">
        <div className="grid max-w-[46rem] gap-6">
          <h1 tabIndex={-1} className="text-hero font-bold tracking-[-0.03em]">
            Nenhum pacote sem <Scanned>bipe.</Scanned>
          </h1>
          <p className="max-w-[56ch] text-h3 text-band-muted">Bipe a entrada, a saída e a entrega. Saiba onde está cada pacote.</p>
        </div>
        <div className="flex flex-wrap gap-3">
          {signedIn ? (
            <Link to={paths.dashboard} className={buttonClass({}, 'bg-on-band text-band hover:bg-band-muted! dark:text-band')}>
              Ir para o Dashboard
            </Link>
          ) : (
            <>
              <Link to={paths.signUp} className={buttonClass({}, 'bg-on-band text-band hover:bg-band-muted!')}>
                Criar Conta
              </Link>
              <Link to={paths.signIn} className={buttonClass({ variant: 'ghost' }, 'border border-band-muted text-on-band! hover:bg-transparent! hover:underline')}>
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
    </section>
  )
}

/** The word under the beam: the mark's idea in type. */
function Scanned({ children }: { children: string }) {
  return (
    <span className="relative inline-block">
      {children}
      <span className="absolute inset-x-[-0.12em] top-[58%] h-[0.06em] bg-band-beam" aria-hidden="true" />
    </span>
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
