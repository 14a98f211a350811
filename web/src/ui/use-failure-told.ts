// A first read that failed, said to who cannot see it.
import { useEffect, useRef } from 'react'
import { announce } from './announcer'

/** Once until there is data, however often the polling tries it again. Another try announces its own failure. */
export function useFailureTold(title: string, failed: boolean, isRead: boolean): void {
  const told = useRef(false)
  useEffect(() => {
    if (failed && !told.current) announce(title)
    told.current = failed || (told.current && !isRead)
  }, [failed, isRead, title])
}
