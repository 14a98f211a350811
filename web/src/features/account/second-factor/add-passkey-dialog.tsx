// Adds a passkey: its name, the password when it is the first factor, then the browser's own question.
import { useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError, fieldSentenceOf } from '../../../api/errors'
import { addPasskey, creationOptions } from '../../../api/second-factor'
import { makePasskey } from '../../../auth/passkeys'
import { deviceName } from '../../../lib/device'
import { plainText } from '../../../lib/plain-text'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { notifySuccess } from '../../../ui/toast'
import { useFocusFirstError } from '../../../ui/use-focus-first-error'
import { factorAdded } from './factor-added'
import { PasswordStep } from './password-step'
import { RecoveryCodes } from './recovery-codes'

const LONGEST_NAME = 60

export function AddPasskeyDialog({ isFirst, onClose }: { isFirst: boolean; onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState(() => deviceName(navigator.userAgent).slice(0, LONGEST_NAME))
  const [missing, setMissing] = useState<object | false>(false)
  const [codes, setCodes] = useState<readonly string[]>()
  const adding = useMutation({
    mutationFn: async (password: string | undefined) =>
      addPasskey(plainText(name), await makePasskey(await creationOptions(password))),
    onSuccess: ({ recoveryCodes }) => {
      factorAdded(queries, recoveryCodes)
      notifySuccess('Chave de acesso adicionada.')
      if (recoveryCodes) setCodes(recoveryCodes)
      else onClose()
    },
  })
  const wrong = adding.error && asApiError(adding.error).fields.name
  const field = useFocusFirstError<HTMLDivElement>(missing || (wrong && adding.error))
  const sentence = missing ? fieldSentenceOf('REQUIRED') : typeof wrong === 'string' && fieldSentenceOf(wrong)
  return (
    <Dialog
      onClose={onClose}
      busy={adding.isPending || codes !== undefined}
      title={codes ? 'Códigos de recuperação' : 'Adicionar chave de acesso'}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={onClose} />
      ) : (
        <PasswordStep
          asksPassword={isFirst}
          text="O navegador vai pedir a digital, o rosto, o PIN ou uma chave de segurança. Depois você entra com ela, sem senha."
          actLabel="Adicionar chave de acesso"
          busy={adding.isPending}
          error={adding.error}
          onNext={(password) => {
            setMissing(plainText(name) === '' && {})
            if (plainText(name) !== '') adding.mutate(password)
          }}
        >
          <div ref={field}>
            <Field label="Nome da chave" error={sentence || undefined} hint="Para você a reconhecer na lista." required>
              <Input
                value={name}
                maxLength={LONGEST_NAME}
                autoComplete="off"
                onChange={(event) => setName(event.target.value)}
              />
            </Field>
          </div>
        </PasswordStep>
      )}
    </Dialog>
  )
}
