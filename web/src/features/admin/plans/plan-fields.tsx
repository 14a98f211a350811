// The plan form's own kinds of fields: a price in reais, a limit that may be unlimited, the ordered list of features.
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { Controller, useFieldArray, useWatch, type Control, type FieldPath } from 'react-hook-form'
import { UNLIMITED } from '../../../lib/plans'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { AddIcon, MoveDownIcon, MoveUpIcon, RemoveIcon } from '../../../ui/icons'
import { Input } from '../../../ui/input'
import { NumberInput } from '../../../ui/number-input'
import { Switch } from '../../../ui/switch'
import { FEATURE_MAX, FEATURES_MAX, type PlanForm } from './plan-draft'

interface NumberFieldProps {
  control: Control<PlanForm>
  name: Extract<
    FieldPath<PlanForm>,
    'monthlyPrice' | 'quarterlyPrice' | 'yearlyPrice' | 'hierarchy' | 'limits.maxUsers' | 'limits.maxBeeping'
  >
  label: string
}

export function NumberField({
  control,
  name,
  label,
  hint,
  kind,
}: NumberFieldProps & { kind: 'reais' | 'whole'; hint?: string }) {
  return (
    <Controller
      control={control}
      name={name}
      render={({ field, fieldState: { error } }) => (
        <Field label={label} error={error?.message} hint={hint} required>
          <NumberInput kind={kind} {...field} />
        </Field>
      )}
    />
  )
}

/** The number, or the switch "Ilimitado". */
export function LimitField({ control, name, label }: NumberFieldProps) {
  const value = useWatch({ control, name })
  const unlimited = value === UNLIMITED
  return (
    <div className="grid content-start gap-2">
      {unlimited ? (
        <Field label={label}>
          <Input value="Ilimitado" disabled readOnly />
        </Field>
      ) : (
        <NumberField kind="whole" control={control} name={name} label={label} />
      )}
      <Controller
        control={control}
        name={name}
        render={({ field: { onChange } }) => (
          <Switch
            label={
              <>
                Ilimitado <span className="sr-only">({label})</span>
              </>
            }
            checked={unlimited}
            onChange={(event) => onChange(event.target.checked ? UNLIMITED : null)}
          />
        )}
      />
    </div>
  )
}

const removeLabel = (index: number) => `Remover recurso ${index + 1}`

export function FeatureFields({ control }: { control: Control<PlanForm> }) {
  const { fields, append, remove, swap } = useFieldArray({ control, name: 'features' })
  const add = useRef<HTMLButtonElement>(null)
  /** The focus goes to the button that has moved up to the place of the pressed one. */
  const drop = (index: number) => {
    flushSync(() => remove(index))
    const list = add.current?.closest('fieldset')
    const next = list?.querySelector<HTMLElement>(`[aria-label="${removeLabel(index)}"]`)
    ;(next ?? add.current)?.focus()
  }
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-label font-medium">Recursos</legend>
      {fields.map(({ id }, index) => (
        <Controller
          key={id}
          control={control}
          name={`features.${index}.text`}
          render={({ field, fieldState: { error } }) => (
            <div className="flex items-end gap-1">
              <Field label={`Recurso ${index + 1}`} labelHidden error={error?.message} className="min-w-0 flex-1">
                <Input maxLength={FEATURE_MAX} {...field} />
              </Field>
              <span className="flex self-start">
                <IconButton
                  label={`Mover recurso ${index + 1} para cima`}
                  disabled={index === 0}
                  onClick={() => swap(index, index - 1)}
                >
                  <MoveUpIcon />
                </IconButton>
                <IconButton
                  label={`Mover recurso ${index + 1} para baixo`}
                  disabled={index === fields.length - 1}
                  onClick={() => swap(index, index + 1)}
                >
                  <MoveDownIcon />
                </IconButton>
                <IconButton label={removeLabel(index)} onClick={() => drop(index)}>
                  <RemoveIcon />
                </IconButton>
              </span>
            </div>
          )}
        />
      ))}
      <Button
        ref={add}
        variant="secondary"
        size="small"
        className="justify-self-start"
        disabled={fields.length >= FEATURES_MAX}
        onClick={() => append({ text: '' })}
      >
        <AddIcon />
        Adicionar recurso
      </Button>
    </fieldset>
  )
}
