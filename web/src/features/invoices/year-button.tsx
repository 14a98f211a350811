// "Baixar por ano": all documents of a chosen year as one file. The years are those of the company, the newest first.
import { useMutation } from '@tanstack/react-query'
import type { Company } from '../../api/companies'
import { asApiError } from '../../api/errors'
import { invoicesOfYear } from '../../api/invoices'
import { dayOf } from '../../lib/dates'
import { serverNow } from '../../live/server-clock'
import { Button } from '../../ui/button'
import { useRetrySeconds } from '../../ui/failure-alert'
import { DownloadIcon } from '../../ui/icons'
import { Menu, MenuItem } from '../../ui/menu'
import { saveFile } from '../../ui/save-file'
import { notifyError } from '../../ui/toast'
import { failureOfYear, yearsFrom } from './years'

export function YearButton({ company }: { company: Company }) {
  const save = useMutation({
    mutationFn: (year: number) => invoicesOfYear(company.id, year),
    onSuccess: (file, year) => saveFile(`faturas-${year}.zip`, file),
    onError: (error) => notifyError('Erro ao baixar faturas', { detail: failureOfYear(asApiError(error)) }),
  })
  const wait = useRetrySeconds(save.error && asApiError(save.error))
  return (
    <Menu
      trigger={
        <Button
          variant="secondary"
          disabled={wait > 0}
          busy={save.isPending && 'Preparando...'}
          className="max-sm:w-full"
        >
          <DownloadIcon />
          Baixar por ano
        </Button>
      }
    >
      {yearsFrom(dayOf(company.createdAt), dayOf(serverNow())).map((year) => (
        <MenuItem key={year} onSelect={() => save.mutate(year)}>
          Faturas de {year}
        </MenuItem>
      ))}
    </Menu>
  )
}
