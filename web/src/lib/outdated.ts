import { Observable } from './observable'

/** Whether the server is known to be of another version than this page. */
export const isOutdated = new Observable(false)
