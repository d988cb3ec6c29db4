import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    list: 'Packing list', left: 'Only what is left to send', choose: 'Choose', choose_order: 'Choose {order}', choose_all: 'Choose all that are shown', order: 'Order', to: 'Goes to', contents: 'Contents', parcel: 'Parcel',
    to_pack: 'To pack', packed: 'Packed', sent: 'Sent', platform: 'from the platform', none: 'Nothing here yet.', none_left: 'Everything is sent.', back: 'Back', next: 'Next page', no_index: 'Nobody has pledged yet.',
    mark: 'Mark what is chosen', chosen_one: '{count} parcel is chosen.', chosen_other: '{count} parcels are chosen.', mark_packed: 'Mark packed', mark_sent: 'Mark sent', mark_to_pack: 'Mark not packed',
    carrier: 'Carrier', carrier_help: 'Left empty, none is named', day: 'Sent on', day_help: 'Left empty, today', notify: 'Mail their supporters that it is on its way', notify_help: 'Once for each parcel',
    marked_one: '{count} parcel is marked.', marked_other: '{count} parcels are marked.', unchanged_one: '{count} was so before.', unchanged_other: '{count} were so before.', refused_one: '{count} is refused:', refused_other: '{count} are refused:',
    scan: 'Scan', scan_what: 'Scan or type an order number. Enter marks it at once, and the field is ready for the next.', scan_as: 'Mark as', number: 'Order number', scan_go: 'Mark', scanned: 'What was scanned', was_so: 'was so before',
    file: 'File from a carrier', file_what: 'A CSV with the order numbers in a column called “order”, and “carrier”, “tracking” and “date” where there are any. First you see what would happen; nothing is marked yet.',
    choose_file: 'CSV file', columns: 'Columns found: {columns}.', apply_one: 'Mark {count} parcel sent', apply_other: 'Mark {count} parcels sent', nothing_new: 'The file has nothing new to mark.', applied: 'The file is applied.', line: 'Line', outcome: 'Outcome',
    would: 'will be marked sent', done: 'marked sent', unchanged_line: 'is so already', tracking: 'Tracking number',
  },
  es: {
    list: 'Lista de preparación', left: 'Solo lo que falta por enviar', choose: 'Elegir', choose_order: 'Elegir {order}', choose_all: 'Elegir todos los que se ven', order: 'Pedido', to: 'Va a', contents: 'Contenido', parcel: 'Paquete',
    to_pack: 'Por preparar', packed: 'Preparado', sent: 'Enviado', platform: 'de la plataforma', none: 'Aquí no hay nada todavía.', none_left: 'Todo está enviado.', back: 'Atrás', next: 'Página siguiente', no_index: 'Todavía nadie ha aportado.',
    mark: 'Marcar lo elegido', chosen_one: 'Hay {count} paquete elegido.', chosen_other: 'Hay {count} paquetes elegidos.', chosen_many: 'Hay {count} de paquetes elegidos.', mark_packed: 'Marcar preparados', mark_sent: 'Marcar enviados', mark_to_pack: 'Marcar sin preparar',
    carrier: 'Transportista', carrier_help: 'Vacío: no se indica ninguno', day: 'Enviado el', day_help: 'Vacío: hoy', notify: 'Avisar por correo a sus mecenas de que está en camino', notify_help: 'Una vez por paquete',
    marked_one: '{count} paquete marcado.', marked_other: '{count} paquetes marcados.', marked_many: '{count} de paquetes marcados.', unchanged_one: '{count} ya estaba así.', unchanged_other: '{count} ya estaban así.', unchanged_many: '{count} ya estaban así.', refused_one: '{count} rechazado:', refused_other: '{count} rechazados:', refused_many: '{count} rechazados:',
    scan: 'Escanear', scan_what: 'Escanea o escribe un número de pedido. Al pulsar Intro se marca al momento y el campo queda listo para el siguiente.', scan_as: 'Marcar como', number: 'Número de pedido', scan_go: 'Marcar', scanned: 'Lo escaneado', was_so: 'ya estaba así',
    file: 'Archivo del transportista', file_what: 'Un CSV con los números de pedido en una columna llamada «pedido» y, si los hay, «transportista», «seguimiento» y «fecha». Primero ves qué pasaría; todavía no se marca nada.',
    choose_file: 'Archivo CSV', columns: 'Columnas encontradas: {columns}.', apply_one: 'Marcar {count} paquete como enviado', apply_other: 'Marcar {count} paquetes como enviados', apply_many: 'Marcar {count} de paquetes como enviados', nothing_new: 'El archivo no tiene nada nuevo que marcar.', applied: 'El archivo está aplicado.', line: 'Línea', outcome: 'Resultado',
    would: 'se marcará como enviado', done: 'marcado como enviado', unchanged_line: 'ya está así', tracking: 'Número de seguimiento',
  },
});
