// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { DayRange, daysOf } from './day-range'

function urlOf(query: string) {
  const search = new URLSearchParams(query)
  return { get: (name: string) => search.get(name) }
}

test.each([
  ['from=2026-11-01&to=2026-11-21', { from: '2026-11-01', to: '2026-11-21' }],
  ['from=2026-11-21&to=2026-11-01', { from: '2026-11-01', to: '2026-11-21' }],
  ['to=2026-11-21', { to: '2026-11-21' }],
  ['from=2026-02-30&to=21/11/2026', {}],
  ['from=0002-11-21&to=9999-01-01', {}],
])('%s are the days %j', (query, days) => {
  expect(daysOf(urlOf(query))).toEqual(days)
})

test('each field ends where the other begins, and what is half typed is no day', () => {
  const onChange = vi.fn()
  const { rerender } = render(
    <DayRange url={urlOf('from=2026-11-01&to=2026-11-20')} max="2026-11-21" onChange={onChange} />,
  )
  const [first, last] = [screen.getByLabelText<HTMLInputElement>('De'), screen.getByLabelText<HTMLInputElement>('Até')]
  expect([first.min, first.max, first.value]).toEqual(['2000-01-01', '2026-11-20', '2026-11-01'])
  expect([last.min, last.max, last.value]).toEqual(['2026-11-01', '2026-11-21', '2026-11-20'])

  fireEvent.change(last, { target: { value: '2026-11-19' } })
  expect(onChange).toHaveBeenLastCalledWith({ to: '2026-11-19' })
  fireEvent.change(first, { target: { value: '' } })
  expect(onChange).toHaveBeenLastCalledWith({ from: '' })
  Object.defineProperty(first, 'validity', { value: { valid: false } })
  fireEvent.change(first, { target: { value: '0002-11-01' } })
  expect(onChange).toHaveBeenCalledTimes(2)

  // A link or "Limpar filtros" changes the address: the fields follow.
  rerender(<DayRange url={urlOf('')} max="2026-11-21" onChange={onChange} />)
  expect([first.value, last.value, last.min]).toEqual(['', '', '2000-01-01'])
})

/** As the browser judges a day that its limits keep out. */
function keepOut(field: HTMLInputElement, value: string) {
  Object.defineProperty(field, 'validity', { value: { valid: false }, configurable: true })
  fireEvent.change(field, { target: { value } })
}

test('a day behind the other one, or in the future, is taken when its field is left', () => {
  const onChange = vi.fn()
  render(<DayRange url={urlOf('from=2026-11-10&to=2026-11-10')} max="2026-11-21" onChange={onChange} />)
  const [first, last] = [screen.getByLabelText<HTMLInputElement>('De'), screen.getByLabelText<HTMLInputElement>('Até')]
  keepOut(first, '2026-11-20')
  expect(onChange).not.toHaveBeenCalled()
  fireEvent.blur(first)
  expect(onChange).toHaveBeenLastCalledWith({ from: '2026-11-20' })
  expect(first.value).toBe('2026-11-10')
  keepOut(last, '2026-12-31')
  fireEvent.blur(last)
  expect(onChange).toHaveBeenLastCalledWith({ to: '2026-12-31' })
})

test('what is no day of the list is said to be wrong when its field is left', () => {
  const onChange = vi.fn()
  render(<DayRange url={urlOf('')} max="2026-11-21" onChange={onChange} />)
  const first = screen.getByLabelText<HTMLInputElement>('De')
  keepOut(first, '0002-11-20')
  expect(screen.queryByText('Valor inválido')).toBeNull()
  fireEvent.blur(first)
  screen.getByText('Valor inválido')
  keepOut(first, '0020-11-20')
  expect(screen.queryByText('Valor inválido')).toBeNull()
  expect(onChange).not.toHaveBeenCalled()
})
