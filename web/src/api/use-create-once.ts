// Creates a record once by a call that has no key, also where an answer is lost: `find` tells whether the call has made
// it already.
import { useRef } from 'react'
import { ApiError } from './errors'

export function useCreateOnce<Body, Made>(
  create: (body: Body) => Promise<Made>,
  find: (body: Body) => Promise<Made | undefined>,
): (body: Body) => Promise<Made> {
  const isLost = useRef(false)
  return async (body) => {
    const made = isLost.current ? await find(body) : undefined
    if (made) return made
    try {
      return await create(body)
    } catch (error) {
      if (!(error instanceof ApiError && error.isUncertain)) throw error
      isLost.current = true
      const late = await find(body).catch(() => undefined)
      if (!late) throw error
      return late
    }
  }
}
