// The primary and the servers that copy it, with what an administrator grants where the copies cannot be read.
import type { DatabaseStatus, Standby } from '../../../api/admin'
import { StatusBadge } from '../../../ui/badge'
import { Card, CardHeader } from '../../../ui/card'
import { Fact, Facts } from '../../../ui/facts'
import { commitsText, lagText, standbyStatus } from './words'

export function DatabaseCard({ database }: { database: DatabaseStatus | null }) {
  return (
    <Card>
      <CardHeader
        title="Banco de dados"
        actions={
          <StatusBadge
            {...(database
              ? { label: 'Respondendo', tone: 'success' as const }
              : { label: 'Sem resposta', tone: 'danger' as const })}
          />
        }
      />
      {database ? <DatabaseFacts database={database} /> : <p className="text-muted">Sem dados nos últimos 10 s.</p>}
    </Card>
  )
}

function DatabaseFacts({ database }: { database: DatabaseStatus }) {
  const { serverVersion, timeline, schema, oldestSchema, standbys } = database
  return (
    <Facts>
      <Fact name="PostgreSQL">{serverVersion}</Fact>
      <Fact name="Linha do tempo">{timeline}</Fact>
      <Fact name="Esquema">{`${schema}, aceita versões a partir do ${oldestSchema}`}</Fact>
      <Fact name="Confirma gravações">{commitsText(database)}</Fact>
      <Fact name="Réplicas">
        {standbys.length === 0 ? (
          'Nenhuma'
        ) : (
          <ul role="list" className="grid gap-2">
            {standbys.map((standby, index) => (
              // Names repeat where nobody set them.
              <StandbyRow key={index} standby={standby} />
            ))}
          </ul>
        )}
        {standbys.length > 0 && database.grant && <Grant statement={database.grant} />}
      </Fact>
    </Facts>
  )
}

function StandbyRow({ standby }: { standby: Standby }) {
  const lag = lagText(standby)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{standby.name}</span>
      <StatusBadge {...standbyStatus(standby)} />
      {lag && <span className="text-muted">{lag === 'Em dia' ? lag : `Atraso: ${lag}`}</span>}
    </li>
  )
}

function Grant({ statement }: { statement: string }) {
  return (
    <p className="mt-2 text-label text-muted">
      Para ver a situação e o atraso das réplicas, um administrador do banco executa: <code>{statement}</code>
    </p>
  )
}
