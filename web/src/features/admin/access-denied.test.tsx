// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderAt } from '../../../test/render'
import { secondFactorQuery, type SecondFactor } from '../../api/second-factor'
import { paths } from '../../lib/paths'
import AccessDenied from './access-denied'
import SecondFactorRequired from './second-factor-required'

test.each([
  ['Acesso Negado', <AccessDenied key="role" />],
  ['Proteja o acesso de administrador', <SecondFactorRequired key="factor" card={() => null} onEnabled={() => {}} />],
])('what takes the place of the area is heard: %s', (title, page) => {
  const queries = emptyCache()
  queries.setQueryData(secondFactorQuery().queryKey, { enabled: false } as SecondFactor)
  renderAt(paths.adminUsers, page, queries)
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: title }))
})
