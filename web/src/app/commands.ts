// What the command palette offers, as data: places to go, companies to choose, themes, the way out. Pure, so that
// what a person may reach is decided and tested in one place.
import { isOpen, mayManage, type Company } from '../api/companies'
import { searchable } from '../lib/names'
import { themeLabels, themes, type ThemeChoice } from '../ui/theme'
import { addUserPath, newPlanPath, paths, renewalPath } from '../lib/paths'
import { mayOpen } from './may-open'

export type Command = { label: string; hint: string } & (
  | { kind: 'go'; to: string }
  | { kind: 'company'; company: Company }
  | { kind: 'theme'; theme: ThemeChoice }
  | { kind: 'help' | 'pause' | 'resume' | 'signOut' }
)

const places: [label: string, to: string][] = [
  ['Dashboard', paths.dashboard],
  ['Planos e Assinaturas', paths.plans],
  ['Assinaturas', paths.subscriptions],
  ['Pagamentos', paths.payments],
  ['Faturas', paths.invoices],
  ['Saldos', paths.balances],
  ['Transações', paths.transactions],
  ['Análises', paths.analytics],
  ['Gerenciar Empresa', paths.companyManage],
  ['Criar Nova Empresa', paths.companyCreate],
  ['Minha Conta', paths.account],
]

const adminPlaces: [label: string, to: string][] = [
  ['Admin Dashboard', paths.adminDashboard],
  ['Gerenciar Planos', paths.adminPlans],
  ['Analytics', paths.adminAnalytics],
  ['Usuários', paths.adminUsers],
  ['Empresas', paths.adminCompanies],
  ['Pagamentos da Plataforma', paths.adminPayments],
  ['Nós', paths.adminNodes],
]

interface CommandSources {
  isAdmin: boolean
  companies: readonly Company[]
  selected: Company | undefined
  /** Live updates wait; undefined while there is no connection. */
  paused?: boolean | undefined
}

export function commandsFor({ isAdmin, companies, selected, paused }: CommandSources): Command[] {
  const go =
    (hint: string) =>
    (place: [string, string]): Command => ({ kind: 'go', label: place[0], hint, to: place[1] })
  return [
    ...places.filter(([, to]) => mayOpen(to, selected)).map(go('Ir para')),
    ...(selected?.userRole === 'admin' ? [go('Ir para')(['Registro de atividades', paths.companyAudit])] : []),
    ...(isAdmin ? adminPlaces.map(go('Painel Admin')) : []),
    ...actionsIn(selected).map(go('Ação')),
    ...(isAdmin ? [go('Ação')(['Criar Plano', newPlanPath])] : []),
    ...companies
      .filter(({ id }) => id !== selected?.id)
      .map((company): Command => ({ kind: 'company', label: company.companyName, hint: 'Trocar de empresa', company })),
    ...themes.map((theme): Command => ({ kind: 'theme', label: themeLabels[theme], hint: 'Tema', theme })),
    ...(paused === undefined ? [] : [paused ? resume : pause]),
    { kind: 'help', label: 'Atalhos de teclado', hint: 'Ajuda' },
    { kind: 'signOut', label: 'Sair', hint: 'Conta' },
  ]
}

const pause: Command = { kind: 'pause', label: 'Pausar atualizações', hint: 'Ação' }
const resume: Command = { kind: 'resume', label: 'Retomar atualizações', hint: 'Ação' }

/** What the person may do in the company: each opens its dialog. */
function actionsIn(company: Company | undefined): [label: string, to: string][] {
  if (!company || !isOpen(company)) return []
  const actions: [string, string][] = []
  if (company.userRole === 'admin') actions.push(['Convidar Usuário', addUserPath])
  if (mayManage(company)) actions.push(['Pagar ou renovar a assinatura', renewalPath(company.id)])
  return actions
}

/** The commands in whose words every word of the question occurs, ignoring case and accents; in the order given. */
export function matching(commands: readonly Command[], question: string): Command[] {
  const words = searchable(question).split(/\s+/).filter(Boolean)
  return commands.filter(({ label, hint }) => {
    const text = searchable(`${hint} ${label}`)
    return words.every((word) => text.includes(word))
  })
}
