import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Refunds that need you',
    hint: 'Other refunds are shown with their pledges.',
    you: 'you',
    order: 'Order {id}',
    waiting: '{sum}, granted by {who} {time}. Another operator has to confirm it.',
    failed: 'The bank returned {sum} {time}. The supporter is still owed this amount. Pay it in another way.',
    unanswered:
      'Stripe has not confirmed {sum}. We keep looking for the refund. Two days after it was sent, it can be withdrawn if Stripe does not have it.',
    repaid_stated: '{who} stated that it was paid in another way. Another operator has to confirm that.',
    confirm: 'Confirm',
    confirm_title: 'Refund {sum}?',
    confirm_hint: 'The refund is sent to Stripe at once.',
    withdraw: 'Withdraw',
    withdraw_title: 'Withdraw the refund of {sum}?',
    withdraw_hint: 'Nothing is paid back. The pledge can be refunded again.',
    repaid: 'Paid another way',
    repaid_title: 'Was {sum} paid in another way?',
    repaid_hint:
      'Confirm this only if the supporter has the money, for example by bank transfer. Two operators have to.',
  },
  es: {
    title: 'Reembolsos que te necesitan',
    hint: 'Los demás reembolsos aparecen junto a sus aportaciones.',
    you: 'ti',
    order: 'Pedido {id}',
    waiting: '{sum}, autorizado por {who} {time}. Otra persona del equipo tiene que confirmarlo.',
    failed: 'El banco devolvió {sum} {time}. Todavía se le debe a la persona. Págaselo por otra vía.',
    unanswered:
      'Stripe no ha confirmado {sum}. Seguimos buscando el reembolso. Dos días después de enviarlo se puede retirar si Stripe no lo tiene.',
    repaid_stated: 'Según {who}, se pagó por otra vía. Otra persona del equipo tiene que confirmarlo.',
    confirm: 'Confirmar',
    confirm_title: '¿Reembolsar {sum}?',
    confirm_hint: 'El reembolso se envía a Stripe al momento.',
    withdraw: 'Retirar',
    withdraw_title: '¿Retirar el reembolso de {sum}?',
    withdraw_hint: 'No se devuelve nada. La aportación se podrá reembolsar de nuevo.',
    repaid: 'Pagado por otra vía',
    repaid_title: '¿Se pagó {sum} por otra vía?',
    repaid_hint:
      'Confírmalo solo si la persona tiene el dinero, por ejemplo por transferencia. Tienen que hacerlo dos personas del equipo.',
  },
});
