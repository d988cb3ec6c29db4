import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Analytics', none: 'Nobody has pledged yet.', reading_one: 'Reading: {count} pledge so far…', reading_other: 'Reading: {count} pledges so far…', pledged: 'Pledged', pledges_one: '{count} pledge in all', pledges_other: '{count} pledges in all', charged: 'Charged', fees: 'Fees', net: 'Net', standing: 'Standing pledges', lost: '{failed} failed, {dropped} given up, {cancelled} cancelled',
    progress: 'Toward the goal, day by day', by: 'Divided by', count: 'Pledges', share: 'Share', basis: 'Fees are', basis_actual: 'the processor’s', basis_estimated: 'estimated', basis_mixed: 'partly estimated', without: '(none)', others: '(others)', visits: 'Visits', rate: '{share} led to a pledge',
    categories: 'What it is for', days: 'Day', referrals: 'Referral', utmSources: 'UTM source', utmMediums: 'UTM medium', utmCampaigns: 'UTM campaign', utmContents: 'UTM content', fulfillmentTypes: 'Fulfilment', languages: 'Language',
    rewards: 'Rewards', support: 'Support', add_ons: 'Add-ons', platform_add_ons: 'Platform add-ons', shipping: 'Shipping', tax: 'Tax', tip: 'Tips',
  },
  es: {
    title: 'Analítica', none: 'Todavía nadie ha aportado.', reading_one: 'Leyendo: {count} aportación hasta ahora…', reading_other: 'Leyendo: {count} aportaciones hasta ahora…', reading_many: 'Leyendo: {count} de aportaciones hasta ahora…', pledged: 'Aportado', pledges_one: '{count} aportación en total', pledges_other: '{count} aportaciones en total', pledges_many: '{count} de aportaciones en total', charged: 'Cobrado', fees: 'Comisiones', net: 'Neto', standing: 'Aportaciones en pie', lost: '{failed} fallidas, {dropped} abandonadas, {cancelled} canceladas',
    progress: 'Hacia el objetivo, día a día', by: 'Dividido por', count: 'Aportaciones', share: 'Parte', basis: 'Las comisiones son', basis_actual: 'del procesador', basis_estimated: 'estimadas', basis_mixed: 'en parte estimadas', without: '(ninguna)', others: '(otras)', visits: 'Visitas', rate: '{share} llevaron a una aportación',
    categories: 'Para qué es', days: 'Día', referrals: 'Referencia', utmSources: 'Fuente UTM', utmMediums: 'Medio UTM', utmCampaigns: 'Campaña UTM', utmContents: 'Contenido UTM', fulfillmentTypes: 'Entrega', languages: 'Idioma',
    rewards: 'Recompensas', support: 'Apoyo', add_ons: 'Complementos', platform_add_ons: 'Complementos de la plataforma', shipping: 'Envío', tax: 'Impuestos', tip: 'Propinas',
  },
});
