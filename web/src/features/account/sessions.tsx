// Where the account is signed in. Any other session can be ended, one by one or all at once; an ended one falls back to
// the sign-in within a second.
import { useRef, useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  endOtherSessions,
  endSession,
  keepThisSession,
  sessionsKey,
  sessionsQuery,
  type OpenSession,
} from '../../api/auth'
import { asApiError } from '../../api/errors'
import { ActDialog } from '../../api/mutation-dialog'
import { write } from '../../api/newest'
import { formatDateTime, relativeTime } from '../../lib/dates'
import { deviceName } from '../../lib/device'
import { serverNow } from '../../live/server-clock'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { DotLine, ListRow } from '../../ui/list-row'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { focusHeadingAround } from '../../ui/focus-heading'
import { SkeletonLines } from '../../ui/skeleton'
import { notifySuccess } from '../../ui/toast'

export function Sessions() {
  const query = useQuery(sessionsQuery())
  const [isAsking, setIsAsking] = useState(false)
  // With the list, in the same picture: on a phone the button stands above it.
  const [list, setList] = useState<HTMLUListElement | null>(null)
  const others = list !== null && (query.data?.some(({ current }) => !current) ?? false)
  return (
    <Card className={settlesFirst}>
      <CardHeader
        title="Sessões"
        actions={
          others && (
            <Button variant="secondary" size="small" onClick={() => setIsAsking(true)}>
              Encerrar outras sessões
            </Button>
          )
        }
      >
        Onde sua conta está aberta agora. Se não reconhecer alguma, encerre e altere a senha.
      </CardHeader>
      <DataArea query={query} errorTitle="Erro ao carregar sessões" skeleton={<SkeletonLines count={4} />} live>
        {(sessions) => (
          <ul role="list" ref={setList} className="grid">
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
      </DataArea>
      {isAsking && <EndOthersDialog onClose={() => setIsAsking(false)} />}
    </Card>
  )
}

function SessionRow({ session: { id, device, createdAt, lastUsedAt, current } }: { session: OpenSession }) {
  const queries = useQueryClient()
  const row = useRef<HTMLLIElement>(null)
  const name = deviceName(device)
  const ending = useMutation({
    // One that has ended meanwhile, or elsewhere, is ended.
    mutationFn: () =>
      endSession(id).catch((error: unknown) => {
        if (asApiError(error).code !== 'NOT_FOUND') throw error
      }),
    onSuccess: () => {
      if (row.current?.contains(document.activeElement)) focusHeadingAround(row.current)
      write<OpenSession[]>(queries, sessionsKey, (rows) => rows?.filter((kept) => kept.id !== id))
      notifySuccess('Sessão encerrada.')
    },
  })
  const failure = ending.error && asApiError(ending.error)
  const wait = useRetrySeconds(failure)
  return (
    <ListRow
      ref={row}
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {name}
          {current && <Badge tone="info">Esta sessão</Badge>}
        </span>
      }
      note={
        <DotLine
          parts={[
            `Último uso: ${relativeTime(lastUsedAt, serverNow()).toLowerCase()}`,
            `Entrada em ${formatDateTime(createdAt)}`,
          ]}
        />
      }
    >
      {!current && (
        <Button
          variant="ghost"
          size="small"
          className="ml-auto"
          aria-label={`Encerrar ${name}, entrada em ${formatDateTime(createdAt)}`}
          disabled={wait > 0}
          busy={ending.isPending && 'Encerrando...'}
          onClick={() => ending.mutate()}
        >
          Encerrar
        </Button>
      )}
      <FailureAlert className="w-full" title="Erro ao encerrar sessão" failure={failure} />
    </ListRow>
  )
}

function EndOthersDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const end = async () => {
    await endOtherSessions()
    keepThisSession(queries)
    notifySuccess('As outras sessões foram encerradas.')
  }
  return (
    <ActDialog
      act={end}
      onClose={onClose}
      title="Encerrar outras sessões?"
      description="Os outros navegadores e aparelhos precisarão entrar de novo. Esta sessão continua aberta."
      actLabel="Encerrar outras sessões"
      actVariant="primary"
      busyLabel="Encerrando..."
      failureTitle="Erro ao encerrar sessão"
    />
  )
}
