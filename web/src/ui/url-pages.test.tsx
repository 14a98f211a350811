// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { BrowserRouter } from 'react-router'
import { expect, test } from 'vitest'
import { Pager } from './pager'
import { useLastPage, useUrlState } from './url-state'

function List() {
  const url = useUrlState()
  useLastPage(url, 10, { data: { total: 21 }, isFetching: false })
  return <Pager page={url.page} total={21} limit={10} onPage={url.setPage} />
}

function show() {
  render(
    <BrowserRouter>
      <List />
    </BrowserRouter>,
  )
}

test('"back" of the browser leads to the page of the list before', async () => {
  window.history.replaceState(null, '', '/admin/users')
  show()
  fireEvent.click(screen.getByRole('button', { name: 'Próxima' }))
  await screen.findByText('Página 2 de 3')
  act(() => window.history.back())
  await screen.findByText('Página 1 de 3')
})

test('of many pages the number is written as Brazil writes it', () => {
  render(<Pager page={1234} total={50_000} limit={10} onPage={() => undefined} />)
  screen.getByText('Página 1.234 de 5.000')
})

test('a page behind the last one leads to the last one, without a step back to it', async () => {
  window.history.replaceState(null, '', '/admin/users?page=999')
  const before = window.history.length
  show()
  await screen.findByText('Página 3 de 3')
  expect(window.location.search).toBe('?page=3')
  expect(window.history.length).toBe(before)
})
