// Ends the session after an hour without pointer, key or focus in any tab, and announces the last minute. Live frames
// are no activity.
import { useEffect, useState } from 'react'
import { AlertDialog } from '../ui/alert-dialog'
import { session } from './use-session'

const IDLE_LIMIT_MS = 3_600_000
const WARNING_MS = 60_000
const MARK_EVERY_MS = 5_000
const CHECK_EVERY_MS = 1_000

/** Milliseconds until the session ends, or null while that is more than a minute away. */
function remaining(): number | null {
  const last = session.lastActivity()
  const left = last === 0 ? IDLE_LIMIT_MS : last + IDLE_LIMIT_MS - Date.now()
  return left <= WARNING_MS ? Math.max(0, left) : null
}

export default function IdleGuard() {
  const [left, setLeft] = useState(remaining)
  const warning = left !== null

  useEffect(() => {
    const check = () => {
      // A clock that was ahead left a moment that is still to come: the hour begins now.
      if (session.lastActivity() > Date.now()) session.markActivity()
      const next = remaining()
      if (next === 0) void session.signOut('expired')
      setLeft(next)
    }
    // What was left alone for longer than an hour ends before anything can be pressed.
    check()
    const timer = setInterval(check, CHECK_EVERY_MS)
    document.addEventListener('visibilitychange', check)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', check)
    }
  }, [])

  // Once the warning is up only its own button keeps the session: a hand that brushes the mouse does not.
  useEffect(() => {
    if (warning) return
    const mark = () => {
      if (Date.now() - session.lastActivity() > MARK_EVERY_MS && remaining() === null) session.markActivity()
    }
    const events = ['pointerdown', 'pointermove', 'keydown', 'focus'] as const
    for (const event of events) window.addEventListener(event, mark, { passive: true })
    return () => {
      for (const event of events) window.removeEventListener(event, mark)
    }
  }, [warning])

  const stay = () => {
    // A machine that slept wakes with an old dialog on it.
    if (remaining() === 0) return void session.signOut('expired')
    session.markActivity()
    setLeft(null)
  }
  if (left === null || left === 0) return null
  return (
    <AlertDialog
      onClose={stay}
      title={`Sua sessão vai expirar em ${Math.ceil(left / 1000)} s`}
      description="Por segurança, encerramos a sessão depois de uma hora sem atividade."
      safeLabel="Continuar conectado"
      actLabel="Sair"
      actVariant="secondary"
      onAct={() => void session.signOut()}
    />
  )
}
