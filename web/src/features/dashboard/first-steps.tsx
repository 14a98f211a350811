// What the creator of a new company still has to do. Each step ticks itself when it is done, wherever it was done; the
// list goes when the person hides it, and is not shown again once everything is done.
import { useState } from 'react'
import { Link } from 'react-router'
import { isOpen, type Company, type CompanyDetail } from '../../api/companies'
import type { Subscription } from '../../api/subscriptions'
import { session, useUser } from '../../auth/use-session'
import { addUserPath, paths } from '../../lib/paths'
import { Card, CardHeader } from '../../ui/card'
import { cx } from '../../ui/cx'
import { focusPage } from '../../ui/focus-heading'
import { CheckIcon, CloseIcon } from '../../ui/icons'
import { IconButton } from '../../ui/icon-button'
import { useChanged } from '../../ui/use-changed'
import { firstSteps, type FirstStep } from './steps'

interface FirstStepsProps {
  company: Company
  detail: CompanyDetail
  subscription: Subscription | null
}

export function FirstSteps({ company, detail, subscription }: FirstStepsProps) {
  const user = useUser()
  const steps = firstSteps(detail, subscription)
  const done = steps.filter(({ isDone }) => isDone).length
  const [wanted, setWanted] = useState(
    () => company.companyCreatedBy === user.id && done < steps.length && !session.hasHiddenSteps(company.id),
  )
  if (!wanted || !isOpen(company)) return null
  const hide = () => {
    focusPage()
    session.hideSteps(company.id)
    setWanted(false)
  }
  return (
    <Card>
      <CardHeader
        title="Primeiros passos"
        actions={
          <IconButton label="Dispensar primeiros passos" className="-my-1 -mr-2.5" onClick={hide}>
            <CloseIcon />
          </IconButton>
        }
      />
      <p className="-mt-2 mb-4 text-muted">
        {done === steps.length ? 'Tudo pronto: bom trabalho!' : `${done} de ${steps.length} concluídos`}
      </p>
      <ol role="list" className="grid gap-3 sm:grid-cols-3">
        {steps.map((step) => (
          <Step key={step.label} step={step} />
        ))}
      </ol>
    </Card>
  )
}

const ways: Record<FirstStep['name'], { to: string; action: string }> = {
  company: { to: paths.companyManage, action: 'Ver empresa' },
  plan: { to: paths.plans, action: 'Escolher plano' },
  team: { to: addUserPath, action: 'Convidar pessoas' },
}

function Step({ step: { name, label, isDone } }: { step: FirstStep }) {
  const { to, action } = ways[name]
  const ticked = useChanged(Number(isDone))
  return (
    <li
      data-bipe={ticked && isDone ? '' : undefined}
      className="flex items-center gap-3 rounded-control border border-line px-4 py-3"
    >
      <span
        className={cx(
          'grid size-6 shrink-0 place-items-center rounded-full border',
          isDone ? 'border-success bg-success-bg text-success' : 'border-control',
        )}
      >
        {isDone && <CheckIcon className="size-4" />}
      </span>
      <span className="grid min-w-0 flex-1">
        <span className={cx('font-medium', isDone && 'text-muted')}>
          {label}
          <span className="sr-only">{isDone ? ': concluído' : ': falta'}</span>
        </span>
        {!isDone && (
          <Link className="link justify-self-start text-label" to={to}>
            {action}
          </Link>
        )}
      </span>
    </li>
  )
}
