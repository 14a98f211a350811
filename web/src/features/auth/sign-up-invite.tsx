// What sign-up says of the invite that led to it. Its own chunk: most people come without one.
import { useQuery } from '@tanstack/react-query'
import { invitePreviewQuery } from '../../api/companies'
import { asApiError, sentences } from '../../api/errors'
import { Alert } from '../../ui/alert'
import { SkeletonLines } from '../../ui/skeleton'
import { inviteAddressOnly, SignUpFormFields } from './sign-up-form'
import type { SignUpForm } from './sign-up-schema'

export interface InvitedSignUpProps {
  token: string
  next: string | null
  /** The token is left out when its invite is over: the account is made all the same. */
  onSubmit: (form: SignUpForm, inviteToken?: string) => Promise<void>
}

export default function InvitedSignUp({ token, next, onSubmit }: InvitedSignUpProps) {
  const invite = useQuery(invitePreviewQuery(token))
  const invalid = invite.error !== null && asApiError(invite.error).code === 'INVITE_INVALID'
  if (invite.isPending) return <SkeletonLines count={6} />
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
      <SignUpFormFields
        address={invite.data?.userEmail ?? ''}
        next={next}
        onSubmit={(form) => onSubmit(form, invalid ? undefined : token)}
      />
    </>
  )
}
