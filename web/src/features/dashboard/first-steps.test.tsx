// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { renderAt } from '../../../test/render'
import type { Company, CompanyDetail } from '../../api/companies'
import { session } from '../../auth/use-session'
import { paths } from '../../lib/paths'
import { TooltipProvider } from '../../ui/tooltip'
import { FirstSteps } from './first-steps'

const user = { id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' } as const
const company = { id: 'c1', companyName: 'Ponto Novo', companyCreatedBy: user.id, status: 'active' } as Company

afterEach(() => {
  cleanup()
  session.expire()
  localStorage.clear()
})

function show(shown = company) {
  session.signIn(user, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
  const detail = { ...shown, users: [{}], invites: [] } as unknown as CompanyDetail
  renderAt(
    paths.dashboard,
    <TooltipProvider>
      <FirstSteps company={shown} detail={detail} subscription={null} />
    </TooltipProvider>,
  )
}

test('the steps of a company that were hidden stay hidden on the next page, and those of another one do not', () => {
  show()
  screen.getByText('1 de 3 concluídos')
  fireEvent.click(screen.getByRole('button', { name: 'Dispensar primeiros passos' }))
  expect(screen.queryByRole('heading', { name: 'Primeiros passos' })).toBeNull()
  cleanup()
  show()
  expect(screen.queryByRole('heading', { name: 'Primeiros passos' })).toBeNull()
  cleanup()
  show({ ...company, id: 'c2' })
  screen.getByRole('heading', { name: 'Primeiros passos' })
})
