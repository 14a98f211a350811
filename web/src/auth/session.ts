// The session: who is signed in. What it keeps goes through `browser-session.ts`, its only door to browser storage;
// `fetch-early.ts` reads there before the app runs. Tabs share tokens through localStorage and must survive each other:
// a refresh reads storage again before and after its call, so a token that another tab replaced or removed in between
// is never written back. Only the server's own 401 ends a session: a proxy may answer one, too.
import type { Tokens } from '../api/auth'
import type { TokenSource } from '../api/client'
import { ApiError } from '../api/errors'
import { Observable } from '../lib/observable'
import {
  parseRegistration,
  parseUser,
  SafeStorage,
  storedUser,
  type KeyedStorage,
  type Registration,
  type SessionUser,
} from './stored'

/** Why no session exists: there was none, the server ended it, or the person signed out. */
type AnonymousReason = 'none' | 'expired' | 'signedOut'

export type SessionState =
  | { status: 'authenticated'; user: SessionUser }
  | { status: 'anonymous'; reason: AnonymousReason }

/** The kinds of mailed codes: the tab remembers when it sent the last one of each. */
export type CodeFlow = 'verify' | 'reset' | 'email'

export const KEYS = {
  accessToken: 'bipe.accessToken',
  refreshToken: 'bipe.refreshToken',
  user: 'bipe.user',
  companyId: 'bipe.companyId',
  lastActivity: 'bipe.lastActivity',
  registration: 'bipe.registration',
  newEmail: 'bipe.newEmail',
  ended: 'bipe.ended',
} as const

/** What tells another tab that somebody signed in or out, or has newer tokens. */
const FOLLOWED: readonly string[] = [KEYS.accessToken, KEYS.refreshToken, KEYS.user, KEYS.ended]

const DEFAULT_EXPIRES_IN_S = 900
const REFRESH_INTERVAL_MS = 900_000
const RETRY_AFTER_FAILURE_MS = 60_000

export interface SessionParts {
  shared: KeyedStorage
  tab: KeyedStorage
  refresh: (refreshToken: string) => Promise<{ tokens: Tokens }>
  logout: (refreshToken: string) => Promise<void>
  now: () => number
  /** Runs `work` while no other tab does, or at once when that cannot be had. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>
}

export class Session implements TokenSource {
  readonly state: Observable<SessionState>
  private renewal: Promise<boolean> | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private dueAt = Number.POSITIVE_INFINITY
  private leaving = false
  private readonly shared: SafeStorage
  private readonly tab: SafeStorage

  constructor(private readonly parts: SessionParts) {
    this.shared = new SafeStorage(parts.shared)
    this.tab = new SafeStorage(parts.tab)
    // Until a company is chosen here: what another tab chooses later would come with the next page.
    this.tab.write(KEYS.companyId, this.companyId())
    const user = this.restoredUser()
    this.state = new Observable(
      user ? { status: 'authenticated', user } : { status: 'anonymous', reason: this.anonymousReason('none') },
    )
    if (user) this.schedule(DEFAULT_EXPIRES_IN_S)
    else this.clearStored()
  }

  token(): string | null {
    return this.user() && this.shared.read(KEYS.accessToken)
  }

  signIn(user: SessionUser, tokens: Tokens): void {
    this.shared.write(KEYS.user, JSON.stringify(storedUser(user)))
    this.writeTokens(tokens)
    this.shared.write(KEYS.registration, null)
    this.shared.write(KEYS.ended, null)
    this.markActivity()
    this.state.set({ status: 'authenticated', user: storedUser(user) })
  }

  /** What `/auth/me` said. Another person's answer (a race with a sign-in) is ignored. */
  update(user: SessionUser): void {
    const known = this.user()
    const next = storedUser(user)
    if (known?.id !== user.id || JSON.stringify(next) === JSON.stringify(known)) return
    this.shared.write(KEYS.user, JSON.stringify(next))
    this.state.set({ status: 'authenticated', user: next })
  }

