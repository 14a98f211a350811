// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { Chart } from './chart'

/** The browser's word that what is watched has come near the screen. */
let comeNear: () => void

beforeAll(() => import('./chart-plot').then(() => undefined), 60_000)
beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(told: (entries: { isIntersecting: boolean; boundingClientRect: { width: number } }[]) => void) {
        comeNear = () => told([{ isIntersecting: true, boundingClientRect: { width: 500 } }])
      }
      observe() {}
      disconnect() {}
    },
  )
})

function show(running?: string) {
  return render(
    <Chart
      running={running}
      caption="MRR de R$ 10 a R$ 20"
      description="De R$ 10 a R$ 20."
      points={[
        { label: 'out/26', mrr: 10 },
        { label: 'nov/26', mrr: 20 },
      ]}
      series={[{ key: 'mrr', label: 'MRR', kind: 'bar', color: 1 }]}
      format={String}
      axisFormat={String}
      table={<table aria-label="MRR por mês" />}
    />,
  ).container
}

const drawn = (container: HTMLElement) => container.querySelector('.recharts-responsive-container')

test('a chart is drawn once it comes near the screen', async () => {
  const container = show()
  expect(screen.getByText('De R$ 10 a R$ 20.')).toBeTruthy()
  expect(drawn(container)).toBeNull()
  act(comeNear)
  await vi.waitFor(() => expect(drawn(container)).toBeTruthy())
  expect(screen.queryByRole('table')).toBeNull()
})

test.each([
  ['nov/26', 'De R$ 10 a R$ 20. Parcial: nov/26 ainda não terminou.'],
  ['dez/26', 'De R$ 10 a R$ 20.'],
])('who does not see the dashes of %s is told what they mean, where there are any', (running, text) => {
  show(running)
  screen.getByText(text)
})

test('the markers of its legend are for the eye alone', async () => {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 500, 280))
  const kinds = [
    { key: 'mrr', label: 'MRR', kind: 'bar', color: 1 },
    { key: 'arr', label: 'ARR', kind: 'line', color: 2, marker: 'square' },
  ] as const
  const points = [{ label: 'out/26', mrr: 10, arr: 20 }]
  render(
    <Chart
      {...{ caption: 'C', description: 'D', points, format: String, axisFormat: String }}
      series={kinds}
      table={<table />}
    />,
  )
  act(comeNear)
  const items = await screen.findAllByRole('listitem')
  expect(items.map(({ textContent }) => textContent).toSorted()).toEqual(['ARR', 'MRR'])
  for (const item of items) expect(item.querySelector('svg:not([aria-hidden])')).toBeNull()
})

test('a chart that was never near the screen is printed as its table', () => {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query === 'print',
    addEventListener() {},
    removeEventListener() {},
  }))
  show()
  expect(screen.getByRole('table', { name: 'MRR por mês' })).toBeTruthy()
})

test('the button says what it shows next, and is no switch besides', () => {
  show()
  fireEvent.click(screen.getByRole('button', { name: 'Ver como tabela' }))
  expect(screen.getByRole('table', { name: 'MRR por mês' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Ver como gráfico' }).hasAttribute('aria-pressed')).toBe(false)
})
