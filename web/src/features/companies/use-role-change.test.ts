// @vitest-environment happy-dom
import { createElement, type ReactNode } from 'react'
import { act, renderHook } from '@testing-library/react'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache } from '../../../test/cache'
import { api } from '../../api/client'
import { companyKeys, companyQuery, type CompanyDetail, type Member } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { useRoleChange } from './use-role-change'

test('after two refused changes of a role the member has the one of the server', async () => {
  const held = { id: 'm1', userId: 'u1', userName: 'Ana', role: 'operator' } as Member
  const company = { id: 'c1', userRole: 'admin', users: [held] } as CompanyDetail
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf({ company }))
  vi.spyOn(api, 'PUT').mockRejectedValue(new ApiError('FORBIDDEN', { status: 403 }))
  const queries = emptyCache()
  queries.setQueryData(companyKeys.detail('c1'), company)
  const { result } = renderHook(() => ({ roles: useRoleChange('c1'), detail: useQuery(companyQuery('c1')) }), {
    wrapper: ({ children }: { children: ReactNode }) =>
      createElement(QueryClientProvider, { client: queries }, children),
  })
  const shown = () => queries.getQueryData<CompanyDetail>(companyKeys.detail('c1'))?.users[0]

  await act(async () => {
    result.current.roles.mutate({ member: held, role: 'finance' })
    await Promise.resolve()
    result.current.roles.mutate({ member: { ...held, role: 'finance' }, role: 'admin' })
  })
  await vi.waitFor(() => expect([vi.mocked(api.PUT).mock.calls.length, queries.isMutating()]).toEqual([2, 0]))
  await vi.waitFor(() => expect(shown()?.role).toBe('operator'))
})
