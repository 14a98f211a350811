// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { configQuery, type PublicConfig } from '../../api/config'
import type { Plan } from '../../api/plans'
import { ContactSales } from './contact-sales'

test('a plan without a price is asked for by a mail that is prepared', async () => {
  const queries = emptyCache()
  queries.setQueryData(configQuery().queryKey, { salesEmail: 'comercial@bipe.com.br' } as PublicConfig)
  const plan = { displayName: 'Enterprise' } as Plan
  renderWith(queries, <ContactSales plan={plan} companyName="Ponto & Filhos" onClose={() => undefined} />)
  const link = await screen.findByRole('link', { name: 'Enviar email' })
  const { protocol, pathname, searchParams } = new URL(link.getAttribute('href') ?? '')
  expect([protocol, pathname]).toEqual(['mailto:', 'comercial@bipe.com.br'])
  expect(Object.fromEntries(searchParams)).toEqual({
    subject: 'Plano Enterprise',
    body: 'Nome da empresa: Ponto & Filhos\r\nNúmero de entregadores: \r\nVolume mensal de entregas: \r\nRecursos específicos: ',
  })
  screen.getByText('Respondemos em até 24 horas')
})
