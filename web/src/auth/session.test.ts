import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tokens } from '../api/auth'
import { ApiError } from '../api/errors'
import { KEYS, Session, type SessionParts } from './session'
import { memoryStorage } from './stored'

const maria = { id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' as const }
const first: Tokens = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresIn: 900 }
const second: Tokens = { accessToken: 'access-2', refreshToken: 'refresh-2', expiresIn: 900 }

/** A refresh call that the test answers by hand. */
function handDriven() {
  const calls: { token: string; answer: (tokens: Tokens) => void; fail: (error: unknown) => void }[] = []
  const refresh = (token: string) =>
    new Promise<{ tokens: Tokens }>((resolve, reject) => {
      calls.push({ token, answer: (tokens) => resolve({ tokens }), fail: reject })
    })
  return { calls, refresh }
}

function parts(overrides: Partial<SessionParts> = {}): SessionParts {
  return {
    shared: memoryStorage(),
    tab: memoryStorage(),
    refresh: async () => ({ tokens: second }),
    logout: async () => undefined,
    now: () => Date.now(),
    exclusively: (work) => work(),
    ...overrides,
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})

describe('start', () => {
  it('restores a stored session at once', () => {
    const shared = memoryStorage()
    new Session(parts({ shared })).signIn(maria, first)
    expect(new Session(parts({ shared })).state.get()).toEqual({ status: 'authenticated', user: maria })
  })

  it('is anonymous with nothing stored', () => {
    expect(new Session(parts()).state.get()).toEqual({ status: 'anonymous', reason: 'none' })
  })

  it.each([
    ['not json'],
    ['null'],
    ['[]'],
    ['{"id":1}'],
    ['{"id":"u1","userName":"M","userEmail":"m@x.co","userRole":"root"}'],
  ])('treats the stored user %s as signed out and clears the tokens', (text) => {
    const shared = memoryStorage()
    new Session(parts({ shared })).signIn(maria, first)
    shared.setItem(KEYS.user, text)
    expect(new Session(parts({ shared })).state.get().status).toBe('anonymous')
    expect(shared.getItem(KEYS.refreshToken)).toBeNull()
  })

  it('works with a storage that throws on every access', () => {
    const broken = new Proxy(memoryStorage(), {
      get: () => () => {
        throw new DOMException('denied', 'SecurityError')
      },
    })
    vi.spyOn(console, 'warn').mockReturnValue(undefined)
    const session = new Session(parts({ shared: broken, tab: broken }))
    expect(session.state.get().status).toBe('anonymous')
    session.signIn(maria, first)
    expect(session.state.get().status).toBe('authenticated')
    expect(session.companyId()).toBeNull()
  })

  it('stores neither document nor phone nor birth date', () => {
    const shared = memoryStorage()
    new Session(parts({ shared })).signIn(
      { ...maria, userDocument: '11144477735', userPhone: '11987654321', userBirthDate: '1990-01-01' } as typeof maria,
      first,
    )
    expect(shared.getItem(KEYS.user)).toBe(JSON.stringify(maria))
  })
})

