// Code that is loaded when it is first needed. When it does not arrive because the network is gone, that is said in its
// place and tried again there, and what stands around it stays. `lazy` alone would throw, and so would the router, and
// both keep the failure for good. Code that a newer build has replaced comes with a reload alone: that is offered in
// its place, and never done unasked, because around it something may be typed or paid.
import { lazy, useEffect, useEffectEvent, useRef, useState, type ComponentType, type ReactNode } from 'react'
import { isOutdated } from '../lib/outdated'
import { VERSION } from '../lib/version'
import { Button } from '../ui/button'
import { EmptyArea, FailedArea } from '../ui/data-area'
import { focusPage } from '../ui/focus-heading'
import { InfoIcon } from '../ui/icons'
import { fetchOnce } from './client'
import { sentences } from './errors'

/** Code without a place of its own is loaded again so often. */
const AGAIN_MS = 15_000

type Load<P> = () => Promise<ComponentType<P>>
/** What stands in the place of the code: by itself the notice alone. A page and a dialog have the title, too. */
type Frame<P> = (props: P, notice: ReactNode, title: string) => ReactNode

export function lazyPart<P extends object>(load: () => Promise<{ default: ComponentType<P> }>, frame?: Frame<P>) {
  return lazy(async () => ({ default: await loadOrRetryLater(() => load().then((part) => part.default), frame) }))
}

/** The component, or one that stands for it until its code arrives. */
export async function loadOrRetryLater<P extends object>(
  load: Load<P>,
  frame: Frame<P> = noticeAlone,
): Promise<ComponentType<P>> {
  try {
    return await load()
  } catch {
    const server = await askServer()
    // The network was gone for a moment alone, as when a phone changes it. Code that is broken fails once more.
    if (server === 'same') return load()
    return server === 'silent' ? retryingPart(load, frame) : (props: P) => replacedPart(props, frame)
  }
}

/** For code that has no place to say that it is missing: tried until it arrives, and at once when the network returns. */
export function loadUntilThere<T>(load: () => Promise<T>): Promise<T> {
  return load().catch(async () => {
    // A newer build that has replaced it shows its banner.
    await askServer()
    await networkOrAWhile()
    return loadUntilThere(load)
  })
}

function networkOrAWhile(): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer)
      window.removeEventListener('online', settle)
      resolve()
    }
    const timer = setTimeout(settle, AGAIN_MS)
    window.addEventListener('online', settle)
  })
}

function noticeAlone(_: unknown, notice: ReactNode): ReactNode {
  return notice
}

function replacedPart<P>(props: P, frame: Frame<P>): ReactNode {
  const reload = <Button onClick={() => location.reload()}>Recarregar</Button>
  return frame(
    props,
    <div aria-live="polite">
      <EmptyArea icon={InfoIcon} title="Nova versão disponível" action={reload} />
    </div>,
    'Recarregue a página',
  )
}

/** Whether the server answers, and as another version than this page. */
async function askServer(): Promise<'silent' | 'same' | 'other'> {
  if (!navigator.onLine) return 'silent'
  try {
    const answer = await fetchOnce(new Request(new URL('/api/config', location.href), { cache: 'no-store' }))
    if (!answer.ok) return 'silent'
    const { data } = (await answer.json()) as { data?: { version: string } }
    if (data === undefined || data.version === VERSION) return 'same'
    isOutdated.set(true)
    return 'other'
  } catch {
    return 'silent'
  }
}

function retryingPart<P extends object>(load: Load<P>, frame: Frame<P>): ComponentType<P> {
  let arrived: ComponentType<P> | null = null
  let wasLeft = false
  return function RetryingPart(props: P) {
    const [Part, setPart] = useState(() => arrived)
    const [busy, setBusy] = useState(false)
    const [failure, setFailure] = useState<{ error: unknown } | null>(null)
    const [replaced, setReplaced] = useState(false)
    const wasMissing = useRef(Part === null)
    // The heading of the notice is gone with it.
    useEffect(() => {
      if (!Part || !wasMissing.current) return
      wasMissing.current = false
      if (document.activeElement === document.body) focusPage()
    }, [Part])
    const tryAgain = async () => {
      setBusy(true)
      try {
        const part = await load()
        arrived = part
        setPart(() => part)
        return null
      } catch (error) {
        const server = await askServer()
        if (server === 'same') setFailure({ error })
        if (server === 'other') setReplaced(true)
        return server === 'other' ? null : { error }
      } finally {
        setBusy(false)
      }
    }
    const onOnline = useEffectEvent(() => void tryAgain())
    useEffect(() => {
      const listen = () => onOnline()
      // Opened once more: the network may have come back while it was away.
      if (wasLeft && arrived === null) listen()
      window.addEventListener('online', listen)
      return () => {
        wasLeft = true
        window.removeEventListener('online', listen)
      }
    }, [])
    if (failure) throw failure.error
    if (Part) return <Part {...props} />
    if (replaced) return replacedPart(props, frame)
    return frame(
      props,
      <div role="alert">
        <FailedArea title={sentences.NETWORK_ERROR} error={null} onRetry={tryAgain} busy={busy} />
      </div>,
      'Sem conexão',
    )
  }
}
