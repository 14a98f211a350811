// Gives a member another role. It shows at once and goes back when it is refused; who belongs to the company is never
// guessed like that.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeRole, companyKeys, type Member, type Role } from '../../api/companies'
import { changeDetail, withMemberIfListed } from '../../api/company-detail'
import { asApiError } from '../../api/errors'
import { companyRoleLabels } from '../../lib/labels'
import { notifyError, notifySuccess } from '../../ui/toast'

export function useRoleChange(companyId: string) {
  const queries = useQueryClient()
  const show = (member: Member) => changeDetail(queries, companyId, (detail) => withMemberIfListed(detail, member))
  return useMutation({
    scope: { id: `roles ${companyId}` },
    mutationFn: ({ member, role }: { member: Member; role: Role }) => changeRole(companyId, member.userId, role),
    onMutate: ({ member, role }) => show({ ...member, role }),
    onSuccess: (member) => {
      show(member)
      notifySuccess(`${member.userName} agora tem o papel ${companyRoleLabels[member.role]}`, {
        id: `role ${member.id}`,
      })
      // One's own role stands in the list too.
      void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
    },
    onError: (error, { member }) => {
      show(member)
      notifyError('Erro ao atualizar permissão do usuário', {
        id: `role ${member.id}`,
        detail: asApiError(error).sentence,
      })
    },
    // What a refusal goes back to may itself be a change that was not answered yet.
    onSettled: () => void queries.invalidateQueries({ queryKey: companyKeys.detail(companyId), exact: true }),
  })
}
