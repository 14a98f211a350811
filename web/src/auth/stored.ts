// What the session keeps between page loads, and a storage that never throws: what a blocked, full or broken one
// refuses is kept for as long as the page lives.

export interface SessionUser {
  id: string
  userName: string
  userEmail: string
  userRole: 'admin' | 'user'
}

/** Storage holds these four fields only: never a document, phone or birth date. */
export function storedUser({ id, userName, userEmail, userRole }: SessionUser): SessionUser {
  return { id, userName, userEmail, userRole }
}

export function isAddressOf({ userEmail }: SessionUser, address: string): boolean {
  return address.trim().toLowerCase() === userEmail.toLowerCase()
}

/** A broken value means signed out. */
export function parseUser(text: string | null): SessionUser | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    if (typeof value !== 'object' || value === null) return null
    const { id, userName, userEmail, userRole } = value as Record<string, unknown>
    if (typeof id !== 'string' || typeof userName !== 'string' || typeof userEmail !== 'string') return null
    if (userRole !== 'admin' && userRole !== 'user') return null
    return { id, userName, userEmail, userRole }
  } catch {
    return null
  }
}

/** A sign-up of this browser: what the server answered, and where the person wanted to go. */
export interface Registration {
  registration: string
  next: string | null
}

/**
 * The kept sign-up, stored as [address, registration, next]. Undefined when `email` names another address than the
 * stored one, or when the text is something else.
 */
export function parseRegistration(text: string | null, email?: string): Registration | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    if (!Array.isArray(value) || (email ?? value[0]) !== value[0] || typeof value[1] !== 'string') return undefined
    return { registration: value[1], next: typeof value[2] === 'string' ? value[2] : null }
  } catch {
    return undefined
  }
}

/** The part of the browser's storages that the session uses. */
export type KeyedStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export class SafeStorage {
  private readonly refused = new Map<string, string>()

  constructor(private readonly storage: KeyedStorage) {}

  read(key: string): string | null {
    try {
      return this.refused.get(key) ?? this.storage.getItem(key)
    } catch {
      return null
    }
  }

  /** Null removes the value. */
  write(key: string, value: string | null): void {
    this.refused.delete(key)
    try {
      if (value === null) this.storage.removeItem(key)
      else this.storage.setItem(key, value)
    } catch (error) {
      console.warn('storage refused', key, error)
      if (value !== null) this.refused.set(key, value)
    }
  }

  /** Another tab has written this value since, or taken all of them away (null): what was refused here is older. */
  yieldTo(key: string | null): void {
    if (key === null) this.refused.clear()
    else this.refused.delete(key)
  }
}

export function memoryStorage(): KeyedStorage {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    removeItem: (key) => void values.delete(key),
    setItem: (key, value) => void values.set(key, value),
  }
}
