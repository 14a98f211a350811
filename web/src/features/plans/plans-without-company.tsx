// The prices for who has no company yet. Choosing a plan leads to the page that makes the company, and from there back
// to the plan. Somebody who chose before signing up goes there at once.
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearchParams } from 'react-router'
import { plansQuery, type Plan } from '../../api/plans'
import { companyForPlanPath } from '../../lib/paths'
import { Catalogue } from './catalogue'
import { ContactSales } from './contact-sales'

export function PlansWithoutCompany() {
  const plans = useQuery(plansQuery())
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const [contact, setContact] = useState<Plan | null>(null)
  const chosen = params.get('plan')
  if (chosen) return <Navigate replace to={companyForPlanPath(chosen, params.get('cycle') ?? '')} />
  return (
    <>
      <p className="-mt-6 text-center text-balance text-muted">Para assinar, escolha um plano e crie a sua empresa.</p>
      <Catalogue
        query={plans}
        current={null}
        canManage
        choosing={null}
        onChoose={({ planId, billingCycle }) => void navigate(companyForPlanPath(planId, billingCycle))}
        onContact={setContact}
      />
      {contact && <ContactSales plan={contact} companyName="" onClose={() => setContact(null)} />}
    </>
  )
}
