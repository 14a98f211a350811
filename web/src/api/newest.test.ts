import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { keepNewest } from './newest'
import { paymentKeys, paymentQuery, type Payment } from './payments'

const payment = (version: number, status: string) => ({ id: 'p', version, status }) as Payment

test('an answer that was under way never overwrites the newer event', async () => {
  const queries = new QueryClient()
  let answer: (value: Payment) => void = () => undefined
  const late = new Promise<Payment>((resolve) => (answer = resolve))
  const reading = queries.fetchQuery({ ...paymentQuery('c', 'p'), queryFn: () => late })
  queries.setQueryData(paymentKeys.one('c', 'p'), payment(3, 'SUCCESS'))
  answer(payment(2, 'PENDING'))
  await reading
  expect(queries.getQueryData<Payment>(paymentKeys.one('c', 'p'))?.status).toBe('SUCCESS')
})

test('a newer answer, another object and a removed one are taken', () => {
  expect(keepNewest(payment(2, 'PENDING'), payment(3, 'SUCCESS'))).toEqual(payment(3, 'SUCCESS'))
  expect(keepNewest(payment(9, 'SUCCESS'), { ...payment(1, 'PENDING'), id: 'q' })).toMatchObject({ id: 'q' })
  expect(keepNewest(payment(9, 'SUCCESS'), null)).toBeNull()
  expect(keepNewest(undefined, payment(1, 'PENDING'))).toEqual(payment(1, 'PENDING'))
})
