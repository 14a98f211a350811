// A form that a schema checks and the server may refuse. The refusal lands on the fields that it names; the rest is the
// form's `failure`. A refusal for too many tries is counted down in `wait`, in seconds.
import { useState, type BaseSyntheticEvent } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, type DefaultValues, type FieldPath, type FieldValues, type UseFormProps } from 'react-hook-form'
import type { z } from '../lib/zod'
import { useRetrySeconds } from '../ui/failure-alert'
import { useFocusFirstError } from '../ui/use-focus-first-error'
import { asApiError, type ApiError } from './errors'
import { placeErrors, type FieldPlaces } from './form-errors'

export type ApiForm<Input extends FieldValues, Output> = ReturnType<typeof useApiForm<Input, Output>>

/** `places.names` defaults to the form's own fields. */
export function useApiForm<Input extends FieldValues, Output>(
  schema: z.ZodMiniType<Output, Input>,
  options: NoInfer<UseFormProps<Input, unknown, Output>>,
  places: Partial<FieldPlaces<Input>> = {},
) {
  const form = useForm<Input, unknown, Output>({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    shouldFocusError: false,
    ...options,
  })
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const [refusal, setRefusal] = useState<object>()
  // The library would go to the field that was registered first, which is not the first of the form.
  const sent = useFocusFirstError(refusal)

  /** In place of the library's: what `send` throws is the refusal. */
  const handleSubmit = (send: (values: Output) => Promise<void>) => {
    const checked = async (values: Output) => {
      setFailure(null)
      try {
        await send(values)
      } catch (thrown) {
        const error = asApiError(thrown)
        const names = Object.keys(form.getValues()) as FieldPath<Input>[]
        if (!placeErrors(error, form.setError, { names, ...places })) setFailure(error)
        setRefusal(error)
      }
    }
    return (event?: BaseSyntheticEvent) => {
      sent.current = event?.currentTarget ?? document.activeElement?.closest('form') ?? null
      void form.handleSubmit(checked, () => setRefusal({}))(event)
    }
  }

  /** Drops what was typed, and the refusal of it. */
  const startAnew = (values: DefaultValues<Input>) => {
    form.reset(values)
    setFailure(null)
  }

  const { errors, isSubmitting, isDirty, isSubmitSuccessful } = form.formState
  /** Whether something typed would be lost. */
  const unsaved = isDirty && !isSubmitting && (!isSubmitSuccessful || failure !== null)
  return { ...form, errors, isSubmitting, unsaved, failure, setFailure, startAnew, wait, handleSubmit }
}
