// Adds a person by e-mail. A person with a verified account is a member at once; another address gets an invite.
import { useQueryClient } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { Link } from 'react-router'
import { inviteUser } from '../../api/companies'
import { changeDetail, withInvite, withMember } from '../../api/company-detail'
import { emailAddress } from '../../api/form-fields'
import { useApiForm } from '../../api/use-api-form'
import { paths } from '../../lib/paths'
import { companyRoleLabels, companyRoleMeanings, companyRoles } from '../../lib/labels'
import { z } from '../../lib/zod'
import { Dialog } from '../../ui/dialog'
import { EmailInput } from '../../ui/input'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { FormActions } from '../../ui/form-actions'
import { useCloseGuard } from '../../ui/leave-guard'
import { Select } from '../../ui/select'
import { notifySuccess } from '../../ui/toast'

const EMAIL_REQUIRED = 'Email é obrigatório'
const EMAIL_INVALID = 'Email deve ter um formato válido'

const schema = z.object({
  userEmail: emailAddress(EMAIL_REQUIRED, EMAIL_INVALID),
  role: z.enum(companyRoles),
})

interface AddUserDialogProps {
  companyId: string
  onAdded: (memberId: string) => void
  onClose: () => void
}

export function AddUserDialog({ companyId, onAdded, onClose }: AddUserDialogProps) {
  const queries = useQueryClient()
  const form = useApiForm(
    schema,
    { defaultValues: { userEmail: '', role: 'operator' } },
    { wording: { 'userEmail.REQUIRED': EMAIL_REQUIRED, EMAIL_INVALID } },
  )
  const { register, errors, failure } = form
  const isFull = failure?.code === 'PLAN_LIMIT_REACHED'
  // Whoever has no seat left is led to the plans unasked.
  const { close, guard } = useCloseGuard(form.unsaved && !isFull, onClose)
  const role = useWatch({ control: form.control, name: 'role' })

  const submit = form.handleSubmit(async (values) => {
    const { user, invite } = await inviteUser(companyId, values)
    changeDetail(queries, companyId, (detail) => (user ? withMember(detail, user) : withInvite(detail, invite)))
    if (user) onAdded(user.id)
    notifySuccess(
      user
        ? 'Usuário adicionado com sucesso! Email de boas-vindas enviado.'
        : `Convite enviado para ${values.userEmail}. Ele vale 7 dias.`,
    )
    onClose()
  })

  return (
    <Dialog
      onClose={close}
      title="Adicionar Usuário"
      description="Quem já tem conta entra na hora; os demais recebem um convite por email."
      busy={form.isSubmitting}
    >
      <form noValidate onSubmit={submit} className="grid gap-4">
        <Field label="Email" error={errors.userEmail?.message} required>
          <EmailInput autoComplete="off" {...register('userEmail')} />
        </Field>
        <Field label="Papel" error={errors.role?.message} hint={companyRoleMeanings[role]}>
          <Select {...register('role')} options={Object.entries(companyRoleLabels)} />
        </Field>
        <FailureAlert
          title="Erro ao convidar usuário"
          failure={failure}
          actions={isFull && <Link to={paths.plans}>Ver Planos</Link>}
        />
        <FormActions form={form} onCancel={close} submitLabel="Adicionar" busyLabel="Adicionando..." />
      </form>
      {guard}
    </Dialog>
  )
}