describe('refresh', () => {
  it('makes one call for many refused requests', async () => {
    const { calls, refresh } = handDriven()
    const session = new Session(parts({ refresh }))
    session.signIn(maria, first)
    const waiting = Promise.all([session.renew('access-1'), session.renew('access-1'), session.renew('access-1')])
    expect(calls).toHaveLength(1)
    calls[0]?.answer(second)
    expect(await waiting).toEqual([true, true, true])
    expect(session.token()).toBe('access-2')
  })

  it('makes no call when another tab has already refreshed', async () => {
    const { calls, refresh } = handDriven()
    const shared = memoryStorage()
    const session = new Session(parts({ refresh, shared }))
    session.signIn(maria, first)
    shared.setItem(KEYS.accessToken, 'access-of-other-tab')
    expect(await session.renew('access-1')).toBe(true)
    expect(calls).toHaveLength(0)
    expect(session.token()).toBe('access-of-other-tab')
  })

  it('drops the answer when the session was cleared meanwhile', async () => {
    const { calls, refresh } = handDriven()
    const shared = memoryStorage()
    const session = new Session(parts({ refresh, shared }))
    session.signIn(maria, first)
    const renewal = session.renew('access-1')
    await session.signOut()
    calls[0]?.answer(second)
    expect(await renewal).toBe(false)
    expect(shared.getItem(KEYS.accessToken)).toBeNull()
    expect(shared.getItem(KEYS.refreshToken)).toBeNull()
    expect(session.state.get()).toEqual({ status: 'anonymous', reason: 'signedOut' })
  })

  it('keeps the tokens that another tab wrote while the call was under way', async () => {
    const { calls, refresh } = handDriven()
    const shared = memoryStorage()
    const session = new Session(parts({ refresh, shared }))
    session.signIn(maria, first)
    const renewal = session.renew('access-1')
    shared.setItem(KEYS.accessToken, 'access-of-other-tab')
    shared.setItem(KEYS.refreshToken, 'refresh-of-other-tab')
    calls[0]?.answer(second)
    expect(await renewal).toBe(true)
    expect(session.token()).toBe('access-of-other-tab')
  })

  it('survives a 401 for a token that another tab has rotated', async () => {
    const { calls, refresh } = handDriven()
    const shared = memoryStorage()
    const session = new Session(parts({ refresh, shared }))
    session.signIn(maria, first)
    const renewal = session.renew('access-1')
    shared.setItem(KEYS.accessToken, 'access-of-other-tab')
    shared.setItem(KEYS.refreshToken, 'refresh-of-other-tab')
    calls[0]?.fail(new ApiError('INVALID_REFRESH_TOKEN', { status: 401 }))
    expect(await renewal).toBe(true)
    expect(session.state.get().status).toBe('authenticated')
  })

  it('ends the session on a 401 of its own token', async () => {
    const session = new Session(
      parts({ refresh: () => Promise.reject(new ApiError('INVALID_REFRESH_TOKEN', { status: 401 })) }),
    )
    session.signIn(maria, first)
    expect(await session.renew('access-1')).toBe(false)
    expect(session.state.get()).toEqual({ status: 'anonymous', reason: 'expired' })
    expect(session.token()).toBeNull()
  })

  it.each([
    ['the network fails', new ApiError('NETWORK_ERROR')],
    ['the server fails', new ApiError('INTERNAL_ERROR', { status: 500 })],
    ['a proxy wants a sign-in of its own', new ApiError('HTTP_ERROR', { status: 401 })],
  ])('keeps the session when %s and tries again after 60 s', async (_name, error) => {
    const answers = [() => Promise.reject(error), () => Promise.resolve({ tokens: second })]
    const session = new Session(
      parts({ refresh: () => answers.shift()?.() ?? Promise.reject(new Error('third call')) }),
    )
    session.signIn(maria, first)
    await expect(session.renew('access-1')).rejects.toBe(error)
    expect(session.token()).toBe('access-1')
    await vi.advanceTimersByTimeAsync(59_999)
    expect(session.token()).toBe('access-1')
    await vi.advanceTimersByTimeAsync(1)
    expect(session.token()).toBe('access-2')
  })

  it('refreshes on its own at 80 % of the life of the token', async () => {
    const session = new Session(parts())
    session.signIn(maria, first)
    await vi.advanceTimersByTimeAsync(719_999)
    expect(session.token()).toBe('access-1')
    await vi.advanceTimersByTimeAsync(1)
    expect(session.token()).toBe('access-2')
  })

  it('refreshes when a sleeping tab wakes late, and not when it wakes early', async () => {
    const { calls, refresh } = handDriven()
    let now = 0
    const session = new Session(parts({ refresh, now: () => now }))
    session.signIn(maria, first)
    now = 60_000
    session.wake()
    expect(calls).toHaveLength(0)
    now = 3_000_000
    session.wake()
    expect(calls).toHaveLength(1)
  })
})

