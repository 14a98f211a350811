// Where to write to about a demonstration or a contract.
import { useEffect, useState } from 'react'
import { SALES_EMAIL } from '../../lib/plans'

/** The server's address when it answers, else the built-in one. */
export function useSalesEmail(): string {
  const [address, setAddress] = useState(SALES_EMAIL)
  useEffect(() => {
    const leaving = new AbortController()
    import('../../api/config')
      .then(({ loadConfig }) => loadConfig(leaving.signal))
      .then(
        ({ salesEmail }) => setAddress(salesEmail),
        () => undefined,
      )
    return () => leaving.abort()
  }, [])
  return address
}
