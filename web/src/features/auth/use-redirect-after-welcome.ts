// After a sign-in the welcome is read for 1500 ms, then the page goes where the visitor wanted.
import { useEffect } from 'react'
import { useNavigate } from 'react-router'

const WELCOME_MS = 1500

/** Counts from the moment `welcomed` becomes true. */
export function useRedirectAfterWelcome(welcomed: boolean, next: string): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (!welcomed) return
    const timer = setTimeout(() => void navigate(next, { replace: true }), WELCOME_MS)
    return () => clearTimeout(timer)
  }, [welcomed, next, navigate])
}
