// Every address of the web app, and which names its query may hold. Links and redirects are built here and nowhere
// else.

export const paths = {
  landing: '/',
  signIn: '/signin',
  signUp: '/signup',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
  forgotPassword: '/forgot-password',
  acceptInvite: '/accept-invite',
  undoChange: '/not-me',
  dashboard: '/dashboard',
  account: '/account',
  companyCreate: '/company/create',
  companyManage: '/company/manage',
  companyAudit: '/company/audit',
  plans: '/plans',
  subscriptions: '/subscriptions',
  payments: '/payments',
  invoices: '/invoices',
  balances: '/balances',
  transactions: '/transactions',
  analytics: '/analytics',
  admin: '/admin',
  adminDashboard: '/admin/dashboard',
  adminPlans: '/admin/plans',
  adminAnalytics: '/admin/analytics',
  adminUsers: '/admin/users',
  adminCompanies: '/admin/companies',
  adminPayments: '/admin/payments',
  adminNodes: '/admin/nodes',
  terms: '/termos-legais',
  privacy: '/politica-privacidade',
  lgpd: '/termos-lgpd',
} as const

const companyPages: readonly string[] = [
  paths.companyManage,
  paths.companyAudit,
  paths.plans,
  paths.subscriptions,
  paths.payments,
  paths.invoices,
  paths.balances,
  paths.transactions,
  paths.analytics,
]

/** Whether the page shows the selected company, and is left when the person loses it. */
export function isCompanyPage(pathname: string): boolean {
  return companyPages.some((page) => pathname.startsWith(page))
}

/** In the landing page's address: the person came by an address that does not exist. */
export const notFoundMark = 'pagina-nao-encontrada'

/** The names that links put into a page's query. Filters, which a page writes into its own address, are not links. */
interface Queries {
  [paths.landing]: typeof notFoundMark
  [paths.signIn]: 'email' | 'next'
  [paths.signUp]: 'email' | 'invite' | 'next'
  [paths.verifyEmail]: 'email' | 'next'
  [paths.resetPassword]: 'email' | 'next'
  [paths.forgotPassword]: 'email' | 'next'
  [paths.acceptInvite]: 'token'
  [paths.companyCreate]: 'plan' | 'cycle'
  [paths.companyManage]: 'companyId' | 'add'
  [paths.plans]: 'companyId' | 'pay' | 'plan' | 'cycle'
  [paths.adminPlans]: 'new' | 'edit'
  [paths.adminUsers]: 'user'
  [paths.adminCompanies]: 'company'
  [paths.adminPayments]: 'payment' | 'company'
}

/** `withQuery('/signin', { next: '/plans' })`; absent and empty values are left out. */
export function withQuery<P extends keyof Queries>(path: P, query: Partial<Record<Queries[P], string | null>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries<string | null | undefined>(query)) {
    if (value) search.set(name, value)
  }
  const text = search.toString()
  return text ? `${path}?${text}` : path
}

/** The legal texts, in the order of every footer. */
export const legalPages = [
  { path: paths.terms, label: 'Termos Legais' },
  { path: paths.privacy, label: 'Política de Privacidade' },
  { path: paths.lgpd, label: 'Termos LGPD' },
] as const

/** The part of the landing page that says where help is. */
export const helpPath = `${paths.landing}#ajuda`

/** The payments of a company, one of them opened when the address names it. */
export const paymentsRoute = `${paths.payments}/:paymentId?`

export function paymentPath(paymentId: string): string {
  return `${paths.payments}/${encodeURIComponent(paymentId)}`
}

/** One document; that of a payment has the payment's id. */
export const invoiceRoute = `${paths.invoices}/:invoiceId`

export function invoicePath(invoiceId: string): string {
  return `${paths.invoices}/${encodeURIComponent(invoiceId)}`
}

/** Opens the payment of a company's renewal; reminders link to it. */
export function renewalPath(companyId: string): string {
  return withQuery(paths.plans, { companyId, pay: 'renewal' })
}

/** A plan that was chosen before there was a company to buy it: who gets here with one goes on to its preview. */
export function chosenPlanPath(plan: string, cycle: string): string {
  return withQuery(paths.plans, { plan, cycle })
}

export function isForPlan(next: string | null): boolean {
  return next?.startsWith(`${paths.plans}?plan=`) ?? false
}

/** The page that makes a company, and then goes on to the chosen plan. */
export function companyForPlanPath(plan: string, cycle: string): string {
  return withQuery(paths.companyCreate, { plan, cycle })
}

/** The people of the company with the dialog open that adds one. */
export const addUserPath = withQuery(paths.companyManage, { add: '1' })

/** The plans of the platform with the form open that makes one. */
export const newPlanPath = withQuery(paths.adminPlans, { new: '1' })

export function adminUserPath(userId: string): string {
  return withQuery(paths.adminUsers, { user: userId })
}

export function adminCompanyPath(companyId: string): string {
  return withQuery(paths.adminCompanies, { company: companyId })
}

export function adminPlanPath(planId: string): string {
  return withQuery(paths.adminPlans, { edit: planId })
}

/** One payment, whatever its company. */
export function adminPaymentPath(paymentId: string): string {
  return withQuery(paths.adminPayments, { payment: paymentId })
}

/** The payments of one company, as the platform lists them. */
export function adminCompanyPaymentsPath(companyId: string): string {
  return withQuery(paths.adminPayments, { company: companyId })
}

/** The page of an address: a dialog that has an address of its own is no page of its own. */
export function pageOf(pathname: string): string {
  if (pathname === paths.forgotPassword) return paths.signIn
  return pathname.startsWith(`${paths.payments}/`) ? paths.payments : pathname
}

/**
 * A `next` parameter is followed only inside this site: one leading slash, and not a second slash or backslash.
 * Browsers take tabs and line breaks out of an address, so they could hide one.
 */
export function safeNext(next: string | null | undefined): string {
  return next && /^\/(?![/\\])[^\t\n\r]*$/.test(next) ? next : paths.dashboard
}
