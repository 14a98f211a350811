// @vitest-environment happy-dom
import { Component, Suspense, type ReactNode } from 'react'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { isOutdated } from '../lib/outdated'
import { VERSION } from '../lib/version'
import { lazyPart, loadUntilThere } from './lazy-part'

afterEach(() => {
  cleanup()
  isOutdated.set(false)
})

/** The page of last resort around it. */
class Crash extends Component<{ children: ReactNode }> {
  override state = { crashed: false }
  static getDerivedStateFromError() {
    return { crashed: true }
  }
  override render() {
    return this.state.crashed ? 'Algo deu errado' : this.props.children
  }
}

const Screen = () => 'Faturas'
const lost = new TypeError('Failed to fetch dynamically imported module')

/** Inside of `act` React shows what was loaded at once, and not a third of a second later. */
const shown = (page: ReactNode) => act(async () => void render(page))

function show(load: () => Promise<{ default: () => string }>) {
  const Part = lazyPart(load)
  return shown(
    <Crash>
      <nav>Menu</nav>
      <Suspense fallback={null}>
        <Part />
      </Suspense>
    </Crash>,
  )
}

const server = (answer: () => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(answer))

test('code that the network did not bring is named so in its place, and comes with another try', async () => {
  server(() => Promise.reject(new TypeError('Failed to fetch')))
  const load = vi.fn().mockRejectedValueOnce(lost).mockRejectedValueOnce(lost).mockResolvedValue({ default: Screen })
  await show(load)
  await screen.findByText('Erro de conexão. Verifique sua internet')
  screen.getByText('Menu')
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' })))
  fireEvent.click(await screen.findByRole('button', { name: 'Tentar Novamente' }))
  await screen.findByText('Faturas')
  screen.getByText('Menu')
})

test('it comes by itself with the network', async () => {
  server(() => Promise.reject(new TypeError('Failed to fetch')))
  await show(vi.fn().mockRejectedValueOnce(lost).mockResolvedValue({ default: Screen }))
  await screen.findByText('Erro de conexão. Verifique sua internet')
  act(() => void window.dispatchEvent(new Event('online')))
  await screen.findByText('Faturas')
})

test('it comes when it is opened once more after the network came back elsewhere', async () => {
  server(() => Promise.reject(new TypeError('Failed to fetch')))
  const load = vi.fn().mockRejectedValueOnce(lost).mockResolvedValue({ default: Screen })
  const Part = lazyPart(load)
  const page = (
    <Suspense fallback={null}>
      <Part />
    </Suspense>
  )
  await shown(page)
  await screen.findByText('Erro de conexão. Verifique sua internet')
  cleanup()
  window.dispatchEvent(new Event('online'))
  expect(load).toHaveBeenCalledOnce()
  await shown(page)
  await screen.findByText('Faturas')
})

test('the heading that had the focus hands it on to the one that takes its place', async () => {
  server(() => Promise.reject(new TypeError('Failed to fetch')))
  const load = vi.fn().mockRejectedValueOnce(lost)
  const Page = () => <h1 tabIndex={-1}>Faturas</h1>
  const Part = lazyPart(load.mockResolvedValue({ default: Page }), (_, notice) => (
    <>
      <h1 key="notice" tabIndex={-1}>
        Sem conexão
      </h1>
      {notice}
    </>
  ))
  await shown(
    <Suspense fallback={null}>
      <Part />
    </Suspense>,
  )
  const notice = await screen.findByText('Sem conexão')
  notice.focus()
  act(() => void window.dispatchEvent(new Event('online')))
  const heading = await screen.findByText('Faturas')
  expect(heading).not.toBe(notice)
  await waitFor(() => expect(document.activeElement).toBe(heading))
})

const same = () => Promise.resolve(Response.json({ success: true, data: { version: VERSION } }))

test('code that was lost with a network that is back comes at once', async () => {
  server(same)
  await show(vi.fn().mockRejectedValueOnce(lost).mockResolvedValue({ default: Screen }))
  await screen.findByText('Faturas')
})

test('code that a server of the same version does not bring is a crash', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  server(same)
  await show(vi.fn().mockRejectedValue(lost))
  await screen.findByText('Algo deu errado')
})

const newer = () => Promise.resolve(Response.json({ success: true, data: { version: '9.9.9' } }))

test('code that a newer build has replaced leads to a reload, and what stands around it stays', async () => {
  server(newer)
  const load = vi.fn().mockRejectedValue(lost)
  await show(load)
  await screen.findByText('Nova versão disponível')
  screen.getByRole('button', { name: 'Recarregar' })
  screen.getByText('Menu')
  expect(load).toHaveBeenCalledOnce()
  expect(isOutdated.get()).toBe(true)
})

test('code that is gone once the network is back leads to a reload, too', async () => {
  server(() => Promise.reject(new TypeError('Failed to fetch')))
  await show(vi.fn().mockRejectedValue(lost))
  const again = await screen.findByRole('button', { name: 'Tentar Novamente' })
  server(newer)
  fireEvent.click(again)
  await screen.findByText('Nova versão disponível')
  expect(screen.queryByText('Erro de conexão. Verifique sua internet')).toBeNull()
})

test('code without a place of its own is loaded again after a while and with the network, until it is there', async () => {
  vi.useFakeTimers()
  server(newer)
  const load = vi.fn().mockRejectedValueOnce(lost).mockRejectedValueOnce(lost).mockResolvedValue('code')
  const loading = loadUntilThere(load)
  await vi.advanceTimersByTimeAsync(14_999)
  expect(load).toHaveBeenCalledOnce()
  expect(isOutdated.get()).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(load).toHaveBeenCalledTimes(2)
  window.dispatchEvent(new Event('online'))
  expect(await loading).toBe('code')
})
