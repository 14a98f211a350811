// Announces a first read that failed.
import { useEffect, useRef } from 'react'
import { announce } from './announcer'

/** Once until there is data, however often polling tries again. A retry by the person announces its own failure. */
export function useAnnounceFailure(title: string, failed: boolean, isRead: boolean): void {
  const announced = useRef(false)
  useEffect(() => {
    if (failed && !announced.current) announce(title)
    announced.current = failed || (announced.current && !isRead)
  }, [failed, isRead, title])
}
