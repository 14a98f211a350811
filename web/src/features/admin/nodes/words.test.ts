import { describe, expect, test } from 'vitest'
import type { Standby } from '../../../api/admin'
import { bytesText, clockText, lagText, queuesText, refusalText, shortId, standbyStatus } from './words'

const queues = { busOut: 0, busIn: 0, jobsDue: 0, jobsRunning: 0, databaseWaiting: 0 }
const standby = (over: Partial<Standby>): Standby => ({ name: 'b', state: 'streaming', syncState: 'async', ...over })

describe('what the page says', () => {
  test('only queues in which something waits are named', () => {
    expect(queuesText(queues)).toBe('Vazias')
    expect(queuesText({ ...queues, jobsDue: 3, databaseWaiting: 1 })).toBe('3 tarefas vencidas, 1 à espera do banco')
    const one = { ...queues, jobsDue: 1, jobsRunning: 1, busIn: 1 }
    expect(queuesText(one)).toBe('1 tarefa vencida, 1 tarefa em execução, 1 recebida')
  })
  test('a clock that is off by a second is no news', () => {
    expect([0, 1, -1].map(clockText)).toEqual([null, null, null])
    expect([2, -119, 600].map(clockText)).toEqual([
      'Relógio: 2 s adiantado',
      'Relógio: 119 s atrasado',
      'Relógio: 10 min adiantado',
    ])
  })
  test('bytes take the unit that keeps them short', () => {
    expect([0, 1023, 1536, 10 * 1024 ** 2, 3 * 1024 ** 5].map(bytesText)).toEqual([
      '0 B',
      '1.023 B',
      '1,5 kB',
      '10 MB',
      '3.072 TB',
    ])
  })
  test('lag that is not told is no lag of zero', () => {
    expect(lagText(standby({}))).toBeNull()
    expect(lagText(standby({ lagBytes: 0 }))).toBe('Em dia')
    expect(lagText(standby({ lagBytes: 1536, lagSeconds: 0.25 }))).toBe('1,5 kB e 0,3 s')
  })
  test('a standby is named by whether commits wait for it', () => {
    expect(standbyStatus(standby({ syncState: 'quorum' })).label).toBe('Síncrona')
    expect(standbyStatus(standby({ syncState: 'potential' })).label).toBe('Assíncrona')
    expect(standbyStatus(standby({ state: 'catchup' })).label).toBe('Alcançando')
    expect(standbyStatus(standby({ state: null })).label).toBe('Conectada')
  })
  test('a reason of a newer server is shown as it is', () => {
    expect(refusalText('forged')).toContain('BIPE_SECRET')
    expect(refusalText('lunar')).toBe('lunar')
  })
  test('nodes that started together differ in their short id', () => {
    expect(shortId('019aad8a-0000-7000-8000-0000deadbeef')).toBe('deadbeef')
  })
})
