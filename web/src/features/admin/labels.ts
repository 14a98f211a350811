// The Portuguese labels of the admin's lists.
import type { AdminRole, AdminSubscriptionStatus, CompanyStatus, UserStatus } from '../../api/admin'
import type { Status } from '../../lib/labels'

export const roleLabels: Record<AdminRole, string> = {
  admin: 'Administrador',
  company_admin: 'Admin Empresa',
  user: 'Usuário',
}

export const userStatuses: Record<UserStatus, Status> = {
  active: { label: 'Ativo', tone: 'success' },
  inactive: { label: 'Inativo', tone: 'neutral' },
  pending: { label: 'Pendente', tone: 'warning', pending: true },
}

export const companyStatuses: Record<CompanyStatus, Status> = {
  active: { label: 'Ativa', tone: 'success' },
  inactive: { label: 'Inativa', tone: 'neutral' },
  suspended: { label: 'Suspensa', tone: 'warning' },
}

/** As the platform reads them: a suspended subscription is listed as expired. */
export const adminSubscriptionStatuses: Record<AdminSubscriptionStatus, Status> = {
  active: { label: 'Ativo', tone: 'success' },
  cancelled: { label: 'Cancelado', tone: 'neutral' },
  expired: { label: 'Expirado', tone: 'danger' },
  pending: { label: 'Pendente', tone: 'info', pending: true },
}

export const consentLabels: Record<string, string> = {
  legal: 'Termos legais',
  privacy: 'Política de privacidade',
  lgpd: 'Termos LGPD',
}

/** What follows when the last free plan goes off sale, or gets a price. */
export const WITHOUT_FREE_PLAN =
  'Se nenhum outro plano gratuito estiver à venda, empresas novas e as que perderem o plano ficam com 1 usuário e nenhuma bipagem. Oferecer um plano gratuito depois não corrige essas empresas.'

/** Why one's own account cannot be deleted here. */
export const NOT_ONESELF = 'Você não pode excluir a si mesmo'
