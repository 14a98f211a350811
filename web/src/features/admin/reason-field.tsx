// The reason for what a platform admin decides about a payment; it is kept with the payment.
import { fieldSentenceOf } from '../../api/errors'
import { Field } from '../../ui/field'
import { TextArea } from '../../ui/input'

const REASON_MAX = 500

interface ReasonFieldProps {
  reason: string
  onChange: (reason: string) => void
  /** The decision was sent without one. */
  isMissing: boolean
}

export function ReasonField({ reason, onChange, isMissing }: ReasonFieldProps) {
  return (
    <Field
      label="Motivo"
      required
      hint="Fica registrado com o pagamento e não aparece para a empresa"
      aside={`${reason.length}/${REASON_MAX}`}
      error={isMissing && fieldSentenceOf('REQUIRED')}
    >
      <TextArea rows={3} maxLength={REASON_MAX} value={reason} onChange={(event) => onChange(event.target.value)} />
    </Field>
  )
}
