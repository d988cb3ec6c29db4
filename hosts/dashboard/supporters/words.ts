import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Supporters', campaign: 'Campaign', any: 'All campaigns', find: 'Find', find_help: 'How an address or a name begins, or an order ID', find_card_help: 'How an address or a name begins, an order ID, or a card’s last four digits', find_all_help: 'A whole address, or an order ID', none: 'Nobody is found by that.', type_first: 'Type an address or an order ID, or choose a campaign.', more: 'Show more',
    email: 'Address', name: 'Name', status: 'Pledge', amount: 'Amount', made: 'Made', active: 'Active', payment_failed: 'Payment failed', cancelled: 'Cancelled', charged: 'Charged',
    charged_amount: 'charged {amount}',
    suppressed: 'Gets no {what}: {why}', topic_all: 'mails', topic_update: 'news', topic_launch: 'launch reminders', topic_cart: 'checkout reminders', more_pledges: 'There are older pledges, which are not shown.', history: 'What happened', about_pledge: 'Pledge', about_mail: 'Mail', about_charge: 'Charge', reported: 'the provider says {what}', card: 'Card: {brand} ending in {last4}', card_deleted: 'The card was deleted on {time}.',
    about_operator: 'Operator', note: 'Note', address_changed: 'address changed', parcel_packed: 'parcel packed', parcel_sent: 'parcel sent', parcel_reopened: 'parcel to pack again',
    link_again: 'Send the pledge link again', link_sent: 'The links are on their way to this address. They are mailed at most once an hour.',
    new_note: 'New note', new_note_help: 'Those who run the campaign see it, the supporter doesn’t. It stays.', add_note: 'Add note',
    change_address: 'Change address', change_title: 'Change the address of {order}', change_what: 'The supporter is told by mail. What they pay stays as it is, so the parcel stays in {country}.', save_address: 'Change address', to_name: 'Name', line1: 'Address', line2: 'Address, second line', city: 'City', state: 'State or province', postal: 'Postal code', reason: 'Why', reason_help: 'It stays with the change',
    parcel: 'Parcel', platform_parcel: 'The platform’s parcel', pack: 'Mark packed', send: 'Mark sent', reopen: 'Mark not packed', sent_on: 'sent on {day}', follow: 'Follow parcel {number}', number: 'Tracking number {number}', carrier: 'Carrier', tracking: 'Tracking number', optional: 'May be left empty', send_title: 'Mark the parcel of {order} sent', notify: 'Mail the supporter that it is on its way',
  },
  es: {
    title: 'Mecenas', campaign: 'Campaña', any: 'Todas las campañas', find: 'Buscar', find_help: 'Cómo empieza una dirección o un nombre, o un ID de pedido', find_card_help: 'Cómo empieza una dirección o un nombre, un ID de pedido o las cuatro últimas cifras de una tarjeta', find_all_help: 'Una dirección completa, o un ID de pedido', none: 'No se encuentra a nadie con eso.', type_first: 'Escribe una dirección o un ID de pedido, o elige una campaña.', more: 'Ver más',
    email: 'Dirección', name: 'Nombre', status: 'Aportación', amount: 'Importe', made: 'Hecha', active: 'Activa', payment_failed: 'Pago fallido', cancelled: 'Cancelada', charged: 'Cobrada',
    charged_amount: 'cobrado {amount}',
    suppressed: 'No recibe {what}: {why}', topic_all: 'correos', topic_update: 'noticias', topic_launch: 'avisos de lanzamiento', topic_cart: 'recordatorios de pago', more_pledges: 'Hay aportaciones más antiguas que no se muestran.', history: 'Qué ha pasado', about_pledge: 'Aportación', about_mail: 'Correo', about_charge: 'Cobro', reported: 'el proveedor dice {what}', card: 'Tarjeta: {brand} terminada en {last4}', card_deleted: 'La tarjeta se borró el {time}.',
    about_operator: 'Operador', note: 'Nota', address_changed: 'dirección cambiada', parcel_packed: 'paquete preparado', parcel_sent: 'paquete enviado', parcel_reopened: 'paquete otra vez por preparar',
    link_again: 'Volver a enviar el enlace', link_sent: 'Los enlaces van de camino a esta dirección. Se envían como mucho una vez por hora.',
    new_note: 'Nota nueva', new_note_help: 'La ven quienes gestionan la campaña; el mecenas, no. No se borra.', add_note: 'Añadir nota',
    change_address: 'Cambiar la dirección', change_title: 'Cambiar la dirección de {order}', change_what: 'Avisaremos por correo al mecenas. Lo que paga no cambia, así que el paquete se queda en {country}.', save_address: 'Cambiar la dirección', to_name: 'Nombre', line1: 'Dirección', line2: 'Dirección, segunda línea', city: 'Ciudad', state: 'Estado o provincia', postal: 'Código postal', reason: 'Por qué', reason_help: 'Queda junto al cambio',
    parcel: 'Paquete', platform_parcel: 'Paquete de la plataforma', pack: 'Marcar preparado', send: 'Marcar enviado', reopen: 'Marcar sin preparar', sent_on: 'enviado el {day}', follow: 'Seguir el paquete {number}', number: 'Número de seguimiento {number}', carrier: 'Transportista', tracking: 'Número de seguimiento', optional: 'Puede quedar vacío', send_title: 'Marcar como enviado el paquete de {order}', notify: 'Avisar por correo al mecenas de que está en camino',
  },
});
