// Adds a person by e-mail. A person with a verified account is a member at once; another address gets an invite.
import { useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { useForm, useWatch } from 'react-hook-form'
import { Link } from 'react-router'
import { inviteUser } from '../../api/companies'
import { withInvite, withMember } from '../../api/company-detail'
import { asApiError, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { paths } from '../../lib/paths'
import { companyRoleLabels, companyRoleMeanings, companyRoles } from '../../lib/labels'
import { z } from '../../lib/zod'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { Select } from '../../ui/select'
import { notifySuccess } from '../../ui/toast'
import { changeDetail } from './member-changes'

const EMAIL_REQUIRED = 'Email é obrigatório'
const EMAIL_INVALID = 'Email deve ter um formato válido'

const schema = z.object({
  userEmail: z
    .string()
    .trim()
    .min(1, EMAIL_REQUIRED)
    .pipe(z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, EMAIL_INVALID)),
  role: z.enum(companyRoles),
})

export interface AddUserDialogProps {
  companyId: string
  onAdded: (memberId: string) => void
  onClose: () => void
}

export function AddUserDialog({ companyId, onAdded, onClose }: AddUserDialogProps) {
  const queries = useQueryClient()
  const { register, control, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: { userEmail: '', role: 'operator' as const },
  })
  const { errors, isSubmitting } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const role = useWatch({ control, name: 'role' })

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    try {
      const { user, invite } = await inviteUser(companyId, form)
      changeDetail(queries, companyId, (detail) => (user ? withMember(detail, user) : withInvite(detail, invite)))
      if (user) onAdded(user.id)
      notifySuccess(
        user
          ? 'Usuário adicionado com sucesso! Email de boas-vindas enviado.'
          : `Convite enviado para ${form.userEmail}. Ele vale 7 dias.`,
      )
      onClose()
    } catch (thrown) {
      const error = asApiError(thrown)
      const placed = placeErrors(error, setError, {
        names: ['userEmail', 'role'],
        wording: { 'userEmail.REQUIRED': EMAIL_REQUIRED, EMAIL_INVALID },
      })
      if (!placed) setFailure(error)
    }
  })

  return (
    <Dialog
      open
      onClose={onClose}
      title="Adicionar Usuário"
      description="Quem já tem conta entra na hora; os demais recebem um convite por email."
      busy={isSubmitting}
    >
      <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
        <Field label="Email" error={errors.userEmail?.message} required>
          <Input type="email" autoComplete="off" autoCapitalize="none" spellCheck={false} {...register('userEmail')} />
        </Field>
        <Field label="Papel" error={errors.role?.message} hint={companyRoleMeanings[role]}>
          <Select {...register('role')}>
            {companyRoles.map((option) => (
              <option key={option} value={option}>
                {companyRoleLabels[option]}
              </option>
            ))}
          </Select>
        </Field>
        <FailureAlert
          title="Erro ao convidar usuário"
          failure={failure}
          actions={failure?.code === 'PLAN_LIMIT_REACHED' && <Link to={paths.plans}>Ver Planos</Link>}
        />
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button variant="secondary" onClick={onClose} disabled={isSubmitting}>
            Cancelar
          </Button>
          <Button type="submit" disabled={wait > 0} busy={isSubmitting ? 'Adicionando...' : undefined}>
            Adicionar
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
