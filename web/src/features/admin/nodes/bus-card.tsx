// The bus between the nodes. Without one the node is whole: the normal state of a single server.
import type { BusView, RefusedView } from '../../../api/admin'
import { formatDateTime } from '../../../lib/dates'
import { statusNamed } from '../../../lib/labels'
import { formatNumber } from '../../../lib/numbers'
import { StatusBadge } from '../../../ui/badge'
import { Card, CardHeader } from '../../../ui/card'
import { Fact, Facts } from '../../../ui/facts'
import { busStatuses, clockText, refusalText, shortId } from './words'

export function BusCard({ bus, nodes }: { bus: BusView; nodes: number }) {
  return (
    <Card>
      <CardHeader title="Barramento" actions={<StatusBadge {...statusNamed(busStatuses, bus.status)} />} />
      {bus.status === 'none' ? <NoBus nodes={nodes} /> : <BusFacts bus={bus} />}
    </Card>
  )
}

function NoBus({ nodes }: { nodes: number }) {
  return (
    <div className="grid gap-1">
      {nodes === 1 && <p className="font-semibold">Um nó, sem barramento</p>}
      <p className="text-muted">
        Um nó não precisa de barramento. Para vários nós, informe <code>NATS_URL</code> em todos eles.
      </p>
    </div>
  )
}

function BusFacts({ bus }: { bus: BusView }) {
  const { suspectSince, suspicions, dropped, refused } = bus
  return (
    <Facts>
      {suspectSince && <Fact name="Em verificação desde">{formatDateTime(suspectSince)}</Fact>}
      <Fact name="Verificações">{formatNumber(suspicions, 0)}</Fact>
      <Fact name="Mensagens perdidas">{formatNumber(dropped, 0)}</Fact>
      <Fact name="Mensagens recusadas">
        {refused.length === 0 ? (
          'Nenhuma'
        ) : (
          <ul role="list" className="grid gap-2">
            {refused.map((one) => (
              <RefusedRow key={one.reason} refused={one} />
            ))}
          </ul>
        )}
      </Fact>
    </Facts>
  )
}

function RefusedRow({ refused: { reason, count, lastAt, node, clockAheadSeconds } }: { refused: RefusedView }) {
  const clock = clockText(clockAheadSeconds ?? 0)
  return (
    <li>
      {`${formatNumber(count, 0)} · ${refusalText(reason)}`}
      <span className="block text-label text-muted">
        {`Última em ${formatDateTime(lastAt)}`}
        {node && (
          <>
            , do nó{' '}
            <span className="font-mono" title={node}>
              {shortId(node)}
            </span>
          </>
        )}
      </span>
      {clock && <StatusBadge label={clock} tone="warning" />}
    </li>
  )
}
