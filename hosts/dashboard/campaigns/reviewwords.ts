import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Preview',
    what: 'Let some look at the page before everybody sees it. They are mailed a link of their own, which works for 24 hours; nobody can pledge there.',
    now: 'May look until {until}: {who}.',
    only_you: 'Nobody but you may look until {until}.',
    open: 'See the preview',
    reviewers: 'Reviewers',
    reviewers_help: 'Addresses, separated by commas. Whoever you leave out can look no more.',
    send: 'Send the links',
    unpublishable: 'Editing is off: this server has nowhere to save campaigns. Set CONTENT_REPOSITORY and restart.',
    sent_one: '{count} link is on its way.',
    sent_other: '{count} links are on their way.',
    none_sent: 'The preview is open to you alone.',
    your_link: 'Your own link works for 24 hours too.',
  },
  es: {
    title: 'Vista previa',
    what: 'Deja que algunas personas vean la página antes que nadie. Reciben por correo un enlace propio que funciona durante 24 horas; ahí nadie puede aportar.',
    now: 'Pueden verla hasta el {until}: {who}.',
    only_you: 'Nadie más que tú puede verla hasta el {until}.',
    open: 'Ver la vista previa',
    reviewers: 'Revisores',
    reviewers_help: 'Direcciones, separadas por comas. A quien quites de la lista ya no se le muestra.',
    send: 'Enviar los enlaces',
    unpublishable:
      'La edición está desactivada: este servidor no tiene dónde guardar las campañas. Configura CONTENT_REPOSITORY y reinícialo.',
    sent_one: '{count} enlace está en camino.',
    sent_other: '{count} enlaces están en camino.',
    sent_many: '{count} de enlaces están en camino.',
    none_sent: 'La vista previa está abierta solo para ti.',
    your_link: 'Tu propio enlace también funciona durante 24 horas.',
  },
});
