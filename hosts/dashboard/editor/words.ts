import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    between: 'From {min} to {max}.', least: 'At least {min}.', most: 'At most {max}.', datetime: 'Such as 2026-11-30, which is the whole day, or 2026-11-30 18:00.', month: 'Such as 2027-05.', media: 'A file of yours, or an address that begins with https.', dollars: 'In dollars.', unit: 'In {unit}.', public: 'Needed before everybody sees the campaign.', promise: 'Supporters rely on it.',
    standard: 'Standard: {value}', none: '—', commas: 'Separated by commas.', by_hand: '{name} is written in a way that this form does not show. Change it in the file.', up: 'Up', down: 'Down', remove: 'Remove', add: 'Add', unnamed: 'Unnamed',
    published: 'Published. The site shows it in a moment.', not_publishable: 'There is no place to publish to. Set CONTENT_REPOSITORY; until then what you type stays in this browser.', problems_now: 'What is wrong in the file now', changed_one: '{count} field is changed and not published.', changed_other: '{count} fields are changed and not published.', unchanged: 'Nothing is changed.', review: 'Review changes', discard: 'Discard changes',
    review_title: 'What will change', relied_one: '{count} pledge was made under the old one.', relied_other: '{count} pledges were made under the old one.', nothing: 'The file says all of this already.', problems: 'This has to be put right first', publish: 'Publish', reason: 'Why', reason_help: 'Supporters see it on their pledge’s page.',
    conflicts_one: 'Somebody else has changed {count} field meanwhile', conflicts_other: 'Somebody else has changed {count} fields meanwhile', conflicts_what: 'Nothing is published until you have chosen for each.', by: '{who}, {time}', theirs: 'Now', mine: 'Yours', take_theirs: 'Take what is there now', keep_mine: 'Keep mine',
    page: 'The page with your changes', show_page: 'Show the page', hide_page: 'Hide the page', desk: 'Desk', phone: 'Phone', drawing: 'Drawing the page…',
    history: 'History', no_history: 'No change is known.', undo: 'Take it back', undo_title: 'Take this back?', undo_what: 'It is undone by a change of its own. What others have changed since stays.',
  },
  es: {
    between: 'De {min} a {max}.', least: 'Como mínimo {min}.', most: 'Como máximo {max}.', datetime: 'Por ejemplo, 2026-11-30, que es todo el día, o 2026-11-30 18:00.', month: 'Por ejemplo, 2027-05.', media: 'Un archivo tuyo o una dirección que empiece por https.', dollars: 'En dólares.', unit: 'En {unit}.', public: 'Hace falta antes de que todos vean la campaña.', promise: 'Los mecenas cuentan con ello.',
    standard: 'Normal: {value}', none: '—', commas: 'Separado por comas.', by_hand: '{name} está escrito de un modo que este formulario no muestra. Cámbialo en el archivo.', up: 'Subir', down: 'Bajar', remove: 'Quitar', add: 'Añadir', unnamed: 'Sin nombre',
    published: 'Publicado. El sitio lo muestra enseguida.', not_publishable: 'No hay dónde publicar. Configura CONTENT_REPOSITORY; hasta entonces lo que escribas se queda en este navegador.', problems_now: 'Lo que está mal ahora en el archivo', changed_one: '{count} campo cambiado sin publicar.', changed_other: '{count} campos cambiados sin publicar.', unchanged: 'No hay cambios.', review: 'Revisar los cambios', discard: 'Descartar los cambios',
    review_title: 'Qué va a cambiar', relied_one: '{count} aportación se hizo con lo anterior.', relied_other: '{count} aportaciones se hicieron con lo anterior.', nothing: 'El archivo ya dice todo esto.', problems: 'Antes hay que arreglar esto', publish: 'Publicar', reason: 'Por qué', reason_help: 'Los mecenas lo ven en la página de su aportación.',
    conflicts_one: 'Otra persona ha cambiado {count} campo mientras tanto', conflicts_other: 'Otra persona ha cambiado {count} campos mientras tanto', conflicts_what: 'No se publica nada hasta que elijas en cada uno.', by: '{who}, {time}', theirs: 'Ahora', mine: 'Lo tuyo', take_theirs: 'Tomar lo que hay ahora', keep_mine: 'Dejar lo mío',
    page: 'La página con tus cambios', show_page: 'Mostrar la página', hide_page: 'Ocultar la página', desk: 'Escritorio', phone: 'Móvil', drawing: 'Dibujando la página…',
    history: 'Historial', no_history: 'No se conoce ningún cambio.', undo: 'Deshacer', undo_title: '¿Deshacer esto?', undo_what: 'Se deshace con otro cambio. Lo que otros hayan cambiado después se queda.',
  },
});
