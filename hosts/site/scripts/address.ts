// The fields of an address, as browsers fill them in.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { lang, say } from './words.ts';

// ISO 3166 alpha-2.
const codes =
  'AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CD CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SK SL SM SN SO SR ST SV SX SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW';

export type Address = Schema['Address'];

const parts = [
  ['name', 'name', true],
  ['line1', 'address-line1', true],
  ['line2', 'address-line2', false],
  ['city', 'address-level2', true],
  ['state', 'address-level1', false],
  ['postalCode', 'postal-code', true],
] as const;

/** The fields of where something is sent, or only of where somebody is. */
export function addressFields(prefix: 'shippingAddress' | 'billingAddress', value: Address = {}): HTMLElement {
  const sent = prefix === 'shippingAddress';
  const fields = parts
    .filter(([name]) => sent || name === 'state' || name === 'postalCode')
    .map(([name, autocomplete, required]) =>
      h('label', {}, say(`address_${name}`), h('input', { name: `${prefix}.${name}`, autocomplete: (sent ? 'shipping ' : 'billing ') + autocomplete, maxlength: 120, required: sent && required, value: value[name] ?? '' })),
    );
  return h('fieldset', { 'data-address': prefix }, h('legend', {}, say(sent ? 'address_send' : 'address_where')), sent ? null : h('p', { class: 'small' }, say('address_why')), country(prefix, value.country ?? 'US'), ...fields);
}

function country(prefix: string, chosen: string): HTMLElement {
  const names = new Intl.DisplayNames([lang], { type: 'region' });
  const options = codes
    .split(' ')
    .map((code) => [code, names.of(code) ?? code] as const)
    .sort((a, b) => a[1].localeCompare(b[1], lang))
    .map(([code, name]) => h('option', { value: code, selected: code === chosen }, name));
  const auto = prefix === 'shippingAddress' ? 'shipping country' : 'billing country';
  return h('label', {}, say('address_country'), h('select', { name: `${prefix}.country`, autocomplete: auto }, ...options));
}

/** Reads the fields back; undefined where they are not on the page. */
export function readAddress(form: HTMLFormElement, prefix: 'shippingAddress' | 'billingAddress'): Address | undefined {
  if (!form.querySelector(`[data-address=${prefix}]`)) return undefined;
  const data = new FormData(form);
  const address: Record<string, string> = {};
  for (const name of ['name', 'line1', 'line2', 'city', 'state', 'postalCode', 'country']) {
    const value = String(data.get(`${prefix}.${name}`) ?? '').trim();
    if (value) address[name] = value;
  }
  return address;
}
