// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { pass } from '../../test/pass'
import { Announcer } from './announcer'
import { Card, CardHeader } from './card'
import { DataArea, FailedArea } from './data-area'
import { Dialog } from './dialog'
import { usePageShape } from './skeleton'

beforeEach(() => void vi.useFakeTimers())

const isHidden = () => screen.getByText('cinza').closest('.invisible') !== null

function area(data?: string) {
  const query = { data, error: null, isPending: data === undefined, isFetching: false, dataUpdatedAt: Date.now() }
  return (
    <DataArea query={{ ...query, refetch: () => undefined }} errorTitle="Erro" skeleton={<p>cinza</p>}>
      {(text) => <p>{text}</p>}
    </DataArea>
  )
}

function PageShape() {
  usePageShape()
  return null
}

test('a skeleton waits until it is worth while, and then stays for as long as the eye needs', async () => {
  const { rerender } = render(area())
  expect(isHidden()).toBe(true)
  await pass(150)
  expect(isHidden()).toBe(false)
  rerender(area('pronto'))
  await pass(299)
  expect(isHidden()).toBe(false)
  await pass(1)
  expect(screen.queryByText('pronto')).toBeTruthy()
})

test('a skeleton that takes the place of the shape of the page is there at once, and goes with the answer', async () => {
  const { rerender } = render(<PageShape />)
  await pass(5_000)
  rerender(area())
  expect(isHidden()).toBe(false)
  rerender(area('pronto'))
  await pass(0)
  expect(screen.queryByText('pronto')).toBeTruthy()
})

test('an area that comes later waits as ever', async () => {
  const { rerender } = render(<PageShape />)
  rerender(<p>outra página</p>)
  await pass(300)
  rerender(area())
  expect(isHidden()).toBe(true)
})

describe('another try', () => {
  const retry = () => fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
  const heading = () => document.activeElement?.textContent

  test('leaves the focus to the heading of its card, for its button goes, and says that it has failed again', async () => {
    const answers = [{ error: new Error('lost') }, { error: null }]
    render(
      <Card>
        <CardHeader title="Pagamentos" />
        <FailedArea title="Erro ao carregar" error={null} onRetry={async () => answers.shift()} />
        <Announcer />
      </Card>,
    )
    retry()
    expect(heading()).toBe('Pagamentos')
    await pass(5_000)
    expect(screen.getByRole('status').textContent).toBe('Erro ao carregar')
    retry()
    await pass(5_000)
    expect(screen.getByRole('status').textContent).toBe('Erro ao carregar')
  })
  test('outside of a card leaves it to the title of the dialog, or of the page', () => {
    const area = <FailedArea title="Erro ao carregar" error={null} onRetry={() => undefined} />
    const page = <h1 tabIndex={-1}>Faturas</h1>
    const { rerender } = render(
      <>
        {page}
        {area}
      </>,
    )
    retry()
    expect(heading()).toBe('Faturas')
    rerender(
      <>
        {page}
        <Dialog title="Pagamento" onClose={() => undefined}>
          {area}
        </Dialog>
      </>,
    )
    retry()
    expect(heading()).toBe('Pagamento')
  })
  test('is held back by a rate limit, whose seconds are counted down', async () => {
    const sentence = 'Muitas tentativas. Tente novamente em 30 s.'
    const error = Object.assign(new Error('429'), { code: 'RATE_LIMITED', sentence, retryAfter: 30 })
    const onRetry = vi.fn()
    render(<FailedArea title="Erro ao carregar" error={error} onRetry={onRetry} />)
    await pass(10_000)
    screen.getByText('Muitas tentativas. Tente novamente em 20 s.')
    retry()
    expect(onRetry).not.toHaveBeenCalled()
    await pass(20_000)
    expect(screen.queryByText(/Muitas tentativas/)).toBeNull()
    retry()
    expect(onRetry).toHaveBeenCalledOnce()
  })
})

test('a first load that fails is announced once until there is data, however often it is tried again', async () => {
  const area = (error: Error | null, isPending = false, data?: string) => (
    <>
      <DataArea
        query={{ data, error, isPending, isFetching: isPending, dataUpdatedAt: 0, refetch: () => undefined }}
        errorTitle="Erro ao carregar saldos"
        skeleton={<p>cinza</p>}
      >
        {() => null}
      </DataArea>
      <Announcer />
    </>
  )
  const said = () => screen.getByRole('status').textContent
  const { rerender } = render(area(new Error('lost')))
  // What the tests before have said is over.
  await pass(60_000)
  expect(said()).toBe('Erro ao carregar saldos')
  rerender(area(new Error('lost'), true))
  await pass(1_000)
  rerender(area(new Error('lost')))
  await pass(5_000)
  expect(said()).toBe('Erro ao carregar saldos')
  // Another filter, say.
  rerender(area(null, false, 'saldos'))
  rerender(area(new Error('lost')))
  await pass(5_000)
  expect(said()).toBe('Erro ao carregar saldos\u00a0')
})
