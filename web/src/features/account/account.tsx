// "Minha Conta": the person's data, the open sessions, what the person is told, the documents that were accepted, export
// and deletion.
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../api/auth'
import { Card, CardHeader } from '../../ui/card'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { Page } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { DeleteAccount } from './delete-account'
import { Credentials } from './credentials'
import { AcceptedTerms } from './accepted-terms'
import { ExportData } from './export-data'
import { NotificationPreferences } from './notification-preferences'
import { ProfileForm } from './profile-form'
import SecondFactorCard from './second-factor/second-factor-card'
import { Sessions } from './sessions'

export function AccountPage() {
  const me = useQuery(meQuery())
  return (
    <Page title="Minha Conta" subtitle="Seus dados, suas sessões e sua privacidade" narrow>
      <Card className={settlesFirst}>
        <CardHeader title="Dados pessoais" />
        <DataArea
          query={me}
          errorTitle="Erro ao carregar sua conta"
          skeleton={<Skeleton className="h-127 w-full sm:h-96" />}
          live
        >
          {(user) => <ProfileForm key={user.id} user={user} />}
        </DataArea>
      </Card>
      <Credentials />
      <SecondFactorCard />
      <Sessions />
      <NotificationPreferences />
      <AcceptedTerms />
      <ExportData />
      <DeleteAccount />
    </Page>
  )
}
