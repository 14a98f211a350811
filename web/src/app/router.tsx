// Every route of the web app on one screen. Screens are lazy chunks; server data is loaded by queries, never
// by loaders.
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router'
import { AnonymousOnly, RequireSession } from '../auth/guards'
import { Crash } from './crash'
import { NotFound } from './not-found'
import { paths, paymentsRoute } from '../lib/paths'
import { Root } from './root'
import { ShellSkeleton } from './shell-skeleton'

const authRoutes: RouteObject[] = [
  { path: paths.signIn, lazy: () => import('../features/auth/sign-in').then((m) => ({ Component: m.SignInPage })) },
  {
    path: paths.forgotPassword,
    lazy: () => import('../features/auth/sign-in').then((m) => ({ Component: m.SignInPage })),
  },
  { path: paths.signUp, lazy: () => import('../features/auth/sign-up').then((m) => ({ Component: m.SignUpPage })) },
  {
    path: paths.verifyEmail,
    lazy: () => import('../features/auth/verify-email').then((m) => ({ Component: m.VerifyEmailPage })),
  },
]

/** Where links of mails lead: for signed-out and signed-in visitors alike. */
const mailedRoutes: RouteObject[] = [
  {
    path: paths.acceptInvite,
    lazy: () => import('../features/auth/accept-invite').then((m) => ({ Component: m.AcceptInvitePage })),
  },
  {
    path: paths.resetPassword,
    lazy: () => import('../features/auth/reset-password').then((m) => ({ Component: m.ResetPasswordPage })),
  },
  { path: paths.notMe, lazy: () => import('../features/auth/not-me').then((m) => ({ Component: m.NotMePage })) },
]

/** The saved cards belong to the payments feature and are shown among the plans. */
async function plansRoute() {
  const [{ PlansPage }, { PaymentMethods }] = await Promise.all([
    import('../features/plans/plans'),
    import('../features/payments/payment-methods'),
  ])
  return { element: <PlansPage methods={PaymentMethods} /> }
}

/** The subscription's card belongs to the plans and is shown above its history too. */
async function subscriptionsRoute() {
  const [{ SubscriptionsPage }, { SubscriptionCard }] = await Promise.all([
    import('../features/subscriptions/subscriptions'),
    import('../features/plans/subscription-card'),
  ])
  return { element: <SubscriptionsPage card={SubscriptionCard} /> }
}

const companyRoutes: RouteObject[] = [
  {
    path: paths.dashboard,
    lazy: () => import('../features/dashboard/dashboard').then((m) => ({ Component: m.DashboardPage })),
  },
  {
    path: paths.account,
    lazy: () => import('../features/account/account').then((m) => ({ Component: m.AccountPage })),
  },
  {
    path: paths.companyManage,
    lazy: () => import('../features/companies/manage-company').then((m) => ({ Component: m.ManageCompanyPage })),
  },
  {
    path: paths.companyAudit,
    lazy: () => import('../features/companies/audit-log').then((m) => ({ Component: m.AuditLogPage })),
  },
  {
    path: paths.companyCreate,
    lazy: () => import('../features/companies/create-company').then((m) => ({ Component: m.CreateCompanyPage })),
  },
  { path: paths.plans, lazy: plansRoute },
  { path: paths.subscriptions, lazy: subscriptionsRoute },
  {
    path: paymentsRoute,
    lazy: () => import('../features/payments/payments').then((m) => ({ Component: m.PaymentsPage })),
  },
]

const adminRoutes: RouteObject[] = [
  { index: true, element: <Navigate replace to={paths.adminDashboard} /> },
  {
    path: paths.adminDashboard,
    lazy: () => import('../features/admin/dashboard/dashboard').then((m) => ({ Component: m.AdminDashboardPage })),
  },
  {
    path: paths.adminPlans,
    lazy: () => import('../features/admin/plans/plans').then((m) => ({ Component: m.AdminPlansPage })),
  },
  {
    path: paths.adminAnalytics,
    lazy: () => import('../features/admin/analytics/analytics').then((m) => ({ Component: m.AdminAnalyticsPage })),
  },
  {
    path: paths.adminUsers,
    lazy: () => import('../features/admin/users/users').then((m) => ({ Component: m.AdminUsersPage })),
  },
  {
    path: paths.adminCompanies,
    lazy: () => import('../features/admin/companies/companies').then((m) => ({ Component: m.AdminCompaniesPage })),
  },
]

const legalRoutes: RouteObject[] = [
  { path: paths.terms, lazy: () => import('../features/legal/terms').then((m) => ({ Component: m.TermsPage })) },
  { path: paths.privacy, lazy: () => import('../features/legal/privacy').then((m) => ({ Component: m.PrivacyPage })) },
  { path: paths.lgpd, lazy: () => import('../features/legal/lgpd').then((m) => ({ Component: m.LgpdPage })) },
]

export const routes: RouteObject[] = [
  {
    Component: Root,
    HydrateFallback: ShellSkeleton,
    ErrorBoundary: Crash,
    children: [
      {
        Component: AnonymousOnly,
        children: [
          {
            lazy: () => import('../features/auth/auth-layout').then((m) => ({ Component: m.AuthLayout })),
            children: authRoutes,
          },
        ],
      },
      {
        lazy: () => import('../features/auth/auth-layout').then((m) => ({ Component: m.AuthLayout })),
        children: mailedRoutes,
      },
      {
        Component: RequireSession,
        children: [
          { lazy: () => import('./app-layout').then((m) => ({ Component: m.AppLayout })), children: companyRoutes },
        ],
      },
      {
        Component: RequireSession,
        children: [
          {
            path: paths.admin,
            lazy: () => import('./admin-layout').then((m) => ({ Component: m.AdminLayout })),
            children: adminRoutes,
          },
        ],
      },
      ...legalRoutes,
      { path: '*', Component: NotFound },
    ],
  },
]

export const router = createBrowserRouter(routes)
