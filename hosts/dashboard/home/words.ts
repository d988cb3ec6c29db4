import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    hello: 'Hello, {name}', needed: 'What needs you', nothing: 'Nothing needs you now.', look: 'Look', campaigns: 'Campaigns', none: 'No campaign is assigned to you yet. Ask a super admin for one.', health_unknown: 'The service’s own checks can’t be read now.',
    settlement: 'Settlement', unclear_one: '{title}: {count} pledge about which a person has to say something', unclear_other: '{title}: {count} pledges about which a person has to say something', ready: '{title} has ended with {sum} and waits to be charged', runs: '{title} is being charged',
    draft: 'Draft', drafted_one: '{name}: {count} field is changed here and not published', drafted_other: '{name}: {count} fields are changed here and not published', site: 'Site', add_ons: 'Add-ons',
    severity_critical: 'Critical', severity_warning: 'Warning', severity_notice: 'Notice', severity_ok: 'Fine',
  },
  es: {
    hello: 'Hola, {name}', needed: 'Lo que te necesita', nothing: 'Ahora nada te necesita.', look: 'Mirar', campaigns: 'Campañas', none: 'Todavía no tienes ninguna campaña asignada. Pídela a un superadministrador.', health_unknown: 'Ahora no se pueden leer las comprobaciones del servicio.',
    settlement: 'Cobro', unclear_one: '{title}: {count} aportación sobre la que tiene que decidir una persona', unclear_other: '{title}: {count} aportaciones sobre las que tiene que decidir una persona', unclear_many: '{title}: {count} de aportaciones sobre las que tiene que decidir una persona', ready: '{title} ha terminado con {sum} y espera a que se cobre', runs: 'Se está cobrando {title}',
    draft: 'Borrador', drafted_one: '{name}: {count} campo cambiado aquí sin publicar', drafted_other: '{name}: {count} campos cambiados aquí sin publicar', drafted_many: '{name}: {count} de campos cambiados aquí sin publicar', site: 'Sitio', add_ons: 'Complementos',
    severity_critical: 'Crítico', severity_warning: 'Aviso', severity_notice: 'Nota', severity_ok: 'Bien',
  },
});
