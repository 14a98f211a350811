// A value outside React's tree with subscribers: components read it by `useObservable`, other code by `get`.
import { useSyncExternalStore } from 'react'

export class Observable<T> {
  private readonly listeners = new Set<() => void>()
  constructor(private value: T) {}

  readonly get = (): T => this.value

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  set(next: T): void {
    if (Object.is(next, this.value)) return
    this.value = next
    for (const listener of this.listeners) listener()
  }
}

export function useObservable<T>(observable: Observable<T>): T {
  return useSyncExternalStore(observable.subscribe, observable.get)
}