  async signOut(reason: AnonymousReason = 'signedOut'): Promise<void> {
    const refreshToken = this.shared.read(KEYS.refreshToken)
    this.end(reason)
    if (refreshToken !== null) await this.parts.logout(refreshToken).catch(() => undefined)
  }

  /** The server ended the session (a refused refresh). */
  expire(): void {
    if (this.user()) this.end(this.leaving ? 'signedOut' : 'expired')
  }

  /** One of the person's sessions was revoked: if it was this one, the server refuses the refresh, and it ends here. */
  async endIfRevoked(): Promise<void> {
    await this.renewQuietly()
  }

  /** Runs a command that ends this session on purpose. The live event of its end may come before the answer. */
  async endSessionBy(command: () => Promise<unknown>): Promise<void> {
    this.leaving = true
    try {
      await command()
      this.end('signedOut')
    } finally {
      this.leaving = false
    }
  }

  /** The banner was read or became pointless. */
  forgetExpiry(): void {
    const state = this.state.get()
    this.shared.write(KEYS.ended, null)
    if (state.status === 'anonymous' && state.reason === 'expired')
      this.state.set({ status: 'anonymous', reason: 'none' })
  }

  async renew(refused: string | null = this.token()): Promise<boolean> {
    this.renewal ??= this.parts
      .exclusively(() => this.renewOnce(refused))
      .finally(() => {
        this.renewal = null
      })
    return this.renewal
  }

  /** Timers stop in sleeping tabs: called when the tab becomes visible again. */
  wake(): void {
    if (this.user() && this.parts.now() >= this.dueAt) void this.renewQuietly()
  }

  /**
   * Another tab wrote to storage under this key; null: it took everything away. Returns true when the page must reload:
   * somebody else signed in there.
   */
  follow(key: string | null): boolean {
    this.shared.yieldTo(key)
    if (key !== null && !FOLLOWED.includes(key)) return false
    const user = this.restoredUser()
    const known = this.user()
    if (user === null) {
      if (known) this.state.set({ status: 'anonymous', reason: this.anonymousReason('signedOut') })
      clearTimeout(this.timer)
      return false
    }
    if (known && known.id !== user.id) return true
    this.schedule(DEFAULT_EXPIRES_IN_S)
    if (JSON.stringify(user) !== JSON.stringify(known)) this.state.set({ status: 'authenticated', user })
    return false
  }

  /** The company of this tab; a new tab starts with the last choice of any tab. */
  companyId(): string | null {
    return this.tab.read(KEYS.companyId) ?? this.shared.read(KEYS.companyId)
  }

  chooseCompany(companyId: string | null): void {
    this.tab.write(KEYS.companyId, companyId)
    this.shared.write(KEYS.companyId, companyId)
  }

  /** When the last code of a flow was sent from this tab (`bipe.resend.{flow}`). */
  codeSentAt(flow: CodeFlow): number | null {
    const at = Number(this.tab.read(`bipe.resend.${flow}`) ?? Number.NaN)
    return Number.isFinite(at) ? at : null
  }

  markCodeSent(flow: CodeFlow): void {
    this.tab.write(`bipe.resend.${flow}`, String(this.parts.now()))
  }

  /** Where the code for another e-mail of this account went, as far as this tab asked for it. */
  pendingEmail(): string | null {
    const kept = this.tab.read(KEYS.newEmail)
    return kept?.startsWith(this.owner()) ? kept.slice(this.owner().length) : null
  }

  /** Null once it is used or given up. Another person may sign in to this tab before that. */
  keepPendingEmail(address: string | null): void {
    this.tab.write(KEYS.newEmail, address && this.owner() + address)
  }

  /**
   * What the newest sign-up of this browser answered for its address. Shown when the address is verified, it tells that
   * one and the same person chose the password and reads the mail, and a session starts. Every tab knows it: the mail's
   * button opens a new one, without the `next` of the sign-up. It goes with the first sign-in.
   */
  keepRegistration(email: string, { registration, next }: Registration): void {
    this.shared.write(KEYS.registration, JSON.stringify([email.trim().toLowerCase(), registration, next]))
  }