describe('a session of the person that was ended somewhere', () => {
  it('was another one when the server still refreshes this one', async () => {
    const session = new Session(parts())
    session.signIn(maria, first)
    await session.endIfRevoked()
    expect(session.state.get().status).toBe('authenticated')
    expect(session.token()).toBe('access-2')
  })

  it('was this one when the server refuses to', async () => {
    const session = new Session(
      parts({ refresh: () => Promise.reject(new ApiError('INVALID_REFRESH_TOKEN', { status: 401 })) }),
    )
    session.signIn(maria, first)
    await session.endIfRevoked()
    expect(session.state.get()).toEqual({ status: 'anonymous', reason: 'expired' })
  })

  it('ended by the own command is left, not expired, even when the end is heard before the answer', async () => {
    const session = new Session(
      parts({ refresh: () => Promise.reject(new ApiError('INVALID_REFRESH_TOKEN', { status: 401 })) }),
    )
    session.signIn(maria, first)
    await session.endSessionBy(() => session.endIfRevoked())
    expect(session.state.get()).toEqual({ status: 'anonymous', reason: 'signedOut' })
  })

  it('stays when the command that would end it is refused', async () => {
    const session = new Session(
      parts({ refresh: () => Promise.reject(new ApiError('INVALID_REFRESH_TOKEN', { status: 401 })) }),
    )
    session.signIn(maria, first)
    await expect(
      session.endSessionBy(() => Promise.reject(new ApiError('LAST_ADMIN', { status: 409 }))),
    ).rejects.toThrow('LAST_ADMIN')
    expect(session.state.get().status).toBe('authenticated')
    session.expire()
    expect(session.state.get()).toEqual({ status: 'anonymous', reason: 'expired' })
  })
})

describe('two tabs', () => {
  it('follows a sign-out in another tab', () => {
    const shared = memoryStorage()
    const one = new Session(parts({ shared }))
    one.signIn(maria, first)
    one.keepPendingEmail('maria@nova.com.br')
    expect(one.pendingEmail()).toBe('maria@nova.com.br')
    const two = new Session(parts({ shared }))
    void two.signOut()
    expect(one.follow(KEYS.accessToken)).toBe(false)
    expect(one.state.get()).toEqual({ status: 'anonymous', reason: 'signedOut' })
    one.signIn({ ...maria, id: 'u2' }, second)
    expect(one.pendingEmail()).toBeNull()
  })

  it('follows another tab that takes everything away', () => {
    const shared = memoryStorage()
    const one = new Session(parts({ shared }))
    one.signIn(maria, first)
    for (const key of Object.values(KEYS)) shared.removeItem(key)
    expect(one.follow(null)).toBe(false)
    expect(one.state.get()).toEqual({ status: 'anonymous', reason: 'signedOut' })
  })

  it('follows another tab also where the storage refused what this one wrote', () => {
    const shared = memoryStorage()
    const full = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    vi.spyOn(console, 'warn').mockReturnValue(undefined)
    const one = new Session(parts({ shared: { ...shared, setItem: full } }))
    one.signIn(maria, first)
    const two = new Session(parts({ shared }))
    two.signIn({ ...maria, id: 'u2' }, second)
    expect(one.follow(KEYS.user)).toBe(true)
    void two.signOut()
    expect(one.follow(null)).toBe(false)
    expect(one.state.get()).toEqual({ status: 'anonymous', reason: 'signedOut' })
  })

  it('refreshes in time although another tab marks activity, and draws nothing anew for newer tokens', async () => {
    const shared = memoryStorage()
    const one = new Session(parts({ shared }))
    one.signIn(maria, first)
    const known = one.state.get()
    await vi.advanceTimersByTimeAsync(700_000)
    for (const key of [KEYS.lastActivity, KEYS.companyId, 'bipe.theme']) expect(one.follow(key)).toBe(false)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(one.token()).toBe('access-2')
    shared.setItem(KEYS.accessToken, 'access-of-other-tab')
    expect(one.follow(KEYS.accessToken)).toBe(false)
    expect(one.state.get()).toBe(known)
  })

  it('follows a sign-in in another tab', () => {
    const shared = memoryStorage()
    const one = new Session(parts({ shared }))
    new Session(parts({ shared })).signIn(maria, first)
    expect(one.follow(KEYS.refreshToken)).toBe(false)
    expect(one.state.get()).toEqual({ status: 'authenticated', user: maria })
  })

  it('asks for a reload when somebody else signed in there', () => {
    const shared = memoryStorage()
    const one = new Session(parts({ shared }))
    one.signIn(maria, first)
    new Session(parts({ shared })).signIn({ ...maria, id: 'u2' }, second)
    expect(one.follow(KEYS.user)).toBe(true)
  })

  it('keeps the company of each tab and starts a new tab with the last choice', () => {
    const shared = memoryStorage()
    const one = new Session(parts({ shared }))
    const two = new Session(parts({ shared }))
    one.chooseCompany('c1')
    two.chooseCompany('c2')
    expect(one.companyId()).toBe('c1')
    expect(new Session(parts({ shared })).companyId()).toBe('c2')
  })

  it('keeps the company that a tab began with when another tab chooses, also over a reload', () => {
    const [shared, tab] = [memoryStorage(), memoryStorage()]
    const other = new Session(parts({ shared }))
    other.chooseCompany('c1')
    const one = new Session(parts({ shared, tab }))
    other.chooseCompany('c2')
    expect(one.companyId()).toBe('c1')
    expect(new Session(parts({ shared, tab })).companyId()).toBe('c1')
  })
})

