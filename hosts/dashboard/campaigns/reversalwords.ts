import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    refunded: 'Refunded',
    owed_note: '{sum} more came back and is still owed',
    disputed: 'Disputed',
    disputed_note: 'Withdrawn until the bank decides',
    lost: 'Lost in disputes',
    unexplained: 'Unexplained',
    unexplained_note: 'Changes of the Stripe balance without a known reason',
    net: 'Net',
    net_note: 'After refunds, disputes and {sum} of fees',
  },
  es: {
    refunded: 'Reembolsado',
    owed_note: 'El banco devolvió otros {sum}, que todavía se deben',
    disputed: 'En disputa',
    disputed_note: 'Retirado hasta que decida el banco',
    lost: 'Perdido en disputas',
    unexplained: 'Sin explicar',
    unexplained_note: 'Cambios del saldo de Stripe sin motivo conocido',
    net: 'Neto',
    net_note: 'Tras reembolsos, disputas y {sum} de comisiones',
  },
});
