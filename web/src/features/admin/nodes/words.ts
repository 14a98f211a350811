// The words of the page "Nós": what the server tells of nodes, bus and database, as a platform admin reads it.
import type { BusView, DatabaseStatus, InstalledNode, NodeProblem, NodeState, Standby } from '../../../api/admin'
import { formatDecimal } from '../../../lib/decimal'
import { counted, type Status } from '../../../lib/labels'

const problemSentences: Record<NodeProblem, string> = {
  busDisconnected: 'O barramento está desconectado. Eventos de outros nós chegam com até um segundo de atraso.',
  busSuspect: 'O barramento pode estar perdendo mensagens. Os canais são conferidos no banco a cada segundo.',
  messagesRefused: 'Mensagens do barramento estão sendo recusadas.',
  nodeSilent: 'Um nó parou de dar sinal sem avisar que ia encerrar.',
  clocksDiffer: 'Os relógios dos nós divergem.',
  historiesDiffer: 'Os nós veem bancos de dados com históricos diferentes.',
  databaseSilent: 'O banco de dados não respondeu.',
  commitsNotDurable: 'O banco confirma gravações antes de estarem em disco. Uma queda pode perder as últimas.',
  standbyMissing: 'As gravações esperam por uma réplica síncrona, e nenhuma está conectada.',
  standbyBehind: 'Uma réplica do banco de dados está atrasada.',
}

/** A newer server may know other problems. */
export function problemText(problem: NodeProblem): string {
  return problemSentences[problem] ?? problem
}

export const nodeStatuses: Record<InstalledNode['status'], Status> = {
  serving: { label: 'Atendendo', tone: 'success' },
  draining: { label: 'Encerrando', tone: 'info', pending: true },
  silent: { label: 'Sem sinal', tone: 'danger' },
}

export const busStatuses: Record<BusView['status'], Status> = {
  none: { label: 'Sem barramento', tone: 'neutral' },
  trusted: { label: 'Conectado', tone: 'success' },
  suspect: { label: 'Em verificação', tone: 'warning', pending: true },
  disconnected: { label: 'Desconectado', tone: 'danger' },
}

const refusals: Record<string, string> = {
  forged: 'De outra instalação, ou com outro BIPE_SECRET',
  malformed: 'Conteúdo que não é do Bipe',
  stale: 'Relógio errado, ou mensagem repetida',
  too_long: 'Longas demais',
  version: 'De uma versão mais nova do Bipe',
}

/** A newer server may know other reasons. */
export function refusalText(reason: string): string {
  return refusals[reason] ?? reason
}

/** Ids begin with the time: nodes that start together differ only at the end. */
export function shortId(id: string): string {
  return id.slice(-8)
}

const MINUTE = 60

/** `Relógio: 12 s adiantado`, `Relógio: 10 min atrasado`; null where the difference is no news. */
export function clockText(aheadSeconds: number): string | null {
  const off = Math.abs(aheadSeconds)
  if (off < 2) return null
  const amount = off < 2 * MINUTE ? `${off} s` : `${Math.floor(off / MINUTE)} min`
  return `Relógio: ${amount} ${aheadSeconds > 0 ? 'adiantado' : 'atrasado'}`
}

/** Of one, and of more. */
const queueLabels: Record<keyof NodeState['queues'], [one: string, many: string]> = {
  jobsDue: ['tarefa vencida', 'tarefas vencidas'],
  jobsRunning: ['tarefa em execução', 'tarefas em execução'],
  databaseWaiting: ['à espera do banco', 'à espera do banco'],
  busOut: ['a enviar', 'a enviar'],
  busIn: ['recebida', 'recebidas'],
}

/** Only what waits: `3 tarefas vencidas, 1 à espera do banco`. */
export function queuesText(queues: NodeState['queues']): string {
  const entries = Object.entries(queueLabels) as [keyof NodeState['queues'], [string, string]][]
  const waiting = entries
    .filter(([name]) => queues[name] > 0)
    .map(([name, [one, many]]) => counted(queues[name], one, many, 'Nenhuma'))
  return waiting.length > 0 ? waiting.join(', ') : 'Vazias'
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** `0 B`, `1,5 MB`. */
export function bytesText(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)))
  const amount = bytes / 1024 ** step
  return `${formatDecimal(amount, 0, step > 0 && amount < 10 ? 1 : 0)} ${units[step]}`
}

/** `1,5 MB e 0,2 s`; null where the server does not tell. */
export function lagText({ lagBytes, lagSeconds }: Standby): string | null {
  if (typeof lagBytes !== 'number') return null
  const seconds = typeof lagSeconds === 'number' && lagSeconds >= 0.1 ? ` e ${formatDecimal(lagSeconds, 0, 1)} s` : ''
  return lagBytes === 0 && !seconds ? 'Em dia' : `${bytesText(lagBytes)}${seconds}`
}

export function standbyStatus({ state, syncState }: Standby): Status {
  if (!state) return { label: 'Conectada', tone: 'neutral' }
  if (state !== 'streaming') return { label: 'Alcançando', tone: 'warning', pending: true }
  if (syncState === 'sync' || syncState === 'quorum') return { label: 'Síncrona', tone: 'success' }
  return { label: 'Assíncrona', tone: 'info' }
}

export function commitsText({ commitsAreDurable, waitsForStandby }: DatabaseStatus): string {
  if (!commitsAreDurable) return 'Antes de estarem em disco'
  return waitsForStandby ? 'Em disco e em réplica síncrona' : 'Em disco'
}
