// Contact sales: for plans without a price. The e-mail address, what to write, and a prefilled draft.
import { useQuery } from '@tanstack/react-query'
import { configQuery } from '../../api/config'
import type { Plan } from '../../api/plans'
import { buttonClass } from '../../ui/button'
import { CopyField } from '../../ui/copy-field'
import { DataArea } from '../../ui/data-area'
import { Dialog } from '../../ui/dialog'
import { CheckIcon, MailIcon } from '../../ui/icons'
import { SkeletonLines } from '../../ui/skeleton'

const CHECKLIST = ['Nome da empresa', 'Número de entregadores', 'Volume mensal de entregas', 'Recursos específicos']

interface ContactSalesProps {
  plan: Plan
  companyName: string
  onClose: () => void
}

export function ContactSales({ plan, companyName, onClose }: ContactSalesProps) {
  const config = useQuery(configQuery())
  const draft = [`${CHECKLIST[0]}: ${companyName}`, ...CHECKLIST.slice(1).map((item) => `${item}: `)].join('\r\n')
  const query = `subject=${encodeURIComponent(`Plano ${plan.displayName}`)}&body=${encodeURIComponent(draft)}`
  return (
    <Dialog onClose={onClose} focusTitle title="Entrar em Contato" description="Respondemos em até 24 horas">
      <DataArea
        live
        query={config}
        errorTitle="Erro ao carregar o email comercial"
        skeleton={<SkeletonLines count={8} />}
      >
        {({ salesEmail }) => (
          <div className="grid gap-4">
            <CopyField
              label="Email comercial"
              value={salesEmail}
              copyLabel="Copiar email"
              copiedLabel="Email copiado!"
            />
            <div className="grid gap-2">
              <p className="font-medium">Conte para nós:</p>
              <ul role="list" className="grid gap-1.5">
                {CHECKLIST.map((item) => (
                  <li key={item} className="flex gap-2">
                    <CheckIcon className="mt-0.5 size-4 shrink-0 text-success" />
                    {item}
                  </li>
                ))}
              </ul>
            </div>
            <a href={`mailto:${salesEmail}?${query}`} className={buttonClass()}>
              <MailIcon />
              Enviar email
            </a>
          </div>
        )}
      </DataArea>
    </Dialog>
  )
}
