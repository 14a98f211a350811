// Every page of the app, for whoever looks at all of them. A page that is missing here fails a journey.

export const openPages = [
  '/',
  '/signin',
  '/forgot-password',
  '/signup',
  '/verify-email?email=maria@exemplo.com.br',
  '/reset-password?email=maria@exemplo.com.br',
  '/reset-password#token=x',
  '/accept-invite?token=x',
  '/not-me#x',
  '/termos-legais',
  '/politica-privacidade',
  '/termos-lgpd',
]
export const companyPages = [
  '/dashboard',
  '/account',
  '/company/create',
  '/company/manage',
  '/company/audit',
  '/plans',
  '/subscriptions',
  '/payments',
  '/invoices',
  '/balances',
  '/transactions',
  '/analytics',
]
export const adminPages = [
  '/admin/dashboard',
  '/admin/plans',
  '/admin/plans?new=1',
  '/admin/analytics?period=1y',
  '/admin/users',
  '/admin/companies',
  '/admin/payments',
  '/admin/nodes',
]
