// Every address of the web app. Links and redirects are built here and nowhere else.

export const paths = {
  landing: '/',
  signIn: '/signin',
  signUp: '/signup',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
  forgotPassword: '/forgot-password',
  acceptInvite: '/accept-invite',
  notMe: '/not-me',
  dashboard: '/dashboard',
  account: '/account',
  companyCreate: '/company/create',
  companyManage: '/company/manage',
  companyAudit: '/company/audit',
  plans: '/plans',
  subscriptions: '/subscriptions',
  payments: '/payments',
  admin: '/admin',
  adminDashboard: '/admin/dashboard',
  adminPlans: '/admin/plans',
  adminAnalytics: '/admin/analytics',
  adminUsers: '/admin/users',
  adminCompanies: '/admin/companies',
  terms: '/termos-legais',
  privacy: '/politica-privacidade',
  lgpd: '/termos-lgpd',
} as const

export function paymentPath(paymentId: string): string {
  return `/payments/${encodeURIComponent(paymentId)}`
}

/** The page of an address: a dialog that has an address of its own is no page of its own. */
export function pageOf(pathname: string): string {
  if (pathname === paths.forgotPassword) return paths.signIn
  return pathname.startsWith(`${paths.payments}/`) ? paths.payments : pathname
}

/** In the landing page's address: the person came by an address that does not exist. */
export const notFoundMark = 'pagina-nao-encontrada'

/** Opens the payment of a company's renewal; reminders link to it. */
export function renewalPath(companyId: string): string {
  return withQuery(paths.plans, { companyId, pay: 'renewal' })
}

/** The people of the company with the dialog open that adds one. */
export const addUserPath = `${paths.companyManage}?add=1`

/** `withQuery('/signin', { next: '/plans' })`; absent and empty values are left out. */
export function withQuery(path: string, query: Record<string, string | null | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value) search.set(name, value)
  }
  const text = search.toString()
  return text ? `${path}?${text}` : path
}

/** A `next` parameter is followed only inside this site: one leading slash, and not a second slash or backslash. */
export function safeNext(next: string | null | undefined): string {
  return next && /^\/(?![/\\])/.test(next) ? next : paths.dashboard
}
