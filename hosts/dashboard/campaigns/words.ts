import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Campaigns', create: 'New campaign', none: 'No campaign is assigned to you yet.', name: 'Campaign', state: 'State', pledged: 'Pledged', goal: 'of {goal}', supporters: 'Supporters', pledges: 'Pledges', ends: 'Ends', settlement: 'Settlement',
    upcoming: 'Upcoming', live: 'Live', ended: 'Ended', hidden: 'Hidden', running: 'Being charged', done: 'Settled', needs_attention: 'Needs attention', not_started: 'Not started',
    page: 'Open its page', all: 'All campaigns', funded: 'Funded', days_one: '{count} day left', days_other: '{count} days left', average: 'Average', unknown: "There's no campaign {slug}, or it isn't yours.",
    tab_overview: 'Overview', tab_settings: 'Settings', tab_content: 'Content', tab_tiers: 'Tiers', 'tab_support-items': 'Support Items', 'tab_add-ons': 'Add-Ons', 'tab_stretch-goals': 'Stretch Goals', 'tab_ongoing-items': 'Ongoing Items', tab_diary: 'Diary Entries', tab_decisions: 'Decisions', tab_blast: 'Blast', tab_settlement: 'Settlement',
    parts: 'Parts of the campaign',
  },
  es: {
    title: 'Campañas', create: 'Nueva campaña', none: 'Todavía no tienes ninguna campaña asignada.', name: 'Campaña', state: 'Estado', pledged: 'Aportado', goal: 'de {goal}', supporters: 'Mecenas', pledges: 'Aportaciones', ends: 'Termina', settlement: 'Cobro',
    upcoming: 'Próxima', live: 'En curso', ended: 'Terminada', hidden: 'Oculta', running: 'Cobrando', done: 'Cobrada', needs_attention: 'Necesita atención', not_started: 'Sin empezar',
    page: 'Abrir su página', all: 'Todas las campañas', funded: 'Financiada', days_one: 'Queda {count} día', days_other: 'Quedan {count} días', average: 'Media', unknown: 'La campaña {slug} no existe o no es tuya.',
    tab_overview: 'Resumen', tab_settings: 'Ajustes', tab_content: 'Contenido', tab_tiers: 'Recompensas', 'tab_support-items': 'Artículos de apoyo', 'tab_add-ons': 'Complementos', 'tab_stretch-goals': 'Metas adicionales', 'tab_ongoing-items': 'Artículos permanentes', tab_diary: 'Entradas del diario', tab_decisions: 'Decisiones', tab_blast: 'Envío masivo', tab_settlement: 'Cobro',
    parts: 'Partes de la campaña',
  },
});
