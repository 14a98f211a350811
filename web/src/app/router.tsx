// Every route of the web app on one screen. Screens are lazy chunks; server data is loaded by queries, never
// by loaders. `route-preload.ts` reads here which code the page at an address needs.
import type { ComponentType, ReactNode } from 'react'
import type { QueryClient } from '@tanstack/react-query'
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router'
import { loadOrRetryLater } from '../api/lazy-part'
import { AnonymousOnly, RequireSession } from '../auth/guards'
import { signedInRole } from '../auth/use-session'
import { Crash, PageCrash } from './crash'
import { NotFound } from './not-found'
import { invoiceRoute, paths, paymentsRoute } from '../lib/paths'
import { queries } from './providers'
import { Root } from './root'
import { ShellSkeleton } from './shell-skeleton'
import { Page } from '../ui/page'
import { addressOf, type Address } from '../ui/url-state'

type Screen = ComponentType & {
  /** Begins to read the data that the screen shows first. */
  prefetch?: (queries: QueryClient, address: Address) => void
}

/** A route whose code is loaded when it is opened. The first one reads its data before the shell around it is there. */
function screen(path: string, load: () => Promise<Screen>): RouteObject {
  const begin = async () => {
    const Component = await load()
    if (location.pathname === path && mayOpen(path))
      Component.prefetch?.(queries, addressOf(new URLSearchParams(location.search)))
    return Component
  }
  return { path, lazy: async () => ({ Component: await loadOrRetryLater(begin, inPage) }) }
}

/** What is said in the place of a page's code that has not arrived. */
function inPage(_: unknown, notice: ReactNode, title: string): ReactNode {
  return <Page title={title}>{notice}</Page>
}

function layout(load: () => Promise<ComponentType>) {
  const inMain = (_: unknown, notice: ReactNode, title: string) => (
    <main className="p-6">{inPage(_, notice, title)}</main>
  )
  return async () => ({ Component: await loadOrRetryLater(load, inMain) })
}

/** As far as this browser knows. The server decides. */
function mayOpen(path: string): boolean {
  const role = signedInRole()
  return path.startsWith(`${paths.admin}/`) ? role === 'admin' : role !== null
}

const authRoutes: RouteObject[] = [
  screen(paths.signIn, () => import('../features/auth/sign-in').then((m) => m.SignInPage)),
  screen(paths.forgotPassword, () => import('../features/auth/sign-in').then((m) => m.SignInPage)),
  screen(paths.signUp, () => import('../features/auth/sign-up').then((m) => m.SignUpPage)),
  screen(paths.verifyEmail, () => import('../features/auth/verify-email').then((m) => m.VerifyEmailPage)),
]

/** Where links of mails lead: for signed-out and signed-in visitors alike. */
const mailedRoutes: RouteObject[] = [
  screen(paths.acceptInvite, () => import('../features/auth/accept-invite').then((m) => m.AcceptInvitePage)),
  screen(paths.resetPassword, () => import('../features/auth/reset-password').then((m) => m.ResetPasswordPage)),
  screen(paths.undoChange, () => import('../features/auth/undo-change').then((m) => m.UndoChangePage)),
]

const companyRoutes: RouteObject[] = [
  screen(paths.dashboard, () => import('../features/dashboard/dashboard').then((m) => m.DashboardPage)),
  screen(paths.account, () => import('../features/account/account').then((m) => m.AccountPage)),
  screen(paths.companyManage, () => import('../features/companies/manage-company').then((m) => m.ManageCompanyPage)),
  screen(paths.companyAudit, () => import('../features/companies/audit-log').then((m) => m.AuditLogPage)),
  screen(paths.companyCreate, () => import('../features/companies/create-company').then((m) => m.CreateCompanyPage)),
  screen(paths.plans, async () => {
    // The saved cards belong to the payments feature and are shown among the plans.
    const [{ PlansPage }, { SavedCards }] = await Promise.all([
      import('../features/plans/plans'),
      import('../features/payments/saved-cards'),
    ])
    const prefetch = (queries: QueryClient) => {
      PlansPage.prefetch(queries)
      void SavedCards.prefetch(queries)
    }
    return Object.assign(() => <PlansPage methods={SavedCards} />, { prefetch })
  }),
  screen(paths.subscriptions, () => import('../features/plans/subscriptions').then((m) => m.SubscriptionsPage)),
  screen(paths.invoices, () => import('../features/invoices/invoices').then((m) => m.InvoicesPage)),
  screen(paths.balances, () => import('../features/balances/balances').then((m) => m.BalancesPage)),
  screen(paths.transactions, () => import('../features/transactions/transactions').then((m) => m.TransactionsPage)),
  screen(paths.analytics, () => import('../features/company-analytics/analytics').then((m) => m.AnalyticsPage)),
  screen(invoiceRoute, () => import('../features/invoices/invoice').then((m) => m.InvoicePage)),
  screen(paymentsRoute, () => import('../features/payments/payments').then((m) => m.PaymentsPage)),
]

const adminRoutes: RouteObject[] = [
  { index: true, element: <Navigate replace to={paths.adminDashboard} /> },
  screen(paths.adminDashboard, () => import('../features/admin/dashboard/dashboard').then((m) => m.AdminDashboardPage)),
  screen(paths.adminPlans, () => import('../features/admin/plans/plans').then((m) => m.AdminPlansPage)),
  screen(paths.adminAnalytics, () => import('../features/admin/analytics/analytics').then((m) => m.AdminAnalyticsPage)),
  screen(paths.adminUsers, () => import('../features/admin/users/users').then((m) => m.AdminUsersPage)),
  screen(paths.adminCompanies, () => import('../features/admin/companies/companies').then((m) => m.AdminCompaniesPage)),
  screen(paths.adminPayments, () => import('../features/admin/payments/payments').then((m) => m.AdminPaymentsPage)),
  screen(paths.adminNodes, () => import('../features/admin/nodes/nodes').then((m) => m.AdminNodesPage)),
]

const legalRoutes: RouteObject[] = [
  screen(paths.terms, () => import('../features/legal/terms').then((m) => m.TermsPage)),
  screen(paths.privacy, () => import('../features/legal/privacy').then((m) => m.PrivacyPage)),
  screen(paths.lgpd, () => import('../features/legal/lgpd').then((m) => m.LgpdPage)),
]

const authLayout = layout(() => import('../features/auth/auth-layout').then((m) => m.AuthLayout))

export const routes: RouteObject[] = [
  {
    Component: Root,
    HydrateFallback: ShellSkeleton,
    ErrorBoundary: Crash,
    children: [
      { Component: AnonymousOnly, children: [{ lazy: authLayout, children: authRoutes }] },
      { lazy: authLayout, children: mailedRoutes },
      {
        Component: RequireSession,
        children: [
          {
            lazy: layout(() => import('./app-layout').then((m) => m.AppLayout)),
            children: [{ ErrorBoundary: PageCrash, children: companyRoutes }],
          },
          {
            path: paths.admin,
            lazy: layout(() => import('./admin-layout').then((m) => m.AdminLayout)),
            children: [{ ErrorBoundary: PageCrash, children: adminRoutes }],
          },
        ],
      },
      ...legalRoutes,
      { path: '*', Component: NotFound },
    ],
  },
]

/** Starts to load the code of the page. */
export const createRouter = () => createBrowserRouter(routes)
