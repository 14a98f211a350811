// zod's small form, told never to probe `new Function`: the policy would report that on every form page. Forms import
// it from here, so that pages without a form do not carry it.
import * as z from 'zod/mini'

z.config({ jitless: true })

export { z }
