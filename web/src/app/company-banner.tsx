// Says above every page why nothing can be changed in the selected company.
import type { Company } from '../api/companies'
import { useCompany } from '../auth/company'
import { helpPath } from '../lib/paths'
import { Alert } from '../ui/alert'

const sentences: Record<Company['status'], string | null> = {
  active: null,
  suspended: 'Esta empresa está suspensa.',
  inactive: 'Esta empresa está desativada.',
}

export function CompanyBanner() {
  const { company } = useCompany()
  const sentence = company && sentences[company.status]
  return (
    // There before its words: a live region that comes with them may stay unheard.
    <div aria-live="polite">
      {sentence && (
        <Alert tone="warning" role="none" className="rounded-none md:px-6 lg:px-8 [&_a]:underline">
          {sentence} <a href={helpPath}>Fale com o suporte</a>.
        </Alert>
      )}
    </div>
  )
}
