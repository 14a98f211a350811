// Code that is loaded when it is first needed. When it does not arrive because the network is gone, that is said in its
// place and tried again there, and what stands around it stays. `lazy` alone would throw, and so would the router, and
// both keep the failure for good.
import { lazy, useEffect, useEffectEvent, useRef, useState, type ComponentType, type ReactNode } from 'react'
import { FailedArea } from '../ui/data-area'
import { focusPage } from '../ui/focus-heading'
import { fetchOnce } from './client'
import { sentences } from './errors'

type Load<P> = () => Promise<ComponentType<P>>
/** What stands in the place of the code: by itself the notice alone. */
type Frame<P> = (props: P, notice: ReactNode) => ReactNode

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
  } catch (error) {
    // Code that a newer build has replaced is no fault of the network: only a reload fetches the new one.
    if (await isServerThere()) throw error
    return retryingPart(load, frame)
  }
}

function noticeAlone(_: unknown, notice: ReactNode): ReactNode {
  return notice
}

async function isServerThere(): Promise<boolean> {
  if (!navigator.onLine) return false
  return fetchOnce(new Request(new URL('/api/config', location.href), { cache: 'no-store' })).then(
    ({ ok }) => ok,
    () => false,
  )
}

function retryingPart<P extends object>(load: Load<P>, frame: Frame<P>): ComponentType<P> {
  let arrived: ComponentType<P> | null = null
  return function RetryingPart(props: P) {
    const [Part, setPart] = useState(() => arrived)
    const [busy, setBusy] = useState(false)
    const [failure, setFailure] = useState<{ error: unknown } | null>(null)
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
        if (await isServerThere()) setFailure({ error })
        return { error }
      } finally {
        setBusy(false)
      }
    }
    const onOnline = useEffectEvent(() => void tryAgain())
    useEffect(() => {
      const listen = () => onOnline()
      window.addEventListener('online', listen)
      return () => window.removeEventListener('online', listen)
    }, [])
    if (failure) throw failure.error
    if (Part) return <Part {...props} />
    return frame(
      props,
      <div role="alert">
        <FailedArea title={sentences.NETWORK_ERROR} error={null} onRetry={tryAgain} busy={busy} />
      </div>,
    )
  }
}
