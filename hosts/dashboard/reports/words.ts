import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Reports', report: 'Report', pledges: 'Pledges', fulfillment: 'Fulfilment', pledges_what: 'What was pledged, by whom, with all sums.', fulfillment_what: 'What has to be made and sent, and where, without any sums.', csv: 'Download CSV', carrier_csv: 'Download CSV for carriers', xlsx: 'Download workbook', print: 'Print this page',
    no_index: 'Nobody has pledged yet.', back: 'Back', next: 'Next page', accounting: 'Accounting', accounting_what: 'What charges brought, one journal of double entry a day.', 'xero.csv': 'For Xero', 'quickbooks.csv': 'For QuickBooks Online', 'journal.txt': 'For plain-text ledgers',
  },
  es: {
    title: 'Informes', report: 'Informe', pledges: 'Aportaciones', fulfillment: 'Entrega', pledges_what: 'Qué se ha aportado y quién, con todos los importes.', fulfillment_what: 'Qué hay que hacer y enviar, y adónde, sin importes.', csv: 'Descargar CSV', carrier_csv: 'Descargar CSV para transportistas', xlsx: 'Descargar libro', print: 'Imprimir esta página',
    no_index: 'Todavía nadie ha aportado.', back: 'Atrás', next: 'Página siguiente', accounting: 'Contabilidad', accounting_what: 'Lo que trajeron los cobros, un asiento de partida doble al día.', 'xero.csv': 'Para Xero', 'quickbooks.csv': 'Para QuickBooks Online', 'journal.txt': 'Para libros en texto',
  },
});
