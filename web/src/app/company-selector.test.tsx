// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, test, vi } from 'vitest'
import { askingCache, renderAt } from '../../test/render'
import { api } from '../api/client'
import { companyKeys, type Company } from '../api/companies'
import { ApiError } from '../api/errors'
import { CompanyProvider } from '../auth/company'
import { announce } from '../ui/announcer'
import { CompanySelector } from './company-selector'

vi.mock('../ui/announcer', { spy: true })

const companies = Array.from(
  { length: 9 },
  (_, index) => ({ id: `c${index}`, companyName: `Ponto ${index}`, userRole: 'operator' }) as Company,
)

let isCoarse: boolean
beforeEach(() => {
  isCoarse = false
  vi.stubGlobal('matchMedia', () => ({ matches: isCoarse }))
})

async function open(onNavigate?: () => void) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  queries.setQueryData(companyKeys.list, companies)
  renderAt(
    '/',
    <CompanyProvider onLost={() => undefined}>
      <CompanySelector onNavigate={onNavigate} />
    </CompanyProvider>,
    queries,
  )
  const trigger = screen.getByRole('button', { name: /^Empresa atual/ })
  trigger.focus()
  await act(async () => fireEvent.keyDown(trigger, { key: 'Enter' }))
}

const press = (key: string) => act(async () => fireEvent.keyDown(document.activeElement ?? document.body, { key }))
const field = () => screen.getByLabelText('Filtrar empresas')

test('the menu of many companies opens on its filter, and the arrows go from there to the companies and back', async () => {
  await open()
  await waitFor(() => expect(document.activeElement).toBe(field()))
  fireEvent.change(field(), { target: { value: 'ponto 4' } })
  await press('ArrowDown')
  expect(document.activeElement?.textContent).toContain('Ponto 4')
  await press('ArrowUp')
  expect(document.activeElement).toBe(field())
  fireEvent.change(field(), { target: { value: 'nenhuma' } })
  await press('ArrowDown')
  expect(document.activeElement?.textContent).toBe('Criar Nova Empresa')
  await press('ArrowUp')
  expect(document.activeElement).toBe(field())
})

test('a pointer reads the name that is cut, or not there on a rail, and the button is not described by it', async () => {
  await open()
  const trigger = screen.getByRole('button', { name: /^Empresa atual: Ponto 0/, hidden: true })
  expect(screen.getByTitle('Ponto 0').contains(trigger)).toBe(true)
  expect(trigger.title).toBe('')
})

test('under a finger it does not, for the keyboard of the screen would cover the companies', async () => {
  isCoarse = true
  await open()
  await act(() => new Promise((resolve) => setTimeout(resolve)))
  expect(document.activeElement).not.toBe(field())
})

test('that no company is called what was typed is heard', async () => {
  await open()
  const told = 'Nenhuma empresa encontrada'
  fireEvent.change(field(), { target: { value: 'ponto 4' } })
  expect(announce).not.toHaveBeenCalledWith(told)
  fireEvent.change(field(), { target: { value: 'ponto x' } })
  expect(announce).toHaveBeenCalledWith(told)
})

test('a company that is chosen in the sheet of a phone leads out of it, to the page that is about that company', async () => {
  isCoarse = true
  const leave = vi.fn()
  await open(leave)
  await act(async () => fireEvent.click(screen.getByRole('menuitem', { name: /Ponto 4/ })))
  expect(leave).toHaveBeenCalledOnce()
  screen.getByRole('button', { name: /^Empresa atual: Ponto 4/ })
})

test('that the companies could not be read is heard, also after another try', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  renderAt(
    '/',
    <CompanyProvider onLost={() => undefined}>
      <CompanySelector />
    </CompanyProvider>,
    askingCache(),
  )
  await waitFor(() => expect(announce).toHaveBeenCalledExactlyOnceWith('Erro ao carregar empresas'))
  fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
  await waitFor(() => expect(announce).toHaveBeenCalledTimes(2))
})
