// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DataArea } from './data-area'
import { usePageShape } from './skeleton'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

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

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))

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
