// Stands apart from the banner that offers the reload: whatever loads the page's code may be the first to know.
import { Observable } from './observable'

/** Whether the server is known to be of another version than this page. */
export const isOutdated = new Observable(false)
