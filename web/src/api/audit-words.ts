// The audit's codes in words, for platform admins and for the admins of a company. A code that this build does not
// know shows itself.
import type { Schemas } from './client'

type AuditAction = Schemas['AuditAction']
type AuditField = Schemas['AuditField']

const acts: Record<AuditAction, string> = {
  'admin.create': 'Criou um administrador',
  'audit.export': 'Exportou o registro de atividades',
  'audit.read': 'Consultou a auditoria de uma pessoa',
  'billing_profile.save': 'Mudou os dados de cobrança',
  'company.create': 'Criou a empresa',
  'company.delete': 'Excluiu a empresa',
  'company.edit': 'Editou a empresa',
  'company.inherit': 'A empresa passou a outro administrador',
  'company.read': 'Consultou a empresa',
  'company.search': 'Buscou empresas',
  'invite.accept': 'Aceitou um convite',
  'invite.cancel': 'Cancelou um convite',
  'invite.create': 'Convidou uma pessoa',
  'invite.resend': 'Reenviou um convite',
  'invoice.export': 'Baixou as faturas de um ano',
  'invoice.send': 'Enviou uma fatura por email',
  'member.add': 'Adicionou um usuário',
  'member.leave': 'Saiu da empresa',
  'member.remove': 'Removeu um usuário',
  'member.update': 'Mudou o papel de um usuário',
  'metrics.cost': 'Informou o investimento de um mês',
  'metrics.export': 'Exportou as métricas',
  'passkey.count_backwards': 'Chave de acesso com contador que regrediu',
  'payment.accept': 'Aceitou um pagamento em análise',
  'payment.adopt': 'Pagamento recuperado do provedor',
  'payment.ask_refund': 'Pediu o reembolso de um pagamento',
  'payment.cancel': 'Cancelou um pagamento',
  'payment.close': 'Pagamento encerrado sem cobrança',
  'payment.dispute': 'Pagamento contestado',
  'payment.expire': 'Pagamento expirado',
  'payment.fail': 'Pagamento não concluído',
  'payment.read': 'Consultou um pagamento',
  'payment.refund': 'Pagamento reembolsado',
  'payment.refuse_refund': 'Reembolso recusado pelo provedor',
  'payment.refuse': 'Recusou um pagamento em análise',
  'payment.search': 'Buscou pagamentos',
  'payment.start': 'Iniciou um pagamento',
  'payment.succeed': 'Pagamento aprovado',
  'payment_method.add': 'Adicionou um cartão',
  'payment_method.prefer': 'Mudou o cartão padrão',
  'payment_method.remove': 'Removeu um cartão',
  'plan.create': 'Criou um plano',
  'plan.edit': 'Editou um plano',
  'plan.status': 'Ativou ou desativou um plano',
  'rate_limit.exceed': 'Excedeu o limite de tentativas',
  'recovery_codes.replace': 'Gerou novos códigos de recuperação',
  'second_factor.add': 'Adicionou uma verificação em duas etapas',
  'second_factor.remove': 'Removeu uma verificação em duas etapas',
  'second_factor.reset': 'Redefiniu a verificação em duas etapas de um usuário',
  'session.end': 'Saiu',
  'session.end_family': 'Sessão encerrada por segurança',
  'session.end_others': 'Encerrou as outras sessões',
  'session.start': 'Entrou',
  'subscription.activate': 'Plano ativado',
  'subscription.cancel': 'Assinatura cancelada',
  'subscription.change': 'Plano alterado',
  'subscription.create': 'Assinatura iniciada',
  'subscription.credit': 'Crédito recebido',
  'subscription.downgrade': 'Downgrade de plano',
  'subscription.expire': 'Assinatura expirada',
  'subscription.fail_renewal': 'Cobrança da renovação recusada',
  'subscription.reactivate': 'Assinatura reativada',
  'subscription.renew': 'Assinatura renovada',
  'subscription.schedule_downgrade': 'Downgrade agendado',
  'subscription.suspend': 'Assinatura suspensa',
  'subscription.upgrade': 'Upgrade de plano',
  'subscription.withdraw_change': 'Mudança agendada desfeita',
  'user.ask_email_change': 'Pediu para trocar o email',
  'user.change_email': 'Trocou o email',
  'user.change_password': 'Alterou a senha',
  'session.step_up': 'Confirmou a identidade de novo',
  'user.edit': 'Editou uma pessoa',
  'user.end_sessions': 'Encerrou as sessões de uma pessoa',
  'user.erase': 'Excluiu e anonimizou uma conta',
  'user.erase_again': 'Conta anonimizada de novo após uma restauração',
  'user.export': 'Baixou os próprios dados',
  'user.read': 'Consultou uma pessoa',
  'user.register': 'Criou a conta',
  'user.reset_password': 'Redefiniu a senha',
  'user.search': 'Buscou pessoas',
  'user.undo': 'Desfez uma mudança: "não fui eu"',
  'user.verify_email': 'Verificou o email',
}

const fieldNames: Record<AuditField, string> = {
  address: 'endereço',
  amount: 'valor',
  billingEmails: 'emails',
  cancel_reason: 'motivo',
  companyDescription: 'descrição',
  companyName: 'nome',
  created_by: 'responsável',
  description: 'descrição',
  displayName: 'nome',
  features: 'recursos',
  hierarchy: 'nível',
  isFree: 'gratuidade',
  isPopular: 'selo popular',
  legalName: 'razão social',
  limits: 'limites',
  monthlyPrice: 'preço mensal',
  name: 'nome',
  quarterlyPrice: 'preço trimestral',
  reason: 'motivo',
  review_reason: 'motivo',
  role: 'papel',
  search: 'busca',
  status: 'status',
  taxId: 'CPF ou CNPJ',
  tradeName: 'nome fantasia',
  userEmail: 'email',
  userName: 'nome',
  userPhone: 'telefone',
  yearlyPrice: 'preço anual',
}

type Noun<Action> = Action extends `${infer Before}.${string}` ? Before : never
/** What no act of a company is about: people, their sign-ins, and the platform. */
type OtherNoun = 'admin' | 'metrics' | 'passkey' | 'plan' | 'rate_limit' | 'recovery_codes' | 'session' | 'user'

/** What a company's acts are about: the first half of their codes. */
export const actKinds: Record<Exclude<Noun<AuditAction>, OtherNoun>, string> = {
  company: 'Empresa',
  member: 'Usuários',
  invite: 'Convites',
  subscription: 'Assinatura',
  payment: 'Pagamentos',
  invoice: 'Faturas',
  payment_method: 'Cartões',
  billing_profile: 'Dados de cobrança',
  second_factor: 'Verificação em duas etapas',
  audit: 'Exportações',
}

const outcomes: Record<string, string> = { ok: '', refused: 'recusado', failed: 'falhou' }

export function actText(action: AuditAction): string {
  return acts[action] ?? action
}

/** "campos: nome, telefone"; empty when none is named. */
export function fieldsText(fields: readonly AuditField[]): string {
  const names = [...new Set(fields.map((field) => fieldNames[field] ?? field))]
  return names.length === 0 ? '' : `${names.length === 1 ? 'campo' : 'campos'}: ${names.join(', ')}`
}

/** Empty for what went well. */
export function outcomeText(outcome: string): string {
  return outcomes[outcome] ?? outcome
}
