// The header's badge for the live connection: icon, text and colour. Its popover reconnects and pauses.
import { useEffect, useState } from 'react'
import { relativeTime } from '../lib/dates'
import { useObservable } from '../lib/observable'
import { Button } from '../ui/button'
import { cx } from '../ui/cx'
import { LiveIcon, PausedIcon, PendingIcon, WarningIcon, type Icon } from '../ui/icons'
import { Popover } from '../ui/popover'
import { useOnline } from '../ui/use-online'
import { liveControls } from './controls'
import { PauseButton } from './pause-button'
import { POLL_AFTER_MS } from './polling'
import { useLiveStatus, type LiveStatus } from './status'

/** A shorter break is not shown. */
const RECONNECTING_AFTER_MS = 2_000

const LOOKS = {
  live: { text: 'Ao vivo', icon: LiveIcon, className: 'text-success' },
  reconnecting: { text: 'Reconectando...', icon: PendingIcon, className: 'text-warning' },
  polling: { text: 'Sem tempo real - atualizando a cada 15 s', icon: WarningIcon, className: 'text-warning' },
  offline: { text: 'Offline', icon: WarningIcon, className: 'text-danger' },
  paused: { text: 'Pausado', icon: PausedIcon, className: 'text-info' },
} satisfies Record<string, { text: string; icon: Icon; className: string }>

/** What to show after the state has lasted `forMs`; null right after a start or a break. */
function lookOf({ connection, paused }: LiveStatus, online: boolean, forMs: number): keyof typeof LOOKS | null {
  if (!online) return 'offline'
  if (paused) return 'paused'
  if (connection === 'live') return 'live'
  if (connection === 'stopped' || forMs >= POLL_AFTER_MS) return 'polling'
  return forMs >= RECONNECTING_AFTER_MS ? 'reconnecting' : null
}

export function ConnectionBadge() {
  const status = useLiveStatus()
  const look = useSteadyLook(status)
  const controls = useObservable(liveControls)
  const [openedAt, setOpenedAt] = useState(0)
  // Before the first word there is only its place. It is as wide as "Reconectando...", so that a page that connects
  // slowly does not move its header.
  const { text, icon: Glyph, className } = LOOKS[look ?? 'live']
  return (
    <Popover
      label="Conexão em tempo real"
      onOpenChange={() => setOpenedAt(Date.now())}
      trigger={
        <button
          type="button"
          aria-label={`Conexão: ${text}`}
          className={cx(
            'group flex shrink-0 rounded-control text-label font-medium sm:min-w-36 sm:justify-end',
            look ? className : 'invisible',
          )}
        >
          <span
            key={text}
            className="flex min-h-10 items-center gap-1.5 rounded-control px-2 group-hover:bg-sunken pointer-coarse:min-h-11"
          >
            <Glyph className="size-4 shrink-0" />
            <span className="hidden max-w-64 truncate sm:inline">{text}</span>
          </span>
        </button>
      }
    >
      <div className="grid gap-3">
        <p className={cx('flex items-center gap-2 font-semibold', className)}>
          <Glyph className="size-4 shrink-0" />
          {text}
        </p>
        <p className="text-muted">
          {status.lastEventAt === null
            ? 'Nenhuma atualização recebida ainda'
            : `Última atualização: ${relativeTime(status.lastEventAt, openedAt)}`}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button variant="secondary" size="small" onClick={() => controls?.reconnect()} disabled={controls === null}>
            Reconectar agora
          </Button>
          <PauseButton size="small" />
        </div>
      </div>
    </Popover>
  )
}

/** The look that the state has earned by lasting; the last one stays until then, and a start has none. */
function useSteadyLook(status: LiveStatus): keyof typeof LOOKS | null {
  const online = useOnline()
  const [shown, setShown] = useState(() => lookOf(status, online, 0))
  useEffect(() => {
    const settle = () => {
      const next = lookOf(status, online, Date.now() - status.since)
      if (next) setShown(next)
    }
    settle()
    const timers = [RECONNECTING_AFTER_MS, POLL_AFTER_MS].map((after) =>
      setTimeout(settle, Math.max(0, status.since + after - Date.now()) + 20),
    )
    return () => timers.forEach(clearTimeout)
  }, [status, online])
  return shown
}
