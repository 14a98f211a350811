// Says above every page why nothing can be changed in the selected company.
import type { Company } from '../api/companies'
import { useCompany } from '../auth/company'
import { Alert } from '../ui/alert'

const sentences: Record<Company['status'], string | null> = {
  active: null,
  suspended: 'Esta empresa está suspensa. Fale com o suporte.',
  inactive: 'Esta empresa está desativada. Fale com o suporte.',
}

export function CompanyBanner() {
  const { company } = useCompany()
  const sentence = company && sentences[company.status]
  if (!sentence) return null
  return (
    <Alert tone="warning" className="rounded-none md:px-6 lg:px-8">
      {sentence}
    </Alert>
  )
}