  /** The kept sign-up, if it is for this address; without an address whatever it is for. */
  registrationOf(email?: string): Registration | undefined {
    return parseRegistration(this.shared.read(KEYS.registration), email?.trim().toLowerCase())
  }

  /** Whether the first steps of the company were hidden in this browser. */
  hasHiddenSteps(companyId: string): boolean {
    return this.shared.read(`bipe.steps.${companyId}`) !== null
  }

  hideSteps(companyId: string): void {
    this.shared.write(`bipe.steps.${companyId}`, 'away')
  }

  /** The last pointer, key or focus in any tab. */
  lastActivity(): number {
    const at = Number(this.shared.read(KEYS.lastActivity) ?? Number.NaN)
    return Number.isFinite(at) ? at : 0
  }

  markActivity(): void {
    this.shared.write(KEYS.lastActivity, String(this.parts.now()))
  }

  private async renewOnce(refused: string | null): Promise<boolean> {
    const refreshToken = this.shared.read(KEYS.refreshToken)
    const accessToken = this.shared.read(KEYS.accessToken)
    if (refreshToken === null || accessToken === null || !this.user()) {
      this.expire()
      return false
    }
    if (accessToken !== refused) return true
    try {
      const { tokens } = await this.parts.refresh(refreshToken)
      const kept = this.shared.read(KEYS.refreshToken)
      if (kept === null) return false
      if (kept === refreshToken) this.writeTokens(tokens)
      return true
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401 || error.isUncertain) {
        this.scheduleIn(RETRY_AFTER_FAILURE_MS)
        throw error
      }
      const kept = this.shared.read(KEYS.refreshToken)
      if (kept !== null && kept !== refreshToken) return true
      this.expire()
      return false
    }
  }

  private async renewQuietly(): Promise<void> {
    await this.renew().catch(() => undefined)
  }

  private writeTokens(tokens: Tokens): void {
    this.shared.write(KEYS.accessToken, tokens.accessToken)
    this.shared.write(KEYS.refreshToken, tokens.refreshToken)
    this.schedule(tokens.expiresIn)
  }

  private schedule(expiresInSeconds: number): void {
    this.scheduleIn(Math.min(expiresInSeconds * 800, REFRESH_INTERVAL_MS))
  }

  private scheduleIn(milliseconds: number): void {
    clearTimeout(this.timer)
    this.dueAt = this.parts.now() + milliseconds
    this.timer = setTimeout(() => void this.renewQuietly(), milliseconds)
  }

  private end(reason: AnonymousReason): void {
    clearTimeout(this.timer)
    // Before the rest goes: whoever sees it gone asks why.
    this.shared.write(KEYS.ended, reason === 'expired' ? reason : null)
    this.clearStored()
    this.state.set({ status: 'anonymous', reason })
  }

  /** Why nobody is signed in: an expiry is remembered over a reload and told in every tab, until somebody reads it. */
  private anonymousReason(otherwise: AnonymousReason): AnonymousReason {
    return this.shared.read(KEYS.ended) === 'expired' ? 'expired' : otherwise
  }

  /** The signed-in user; null while nobody is signed in. */
  private user(): SessionUser | null {
    const state = this.state.get()
    return state.status === 'authenticated' ? state.user : null
  }

  private owner(): string {
    return `${this.user()?.id} `
  }

  private restoredUser(): SessionUser | null {
    if (!this.shared.read(KEYS.accessToken) || !this.shared.read(KEYS.refreshToken)) return null
    return parseUser(this.shared.read(KEYS.user))
  }

  private clearStored(): void {
    for (const key of [KEYS.accessToken, KEYS.refreshToken, KEYS.user]) this.shared.write(key, null)
    this.keepPendingEmail(null)
  }
}
