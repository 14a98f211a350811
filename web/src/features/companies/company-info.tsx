// What the company is called; administrators edit it in a dialog.
import { useState } from 'react'
import type { CompanyDetail } from '../../api/companies'
import { formatDate } from '../../lib/dates'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { Fact, Facts } from '../../ui/facts'
import { EditCompanyDialog } from './edit-company'

export function CompanyInfo({ detail, canEdit }: { detail: CompanyDetail; canEdit: boolean }) {
  const [isEditing, setIsEditing] = useState(false)
  // The dialog does not come back with the right to edit.
  if (isEditing && !canEdit) setIsEditing(false)
  return (
    <Card>
      <CardHeader
        title="Dados da empresa"
        actions={
          canEdit && (
            <Button variant="secondary" size="small" onClick={() => setIsEditing(true)}>
              Editar
            </Button>
          )
        }
      />
      <Facts>
        <Fact name="Nome da Empresa">{detail.companyName}</Fact>
        <Fact name="Descrição">{detail.companyDescription ?? <span className="text-muted">Sem descrição</span>}</Fact>
        <Fact name="Criada em">{formatDate(detail.createdAt)}</Fact>
      </Facts>
      {isEditing && <EditCompanyDialog company={detail} onClose={() => setIsEditing(false)} />}
    </Card>
  )
}
