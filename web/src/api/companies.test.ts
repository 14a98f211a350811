import { expect, test } from 'vitest'
import { isOpen, mayManage, maySeeMoney, type Company } from './companies'

const member = (userRole: Company['userRole'], status: Company['status'] = 'active') => ({ userRole, status })

test('a company that the platform suspended or closed is not open', () => {
  expect(isOpen({ status: 'active' })).toBe(true)
  expect(isOpen({ status: 'suspended' })).toBe(false)
  expect(isOpen({ status: 'inactive' })).toBe(false)
})

test('administrators and finance pay while the company is open, and read its money in any case', () => {
  for (const role of ['admin', 'finance'] as const) {
    expect(mayManage(member(role))).toBe(true)
    for (const status of ['suspended', 'inactive'] as const) expect(mayManage(member(role, status))).toBe(false)
    expect(maySeeMoney(member(role))).toBe(true)
  }
  expect(mayManage(member('operator'))).toBe(false)
  expect(maySeeMoney(member('operator'))).toBe(false)
})
