// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { DataTable, readSort, writeSort } from './data-table'

/** What observes sizes is told of them at once. */
function observeAtOnce() {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly told: () => void) {}
      observe() {
        this.told()
      }
      disconnect() {}
    },
  )
}

test('a minus turns the order, in the address and back', () => {
  expect(readSort('-createdAt', 'name')).toEqual({ key: 'createdAt', descending: true })
  expect(readSort('name', '-createdAt')).toEqual({ key: 'name', descending: false })
  expect(readSort(null, '-createdAt')).toEqual({ key: 'createdAt', descending: true })
  for (const text of ['name', '-mrr']) expect(writeSort(readSort(text, ''))).toBe(text)
})

test('a table that scrolls is a stop of the keyboard, unless one of its own cells is', () => {
  let widthOfRows = 400
  observeAtOnce()
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(400)
  vi.spyOn(HTMLElement.prototype, 'scrollWidth', 'get').mockImplementation(() => widthOfRows)
  const region = (isLink = false) => {
    cleanup()
    const columns = [{ key: 'name', label: 'Nome', cell: () => (isLink ? <a href="/">Ana</a> : 'Ana') }]
    render(<DataTable caption="Pagadores" columns={columns} rows={[1]} rowKey={String} />)
    return screen.queryByRole('region', { name: 'Pagadores' })
  }
  expect(region()).toBeNull()
  widthOfRows = 500
  expect(region()?.tabIndex).toBe(0)
  expect(region(true)).toBeNull()
})

test('a table says whether it is wider than its frame', () => {
  observeAtOnce()
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(400)
  const width = vi.spyOn(HTMLElement.prototype, 'scrollWidth', 'get')
  const isWide = (of: number) => {
    cleanup()
    width.mockReturnValue(of)
    const actions = () => <a href="/">Abrir</a>
    render(<DataTable caption="Faturas" columns={[]} rows={[1]} rowKey={String} renderActions={actions} />)
    return screen.getByRole('table').parentElement?.dataset.wide !== undefined
  }
  expect([isWide(400), isWide(500)]).toEqual([false, true])
})

test('what gets the focus is not scrolled under the column that stays', () => {
  observeAtOnce()
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(96)
  const paddingWith = (renderActions?: () => string) => {
    cleanup()
    const actions = renderActions && { renderActions }
    render(<DataTable caption="Usuários" columns={[]} rows={[1]} rowKey={String} {...actions} />)
    return screen.getByRole('table').parentElement?.style.scrollPaddingRight
  }
  expect(paddingWith(() => 'Editar')).toBe('96px')
  expect(paddingWith()).toBe('0px')
})

test('cards lead back to the newest first, where no column does', () => {
  const column = (key: string) => ({ key, label: key, cell: () => '', sortable: true })
  const onSort = vi.fn()
  const show = (...keys: string[]) => {
    cleanup()
    const sort = { key: 'name', descending: false }
    render(<DataTable caption="" columns={keys.map(column)} rows={[]} rowKey={String} sort={sort} onSort={onSort} />)
    return screen.getByLabelText<HTMLSelectElement>('Ordenar por')
  }
  const select = show('name')
  expect(Array.from(select.options, ({ value }) => value)).toEqual(['', 'name', '-name'])
  fireEvent.change(select, { target: { value: '' } })
  expect(onSort.mock.calls).toEqual([[readSort('', '')]])
  expect(Array.from(show('name', 'createdAt').options, ({ value }) => value)).not.toContain('')
})

test('each row has the head by which it is told from the others', () => {
  const columns = [
    { key: 'name', label: 'Nome', cell: (name: string) => name },
    { key: 'role', label: 'Papel', cell: () => 'Operador' },
  ]
  render(<DataTable caption="Usuários" columns={columns} rows={['Ana', 'Rita']} rowKey={String} />)
  expect(screen.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual(['Ana', 'Rita'])
  expect(screen.getAllByRole('cell')).toHaveLength(2)
})
