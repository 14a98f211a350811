// A platform admin edits a person: name, phone, role, status.
import { useWatch } from 'react-hook-form'
import { adminKeys, updateUser, type AdminUserDetail } from '../../../api/admin'
import { fieldSentenceOf } from '../../../api/errors'
import { personName, phone, refined } from '../../../api/form-fields'
import { useApiForm } from '../../../api/use-api-form'
import { groupPhone } from '../../../lib/phone'
import { z } from '../../../lib/zod'
import { useUser } from '../../../auth/use-session'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { EditSheet, touchedOf } from '../edit-sheet'
import { KeptCompanies } from './kept-companies'

const NAME_MAX = 200
const schema = z.object({
  userName: refined(personName, z.maxLength(NAME_MAX, fieldSentenceOf('TOO_LONG'))),
  userPhone: phone,
  role: z.enum(['admin', 'user']),
  status: z.enum(['active', 'inactive', 'pending']),
})

interface UserFormProps {
  user: AdminUserDetail
  /** Back to the profile. */
  onDone: () => void
  onClose: () => void
}

export default function UserForm({ user, onDone, onClose }: UserFormProps) {
  const isSelf = useUser().id === user.id
  const { userName, userRole, status, emailVerified } = user
  // As the field writes it when it is left: looking at a phone does not change it.
  const userPhone = groupPhone(user.userPhone)
  const form = useApiForm(schema, { defaultValues: { userName, userPhone, role: userRole, status } })
  const { register, setValue, errors } = form
  const { dirtyFields } = form.formState
  const chosen = useWatch({ control: form.control, name: 'status' })

  return (
    <EditSheet
      form={form}
      title={`Editar ${user.userName}`}
      save={(values) => updateUser(user.id, touchedOf(values, dirtyFields))}
      stale={[adminKeys.users, adminKeys.audit]}
      savedText="Usuário atualizado com sucesso!"
      failedTitle="Erro ao atualizar usuário"
      onDone={onDone}
      onCancel={onDone}
      onClose={onClose}
    >
      <Field label="Nome Completo" error={errors.userName?.message} required>
        <Input autoComplete="off" {...register('userName')} />
      </Field>
      <Field label="Telefone" error={errors.userPhone?.message} required>
        <Input
          type="tel"
          autoComplete="off"
          {...register('userPhone', {
            onBlur: (event) =>
              setValue('userPhone', groupPhone(event.target.value), { shouldValidate: true, shouldDirty: true }),
          })}
        />
      </Field>
      <Field
        label="Papel"
        error={errors.role?.message}
        hint={isSelf ? 'Você não pode tirar o seu próprio acesso' : 'Administradores acessam este painel'}
      >
        <Select disabled={isSelf} {...register('role')}>
          <option value="user">Usuário</option>
          <option value="admin">Administrador</option>
        </Select>
      </Field>
      <Field
        label="Status"
        error={errors.status?.message}
        hint={
          status === 'pending' ? 'Fica ativo quando a pessoa confirmar o email' : 'Quem está inativo não entra no Bipe'
        }
      >
        <Select disabled={isSelf} {...register('status')}>
          {status === 'pending' ? (
            <option value="pending">Pendente</option>
          ) : (
            // Who is taken back before the address was confirmed still has to confirm it.
            <option value="active">{status === 'active' || emailVerified ? 'Ativo' : 'Pendente'}</option>
          )}
          <option value="inactive">Inativo</option>
        </Select>
      </Field>
      {status !== 'inactive' && chosen === 'inactive' && <KeptCompanies companies={user.companies} />}
    </EditSheet>
  )
}
