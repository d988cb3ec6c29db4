import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Supporters', campaign: 'Campaign', any: 'All campaigns', find: 'Find', find_help: 'How an address or a name begins, or an order ID', find_all_help: 'A whole address, or an order ID', none: 'Nobody is found by that.', type_first: 'Type an address or an order ID, or choose a campaign.', more: 'Show more',
    email: 'Address', name: 'Name', status: 'Pledge', amount: 'Amount', made: 'Made', active: 'Active', payment_failed: 'Payment failed', cancelled: 'Cancelled', charged: 'Charged',
    suppressed: 'Gets no {what}: {why}', topic_all: 'mails', topic_update: 'news', topic_launch: 'launch reminders', topic_cart: 'checkout reminders', more_pledges: 'There are older pledges, which are not shown.', history: 'What happened', about_pledge: 'Pledge', about_mail: 'Mail', about_charge: 'Charge', reported: 'the provider says {what}', card_deleted: 'The card was deleted on {time}.',
  },
  es: {
    title: 'Mecenas', campaign: 'Campaña', any: 'Todas las campañas', find: 'Buscar', find_help: 'Cómo empieza una dirección o un nombre, o un ID de pedido', find_all_help: 'Una dirección completa, o un ID de pedido', none: 'No se encuentra a nadie con eso.', type_first: 'Escribe una dirección o un ID de pedido, o elige una campaña.', more: 'Ver más',
    email: 'Dirección', name: 'Nombre', status: 'Aportación', amount: 'Importe', made: 'Hecha', active: 'Activa', payment_failed: 'Pago fallido', cancelled: 'Cancelada', charged: 'Cobrada',
    suppressed: 'No recibe {what}: {why}', topic_all: 'correos', topic_update: 'noticias', topic_launch: 'avisos de lanzamiento', topic_cart: 'recordatorios de pago', more_pledges: 'Hay aportaciones más antiguas que no se muestran.', history: 'Qué ha pasado', about_pledge: 'Aportación', about_mail: 'Correo', about_charge: 'Cobro', reported: 'el proveedor dice {what}', card_deleted: 'La tarjeta se borró el {time}.',
  },
});
