// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showInTitle } from './title-badge'

let visibility: DocumentVisibilityState
beforeEach(() => {
  visibility = 'hidden'
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility)
  document.title = 'Pagamentos · Bipe'
})
const turn = (to: DocumentVisibilityState) => {
  visibility = to
  document.dispatchEvent(new Event('visibilitychange'))
}
afterEach(() => turn('visible'))

test('a hidden tab tells its latest news and how many there are, and is itself again once it is seen', () => {
  showInTitle('Pagamento aprovado')
  expect(document.title).toBe('(1) Pagamento aprovado')
  showInTitle('Assinatura ativa')
  turn('hidden')
  expect(document.title).toBe('(2) Assinatura ativa')
  turn('visible')
  expect(document.title).toBe('Pagamentos · Bipe')
  showInTitle('Pagamento recusado')
  expect(document.title).toBe('(1) Pagamento recusado')
})

test('a title that the page has set meanwhile stays', () => {
  showInTitle('Pagamento aprovado')
  document.title = 'Dashboard · Bipe'
  turn('visible')
  expect(document.title).toBe('Dashboard · Bipe')
})

test('news after a new title come back to the new one', () => {
  showInTitle('Pagamento aprovado')
  document.title = 'Dashboard · Bipe'
  showInTitle('Assinatura ativa')
  expect(document.title).toBe('(2) Assinatura ativa')
  turn('visible')
  expect(document.title).toBe('Dashboard · Bipe')
})
