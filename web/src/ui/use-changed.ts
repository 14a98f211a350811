// Whether a value has just changed while it was shown: what live data changed is tinted for a moment.
import { useEffect, useRef, useState } from 'react'

const TINT_MS = 1_500

export function useChanged(value: string | number | null): boolean {
  const previous = useRef(value)
  const [changed, setChanged] = useState(false)
  useEffect(() => {
    if (previous.current === value) return
    previous.current = value
    const start = setTimeout(() => setChanged(true))
    const end = setTimeout(() => setChanged(false), TINT_MS)
    return () => {
      clearTimeout(start)
      clearTimeout(end)
    }
  }, [value])
  return changed
}
