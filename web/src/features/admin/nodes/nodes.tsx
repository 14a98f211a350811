// "Nós": the servers of the installation, the bus between them and the database's replicas, read anew every two
// seconds while the page is seen.
import type { Installation } from '../../../api/admin'
import { relativeTime } from '../../../lib/dates'
import { byServerClock } from '../../../live/server-clock'
import { useIsPaused } from '../../../live/status'
import { Alert } from '../../../ui/alert'
import { DataArea } from '../../../ui/data-area'
import { Page } from '../../../ui/page'
import { SkeletonLines } from '../../../ui/skeleton'
import { BusCard } from './bus-card'
import { DatabaseCard } from './database-card'
import { NodeTable } from './node-table'
import { useNodes } from './use-nodes'
import { problemText } from './words'

const EVERY_MS = 2_000

export function AdminNodesPage() {
  const query = useNodes(EVERY_MS)
  const paused = useIsPaused()
  const { data, isError, isFetching, dataUpdatedAt, errorUpdatedAt } = query
  // Each answer replaces the last one in place: a progress line every two seconds would only flicker.
  const calm = { ...query, isFetching: isFetching && data === undefined }
  return (
    <Page title="Nós" subtitle="Servidores desta instalação, o barramento entre eles e as réplicas do banco de dados">
      {isError && data && <StaleNotice updatedAt={dataUpdatedAt} now={errorUpdatedAt} />}
      <DataArea query={calm} live={!paused} errorTitle="Erro ao carregar nós" skeleton={<SkeletonLines count={8} />}>
        {(installation) => <Overview installation={installation} now={byServerClock(dataUpdatedAt)} />}
      </DataArea>
    </Page>
  )
}

function StaleNotice({ updatedAt, now }: { updatedAt: number; now: number }) {
  return (
    <Alert tone="info" title="Atualizando">
      O servidor não respondeu à última consulta. Últimos dados: {relativeTime(updatedAt, now).toLowerCase()}.
    </Alert>
  )
}

function Overview({ installation, now }: { installation: Installation; now: number }) {
  const { nodes, bus, database, problems } = installation
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {problems.length > 0 && (
        <Alert tone="warning" title="Requer atenção">
          <ul role="list" className="grid gap-1">
            {problems.map((problem) => (
              <li key={problem}>{problemText(problem)}</li>
            ))}
          </ul>
        </Alert>
      )}
      <NodeTable nodes={nodes} now={now} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        <BusCard bus={bus} nodes={nodes.length} />
        <DatabaseCard database={database ?? null} />
      </div>
    </div>
  )
}