describe('sign-out', () => {
  it('clears everything first and tells the server with the old token, whatever it answers', async () => {
    const told: string[] = []
    const shared = memoryStorage()
    const session = new Session(
      parts({
        shared,
        logout: (token) => {
          told.push(token)
          return Promise.reject(new ApiError('NETWORK_ERROR'))
        },
      }),
    )
    session.signIn(maria, first)
    await session.signOut()
    expect(told).toEqual(['refresh-1'])
    expect([KEYS.accessToken, KEYS.refreshToken, KEYS.user].map((key) => shared.getItem(key))).toEqual([
      null,
      null,
      null,
    ])
  })
})

describe('an expired session', () => {
  it('is still told after a reload and in the other tabs, until somebody reads it or signs in', () => {
    const shared = memoryStorage()
    const session = new Session(parts({ shared }))
    session.signIn(maria, first)
    const other = new Session(parts({ shared }))
    session.expire()
    other.follow(KEYS.ended)
    expect(other.state.get()).toEqual({ status: 'anonymous', reason: 'expired' })
    const reloaded = new Session(parts({ shared }))
    expect(reloaded.state.get()).toEqual({ status: 'anonymous', reason: 'expired' })
    reloaded.forgetExpiry()
    expect(new Session(parts({ shared })).state.get()).toEqual({ status: 'anonymous', reason: 'none' })
    session.signIn(maria, first)
    session.expire()
    session.signIn(maria, first)
    void session.signOut()
    expect(new Session(parts({ shared })).state.get()).toEqual({ status: 'anonymous', reason: 'none' })
  })
})

describe('a registration', () => {
  it('is known to every tab of the browser that signed up, for its address alone', () => {
    const shared = memoryStorage()
    const kept = { registration: 'secret', next: '/plans?plan=p1' }
    new Session(parts({ shared })).keepRegistration('Maria@exemplo.com.br', kept)
    const fromTheMail = new Session(parts({ shared }))
    expect(fromTheMail.registrationOf(' maria@exemplo.com.br ')).toEqual(kept)
    expect(fromTheMail.registrationOf('bia@exemplo.com.br')).toBeUndefined()
    expect(fromTheMail.registrationOf()).toEqual(kept)
    expect(new Session(parts()).registrationOf('maria@exemplo.com.br')).toBeUndefined()
  })

  it('is gone once somebody has signed in, and a broken one is none', () => {
    const shared = memoryStorage()
    const session = new Session(parts({ shared }))
    session.keepRegistration('maria@exemplo.com.br', { registration: 'secret', next: null })
    session.signIn(maria, first)
    expect(session.registrationOf('maria@exemplo.com.br')).toBeUndefined()
    shared.setItem(KEYS.registration, '["maria@exemplo.com.br","secret",7]')
    expect(session.registrationOf('maria@exemplo.com.br')).toEqual({ registration: 'secret', next: null })
    shared.setItem(KEYS.registration, '{"maria@exemplo.com.br"')
    expect(session.registrationOf('maria@exemplo.com.br')).toBeUndefined()
  })
})
