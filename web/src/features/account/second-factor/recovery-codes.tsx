// Recovery codes: shown once, to copy or to save as a file.
import { useEffect, useRef, useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { MutationDialog } from '../../../api/mutation-dialog'
import { replaceRecoveryCodes } from '../../../api/second-factor'
import { secondFactorKey } from '../../../api/second-factor-key'
import { announce } from '../../../ui/announcer'
import { Button } from '../../../ui/button'
import { COPY_FAILED, copyText } from '../../../ui/copy-field'
import { Dialog } from '../../../ui/dialog'
import { CopyIcon, DownloadIcon } from '../../../ui/icons'
import { saveFile } from '../../../ui/save-file'

/** The list and what to do with it; closed only on purpose. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const [copied, setCopied] = useState<boolean | null>(null)
  const start = useRef<HTMLParagraphElement>(null)
  // The step before had the focus.
  useEffect(() => start.current?.focus(), [])
  const text = `${codes.join('\n')}\n`
  const copy = async () => {
    const done = await copyText(text)
    setCopied(done)
    announce(done ? 'Códigos copiados' : COPY_FAILED)
  }
  return (
    <div className="grid gap-4">
      <p ref={start} tabIndex={-1} className="text-pretty outline-none">
        Guarde estes códigos em um lugar seguro. Cada um abre a sua conta uma vez, junto com a senha, quando você
        estiver sem o aparelho. <strong>Eles não serão mostrados de novo.</strong>
      </p>
      <ul
        role="list"
        aria-label="Códigos de recuperação"
        className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-control bg-sunken p-4 font-mono text-label tabular-nums min-[420px]:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button variant="secondary" size="small" onClick={() => void copy()}>
          <CopyIcon />
          {copied ? 'Códigos copiados' : 'Copiar códigos'}
        </Button>
        <Button
          variant="secondary"
          size="small"
          onClick={() =>
            saveFile('bipe-codigos-de-recuperacao.txt', new Blob([text], { type: 'text/plain;charset=utf-8' }))
          }
        >
          <DownloadIcon />
          Baixar .txt
        </Button>
      </div>
      {copied === false && <p className="text-label text-danger">{COPY_FAILED}</p>}
      <Button className="w-full" onClick={onDone}>
        Já guardei os códigos
      </Button>
    </div>
  )
}

/** Asks before the old codes are void, then shows the new ones. */
export function NewCodesDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const making = useMutation({
    mutationFn: replaceRecoveryCodes,
    onSuccess: () => queries.invalidateQueries({ queryKey: secondFactorKey }),
  })
  if (making.data) {
    return (
      <Dialog onClose={onClose} busy title="Novos códigos de recuperação">
        <RecoveryCodes codes={making.data} onDone={onClose} />
      </Dialog>
    )
  }
  return (
    <MutationDialog
      mutation={making}
      onClose={onClose}
      title="Gerar novos códigos?"
      description="Os códigos que você guardou deixam de valer na hora."
      actLabel="Gerar novos códigos"
      actVariant="primary"
      busyLabel="Gerando..."
      failureTitle="Erro ao gerar os códigos"
    />
  )
}
