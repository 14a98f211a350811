// The kinds of codes, as the tab remembers when it sent the last one of each.
export const VERIFY_FLOW = 'verify'
export const RESET_FLOW = 'reset'
export const EMAIL_FLOW = 'email'
