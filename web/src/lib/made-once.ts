// What costs a slow phone milliseconds to make, such as a formatter with its language's data, is made when it is first
// used, and not while the code that may need it is loading.

/** Makes the value at the first call and keeps it. */
export function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
