// The Portuguese labels of the admin's lists.
import type { AdminRole, AdminSubscriptionStatus, CompanyStatus, UserStatus } from '../../api/admin'
import type { Tone } from '../../lib/labels'

export const roleLabels: Record<AdminRole, string> = {
  admin: 'Administrador',
  company_admin: 'Admin Empresa',
  user: 'Usuário',
}

export const userStatusLabels: Record<UserStatus, string> = {
  active: 'Ativo',
  inactive: 'Inativo',
  pending: 'Pendente',
}
export const userStatusTones: Record<UserStatus, Tone> = { active: 'success', inactive: 'neutral', pending: 'warning' }

export const companyStatusLabels: Record<CompanyStatus, string> = {
  active: 'Ativa',
  inactive: 'Inativa',
  suspended: 'Suspensa',
}
export const companyStatusTones: Record<CompanyStatus, Tone> = {
  active: 'success',
  inactive: 'neutral',
  suspended: 'warning',
}

/** As the platform reads them: a suspended subscription is listed as expired. */
export const adminSubscriptionLabels: Record<AdminSubscriptionStatus, string> = {
  active: 'Ativo',
  cancelled: 'Cancelado',
  expired: 'Expirado',
  pending: 'Pendente',
}
export const adminSubscriptionTones: Record<AdminSubscriptionStatus, Tone> = {
  active: 'success',
  cancelled: 'neutral',
  expired: 'danger',
  pending: 'info',
}

export const consentLabels: Record<string, string> = {
  legal: 'Termos legais',
  privacy: 'Política de privacidade',
  lgpd: 'Termos LGPD',
}
