// The landing page's header: sections, and the way in. It turns solid after 50 px.
import { useEffect, useState } from 'react'
import { paths } from '../../lib/paths'
import { Brand } from '../../ui/brand'
import { cx } from '../../ui/cx'
import { sections } from './sections'

const SCROLL_THRESHOLD = 50
const quiet = 'h-control items-center rounded-control px-3 font-medium text-on-band hover:underline'

export function LandingHeader({ withPrices }: { withPrices: boolean }) {
  const solid = useScrolled()
  return (
    <header
      className={cx('fixed inset-x-0 top-0 z-30 text-on-band transition-colors duration-180', solid && 'bg-band')}
    >
      <div className="mx-auto flex h-16 max-w-[1200px] items-center gap-1 px-4 md:gap-3 md:px-6 lg:px-8">
        <a href={paths.landing} aria-label="Bipe, página inicial" className="mr-auto flex rounded-control">
          <Brand />
        </a>
        <nav aria-label="Seções" className="hidden md:flex">
          {sections(withPrices).map(({ id, label }) => (
            <a key={id} href={`#${id}`} className={cx('inline-flex', quiet)}>
              {label}
            </a>
          ))}
        </nav>
        <a href={paths.dashboard} className={cx('signed-in inline-flex', quiet)}>
          Ir para o Dashboard
        </a>
        <a href={paths.signIn} className={cx('signed-out inline-flex', quiet)}>
          Entrar
        </a>
        <a href={paths.signUp} className={cx('signed-out inline-flex border border-band-muted', quiet)}>
          Criar Conta
        </a>
      </div>
    </header>
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
