// Says on every admin page that nodes, bus or replication need somebody to look; the page "Nós" says it itself. It asks
// every 10 s, which costs the server no question to its database, and goes away by itself.
import { Link, useLocation } from 'react-router'
import { paths } from '../../../lib/paths'
import { Alert } from '../../../ui/alert'
import { useNodes } from './use-nodes'
import { problemText } from './words'

const EVERY_MS = 10_000

export function NodesBanner() {
  const { pathname } = useLocation()
  const { data } = useNodes(EVERY_MS)
  const [first, ...more] = data?.problems ?? []
  return (
    // There before its words: a live region that comes with them may stay unheard.
    <div aria-live="polite">
      {first && pathname !== paths.adminNodes && (
        <Alert
          tone="warning"
          role="none"
          className="rounded-none md:px-6 lg:px-8"
          actions={<Link to={paths.adminNodes}>{more.length > 0 ? `Ver mais ${more.length} em Nós` : 'Ver Nós'}</Link>}
        >
          {problemText(first)}
        </Alert>
      )}
    </div>
  )
}
