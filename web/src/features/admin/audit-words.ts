// The audit's codes in words. An act that has no words yet shows its code.

const acts: Record<string, string> = {
  'admin.create': 'Criou um administrador',
  'company.create': 'Criou a empresa',
  'company.delete': 'Excluiu a empresa',
  'company.edit': 'Editou a empresa',
  'company.inherit': 'A empresa passou a outro administrador',
  'company.read': 'Consultou a empresa',
  'invite.accept': 'Aceitou um convite',
  'member.add': 'Adicionou um membro',
  'member.remove': 'Removeu um membro',
  'member.role': 'Mudou o papel de um membro',
  'payment.accept': 'Aceitou um pagamento em análise',
  'payment.cancel': 'Cancelou um pagamento',
  'payment.refuse': 'Recusou um pagamento em análise',
  'payment.start': 'Iniciou um pagamento',
  'plan.create': 'Criou um plano',
  'plan.edit': 'Editou um plano',
  'plan.status': 'Ativou ou desativou um plano',
  'rate_limit.exceed': 'Excedeu o limite de tentativas',
  'session.end': 'Saiu',
  'session.end_family': 'Sessão encerrada por segurança',
  'session.end_others': 'Encerrou as outras sessões',
  'session.start': 'Entrou',
  'subscription.cancel': 'Cancelou a assinatura',
  'user.delete': 'Excluiu e anonimizou uma conta',
  'user.edit': 'Editou uma pessoa',
  'user.end_sessions': 'Encerrou as sessões de uma pessoa',
  'user.export': 'Baixou os próprios dados',
  'user.read': 'Consultou uma pessoa',
  'user.register': 'Criou a conta',
  'user.reset_password': 'Redefiniu a senha',
  'user.verify_email': 'Verificou o email',
}

const outcomes: Record<string, string> = { ok: '', refused: 'recusado', failed: 'falhou' }

export function actText(action: string): string {
  return acts[action] ?? action
}

/** Empty for what went well. */
export function outcomeText(outcome: string): string {
  return outcomes[outcome] ?? outcome
}
