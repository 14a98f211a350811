// What taking a person's access away does not change: their companies, and what those are charged.
import { Link } from 'react-router'
import type { AdminUserDetail } from '../../../api/admin'
import { adminCompanyPath } from '../../../lib/paths'
import { Alert } from '../../../ui/alert'

export function KeptCompanies({ companies }: Pick<AdminUserDetail, 'companies'>) {
  if (companies.length === 0) return null
  const links = companies.map(({ id, name }) => (
    <Link key={id} to={adminCompanyPath(id)} className="wrap-anywhere">
      {name}
    </Link>
  ))
  return (
    <Alert tone="warning" actions={links}>
      As empresas da pessoa continuam, e planos pagos seguem sendo renovados e cobrados. Para parar a cobrança, suspenda
      a empresa.
    </Alert>
  )
}
