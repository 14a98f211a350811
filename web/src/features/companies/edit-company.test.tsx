// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useQuery } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { askingCache, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { companyQuery, type Company } from '../../api/companies'
import { EditCompanyDialog } from './edit-company'

const opened = { id: 'c1', companyName: 'Ponto Central', userRole: 'admin' } as Company
/** As another administrator has saved it since. */
const now = { ...opened, companyDescription: 'Entregas na zona sul' }
const answer = (company: object) => answerOf({ company })

/** As the page shows it: the company follows the server. */
function Followed({ onClose }: { onClose: () => void }) {
  const { data } = useQuery({ ...companyQuery('c1'), enabled: false })
  return <EditCompanyDialog company={data ?? opened} onClose={onClose} />
}

function type(label: RegExp, value: string, onClose = () => {}) {
  const dialog = <Followed onClose={onClose} />
  renderWith(askingCache(), <RouterProvider router={createMemoryRouter([{ path: '*', element: dialog }])} />)
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
}

function save(label: RegExp, value: string) {
  vi.spyOn(api, 'GET').mockResolvedValue(answer(now))
  const put = vi.spyOn(api, 'PUT').mockResolvedValue(answer(now))
  type(label, value)
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  return put
}

test('a new name keeps the description that another administrator has saved since', async () => {
  const put = save(/^Nome da Empresa/, 'Ponto Sul')
  await waitFor(() => expect(put).toHaveBeenCalledOnce())
  expect(put.mock.calls[0]?.[1]).toMatchObject({
    body: { companyName: 'Ponto Sul', companyDescription: 'Entregas na zona sul' },
  })
})

test('a description that both have changed is not saved but named a conflict', async () => {
  const put = save(/^Descrição/, 'Entregas na zona norte')
  await screen.findByText('O registro mudou desde que você o abriu. Atualize e tente novamente')
  expect(put).not.toHaveBeenCalled()
})

test('after a conflict the form begins with what the other administrator has saved', async () => {
  const put = save(/^Descrição/, 'Entregas na zona norte')
  fireEvent.click(await screen.findByRole('button', { name: 'Carregar os dados novos' }))
  const description = screen.getByLabelText<HTMLTextAreaElement>(/^Descrição/)
  expect(description.value).toBe('Entregas na zona sul')
  fireEvent.change(description, { target: { value: 'Entregas na cidade toda' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(put).toHaveBeenCalledOnce())
  expect(put.mock.calls[0]?.[1]).toMatchObject({ body: { companyDescription: 'Entregas na cidade toda' } })
})

test('what was typed is not lost without a question', async () => {
  const onClose = vi.fn()
  type(/^Nome da Empresa/, 'Ponto Sul', onClose)
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  await screen.findByText('As alterações não salvas serão perdidas.')
  expect(onClose).not.toHaveBeenCalled()
  fireEvent.click(screen.getByRole('button', { name: 'Sair sem salvar' }))
  expect(onClose).toHaveBeenCalledOnce()
})
