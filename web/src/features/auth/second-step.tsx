// The second step of a sign-in. Its question is good for five minutes; after that the password is asked for again.
import { useEffect } from 'react'
import { finishSignIn, requestOptions, type AskedFactor } from '../../api/second-factor'
import type { Tokens, User } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { hasPasskeys, showPasskey } from '../../auth/passkeys'
import { helpPath } from '../../lib/paths'
import { focusPage } from '../../ui/focus-heading'
import { AuthCard } from './auth-card'
import { FactorForm } from './factor-form'

interface SecondStepProps {
  factor: AskedFactor
  onSignedIn: (user: User, tokens: Tokens) => void
  /** Back to the password; with the sentence of why, when it was not the person's own wish. */
  onOver: (why: string | null) => void
}

export default function SecondStep({ factor, onSignedIn, onOver }: SecondStepProps) {
  const methods = factor.methods.filter((method) => method !== 'passkey' || hasPasskeys())
  // The form that had the focus is gone, and so is this one for who goes back.
  useEffect(() => {
    focusPage()
    return focusPage
  }, [])
  return (
    <AuthCard title="Verificação em duas etapas" subtitle="Confirme que é você para entrar.">
      <FactorForm
        methods={methods}
        onPasskey={async () => ({ credential: await showPasskey(requestOptions(factor.passkeyOptions)) })}
        onProof={async (proof) => {
          try {
            const { user, tokens } = await finishSignIn(factor.challenge, proof)
            onSignedIn(user, tokens)
          } catch (error) {
            if (error instanceof ApiError && error.code === 'INVALID_CHALLENGE') onOver(error.sentence)
            else throw error
          }
        }}
      />
      <p className="text-center text-label text-muted">
        Perdeu o aparelho e os códigos? Peça a um administrador da sua empresa para redefinir a verificação. Se não
        houver outro, ou se ele não puder,{' '}
        <a className="link" href={helpPath}>
          fale com o suporte
        </a>
        .
      </p>
      <button type="button" className="link justify-self-center" onClick={() => onOver(null)}>
        Voltar
      </button>
    </AuthCard>
  )
}
