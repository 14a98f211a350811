// What was spent on winning customers, month by month: the numerator of the CAC.
import { useState } from 'react'
import { Controller } from 'react-hook-form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { acquisitionCostsQuery, adminKeys, saveAcquisitionCost } from '../../../api/admin'
import { fieldSentenceOf } from '../../../api/errors'
import { priceProblemOf } from '../../../api/form-fields'
import { useApiForm } from '../../../api/use-api-form'
import { dayOf, formatMonth } from '../../../lib/dates'
import { formatReais } from '../../../lib/money'
import { lastMonths } from '../../../lib/series'
import { z } from '../../../lib/zod'
import { serverNow } from '../../../live/server-clock'
import { Button } from '../../../ui/button'
import { DataArea } from '../../../ui/data-area'
import { Dialog } from '../../../ui/dialog'
import { FailureAlert } from '../../../ui/failure-alert'
import { Field } from '../../../ui/field'
import { BalanceIcon } from '../../../ui/icons'
import { NumberInput } from '../../../ui/number-input'
import { Select } from '../../../ui/select'
import { SkeletonLines } from '../../../ui/skeleton'
import { notifySuccess } from '../../../ui/toast'

/** The months that the longest period touches, and those of the period before, which it is compared with. */
const MONTHS = 25
const schema = z.object({
  month: z.string(),
  amount: z.nullable(z.number()).check(
    z.refine((amount) => amount !== null, fieldSentenceOf('REQUIRED')),
    z.refine((amount) => amount === null || priceProblemOf(amount) === undefined, {
      error: ({ input }) => priceProblemOf(Number(input)),
    }),
  ),
})

export default function CostsDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [months] = useState(() => lastMonths(dayOf(serverNow()).slice(0, 7), MONTHS))
  const { register, control, handleSubmit, reset, errors, isSubmitting, failure, wait } = useApiForm(schema, {
    defaultValues: { month: months[0] ?? '', amount: null },
  })

  const submit = handleSubmit(async ({ month, amount }) => {
    await saveAcquisitionCost({ month, amount: amount ?? 0 })
    void queries.invalidateQueries({ queryKey: adminKeys.costs })
    void queries.invalidateQueries({ queryKey: adminKeys.dashboards })
    notifySuccess(`Investimento de ${formatMonth(month)} salvo`)
    reset({ month, amount: null })
  })

  return (
    <Dialog
      onClose={onClose}
      title="Investimento em aquisição"
      description="Quanto foi gasto em cada mês para conquistar clientes. O CAC divide este valor pelas novas empresas pagantes."
      busy={isSubmitting}
    >
      <div className="grid gap-6">
        <form noValidate onSubmit={submit} className="grid gap-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Mês" error={errors.month?.message}>
              <Select {...register('month')} options={months.map((month) => [month, formatMonth(month)])} />
            </Field>
            <Controller
              control={control}
              name="amount"
              render={({ field, fieldState: { error } }) => (
                <Field label="Valor" error={error?.message} required>
                  <NumberInput kind="reais" {...field} />
                </Field>
              )}
            />
          </div>
          <FailureAlert title="Erro ao salvar o investimento" failure={failure} />
          <Button
            type="submit"
            className="sm:justify-self-end"
            disabled={wait > 0}
            busy={isSubmitting && 'Salvando...'}
          >
            Salvar
          </Button>
        </form>
        <SavedCosts />
      </div>
    </Dialog>
  )
}

function SavedCosts() {
  const query = useQuery(acquisitionCostsQuery())
  return (
    <DataArea
      query={query}
      errorTitle="Erro ao carregar os investimentos"
      skeleton={<SkeletonLines count={3} />}
      empty={{ icon: BalanceIcon, text: 'Nenhum investimento informado' }}
    >
      {(costs) => (
        <dl className="tear grid gap-1.5 pt-3">
          {costs.map(({ month, amount }) => (
            <div key={month} className="flex justify-between gap-3">
              <dt className="text-muted">{formatMonth(month)}</dt>
              <dd className="font-medium tabular-nums">{formatReais(amount)}</dd>
            </div>
          ))}
        </dl>
      )}
    </DataArea>
  )
}
