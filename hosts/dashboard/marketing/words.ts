import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Marketing', links: 'Links', referrals: 'Referral codes', frame: 'For other sites', announcement: 'Announcement', stopped: 'No mails',
    links_what: 'A link with these in it tells where somebody came from. Reports and analytics show it for those who followed it. All of them may be left out.', make: 'Make the link', en: 'English', es: 'Spanish',
    ref: 'Code', ref_help: 'At most 64 letters, digits, and - _ . +', source: 'Source', source_help: 'The site or mail that the link stands in, such as newsletter.', medium: 'Medium', medium_help: 'What kind of place that is, such as email.', part_of: 'Campaign', part_of_help: 'What it is part of, such as launch.', which: 'Content', which_help: 'Which of several links.',
    qr_of: 'QR code for {link}', referrals_what: 'Who tells of the campaign gets a code and a link. Reports show which pledges came by it.', no_referrals: 'There are none yet. Add the first one.', new_code: 'Add a code', change_code: 'Change the code', who: 'Who', who_help: 'Whoever tells of the campaign.', do: 'Actions', show_link: 'Link and QR code', change: 'Change', save: 'Save', remove: 'Delete', remove_what: 'Pledges that came by a deleted code keep it.',
    frame_what: 'Paste this into another site to show the campaign there, with its numbers as they are.', language: 'Language', theme: 'Colors', theme_own: 'As the visitor prefers', theme_light: 'Light', theme_dark: 'Dark', theme_plain: 'Plain, on the site’s own background', compact: 'Compact', no_media: 'Without the picture', no_button: 'Without the button', see_frame: 'See it',
    announcement_what: 'News to everybody who supports this campaign and has not unsubscribed, in the name of the platform. The draft is shared by all who may write for it.',
  },
  es: {
    title: 'Marketing', links: 'Enlaces', referrals: 'Códigos de referencia', frame: 'Para otros sitios', announcement: 'Anuncio', stopped: 'Sin correos',
    links_what: 'Un enlace con estos datos dice de dónde viene alguien. Los informes y la analítica lo muestran de quien lo siguió. Ninguno es obligatorio.', make: 'Crear el enlace', en: 'Inglés', es: 'Español',
    ref: 'Código', ref_help: 'Hasta 64 letras, cifras y - _ . +', source: 'Fuente', source_help: 'El sitio o correo donde está el enlace, como boletín.', medium: 'Medio', medium_help: 'Qué tipo de lugar es, como correo.', part_of: 'Campaña', part_of_help: 'De qué forma parte, como lanzamiento.', which: 'Contenido', which_help: 'Cuál de varios enlaces.',
    qr_of: 'Código QR de {link}', referrals_what: 'Quien habla de la campaña recibe un código y un enlace. Los informes muestran qué aportaciones llegaron así.', no_referrals: 'Todavía no hay ninguno. Añade el primero.', new_code: 'Añadir un código', change_code: 'Cambiar el código', who: 'Quién', who_help: 'Quien habla de la campaña.', do: 'Acciones', show_link: 'Enlace y código QR', change: 'Cambiar', save: 'Guardar', remove: 'Eliminar', remove_what: 'Las aportaciones que llegaron con un código eliminado lo conservan.',
    frame_what: 'Pega esto en otro sitio para mostrar allí la campaña, con sus cifras al día.', language: 'Idioma', theme: 'Colores', theme_own: 'Los que prefiera quien la ve', theme_light: 'Claros', theme_dark: 'Oscuros', theme_plain: 'Sencillos, sobre el fondo del sitio', compact: 'Compacto', no_media: 'Sin la imagen', no_button: 'Sin el botón', see_frame: 'Verlo',
    announcement_what: 'Noticias para todos los que apoyan esta campaña y no se han dado de baja, en nombre de la plataforma. El borrador lo comparten quienes pueden escribir por ella.',
  },
});
