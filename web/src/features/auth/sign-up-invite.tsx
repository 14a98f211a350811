// What sign-up says of the invite that led to it. Its own chunk: most people come without one.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { invitePreviewQuery } from '../../api/companies'
import { ApiError, sentences } from '../../api/errors'
import { Alert } from '../../ui/alert'
import { SkeletonLines } from '../../ui/skeleton'
import { inviteAddressOnly, SignUpFormFields } from './sign-up-form'
import type { SignUpForm } from './sign-up-schema'

interface InvitedSignUpProps {
  token: string
  next: string | null
  /** The token is left out when its invite is over: the account is made all the same. */
  onSubmit: (form: SignUpForm, inviteToken?: string) => Promise<void>
}

export default function InvitedSignUp({ token, next, onSubmit }: InvitedSignUpProps) {
  const queries = useQueryClient()
  const query = invitePreviewQuery(token)
  const invite = useQuery(query)
  const invalid = isOver(invite.error)
  const submit = async (form: SignUpForm): Promise<void> => {
    try {
      await onSubmit(form, invalid ? undefined : token)
    } catch (error) {
      // Cancelled, or sent anew, while the form was filled in: the next try leaves the token out.
      if (isOver(error)) await queries.invalidateQueries({ queryKey: query.queryKey })
      throw error
    }
  }
  // While it is asked for again, what was typed stays.
  if (!invite.isFetched) return <SkeletonLines count={6} />
  return (
    <>
      {invalid ? (
        <Alert tone="warning" title={sentences.INVITE_INVALID}>
          Você pode criar a conta e pedir um novo convite.
        </Alert>
      ) : (
        <Alert tone="info" title={invite.data && `Convite para ${invite.data.companyName}`}>
          {inviteAddressOnly}
        </Alert>
      )}
      <SignUpFormFields given={{ userEmail: invite.data?.userEmail ?? '' }} next={next} onSubmit={submit} />
    </>
  )
}

function isOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'INVITE_INVALID'
}
