// The landing page's header: sections, and the way in; on a phone the sections are behind a button. It turns solid after
// 50 px.
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { paths } from '../../lib/paths'
import { Brand } from '../../ui/brand'
import { cx } from '../../ui/cx'
import { MenuIcon } from '../../ui/icons'
import { sections } from './sections'

const SCROLL_THRESHOLD = 50
const quiet =
  'h-control items-center rounded-control px-3 font-medium text-on-band hover:underline enlarged:h-auto enlarged:min-h-11'

export function LandingHeader({ withPrices }: { withPrices: boolean }) {
  const solid = useScrolled()
  return (
    <header
      className={cx(
        'no-print fixed inset-x-0 top-0 z-30 text-on-band transition-colors duration-180',
        solid && 'bg-band',
      )}
    >
      <div className="mx-auto flex h-16 max-w-[1200px] items-center gap-1 px-4 md:gap-3 md:px-6 lg:px-8">
        <a href={paths.landing} aria-label="Bipe, página inicial" className="mr-auto flex rounded-control">
          <Brand />
        </a>
        <nav aria-label="Seções" className="hidden md:flex">
          {sections(withPrices).map(({ id, label }) => (
            <a key={id} href={`#${id}`} className={cx('inline-flex', id === 'perguntas' && 'max-lg:hidden', quiet)}>
              {label}
            </a>
          ))}
        </nav>
        <a href={paths.dashboard} className={cx('signed-in inline-flex', quiet)}>
          Ir para o Dashboard
        </a>
        <a href={paths.signIn} className={cx('signed-out inline-flex max-[399px]:hidden', quiet)}>
          Entrar
        </a>
        <a href={paths.signUp} className={cx('signed-out inline-flex border border-band-muted', quiet)}>
          Criar Conta
        </a>
        <SectionMenu withPrices={withPrices} />
      </div>
    </header>
  )
}

const menuItem = 'flex h-control items-center rounded-control px-3 hover:bg-sunken'

/** A disclosure of the browser's own: it opens before the page's code has come. */
function SectionMenu({ withPrices }: { withPrices: boolean }) {
  const menu = useRef<HTMLDetailsElement>(null)
  const close = () => {
    if (menu.current) menu.current.open = false
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget && !menu.current?.contains(relatedTarget)) close()
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape') return
    close()
    menu.current?.querySelector('summary')?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- closes what the summary opens
    <details ref={menu} onBlur={onBlur} onKeyDown={onKeyDown} className="relative md:hidden">
      <summary
        aria-label="Menu"
        className="grid h-control w-10 cursor-pointer list-none place-items-center rounded-control [&::-webkit-details-marker]:hidden"
      >
        <MenuIcon className="size-5" strokeWidth={1.75} aria-hidden="true" />
      </summary>
      <nav
        aria-label="Seções"
        className="absolute top-full right-0 mt-2 grid w-48 rounded-card border border-line bg-surface p-1 text-text shadow-menu"
      >
        {sections(withPrices).map(({ id, label }) => (
          <a key={id} href={`#${id}`} onClick={close} className={menuItem}>
            {label}
          </a>
        ))}
        <a href={paths.signIn} className={cx('signed-out min-[400px]:hidden', menuItem)}>
          Entrar
        </a>
      </nav>
    </details>
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
