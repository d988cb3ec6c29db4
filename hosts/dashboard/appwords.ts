import { speaker } from './words.ts';

export const say = speaker({
  en: {
    dashboard: 'Dashboard', tabs: 'Dashboard', home: 'Home', settings: 'Settings', 'add-ons': 'Add-ons', campaigns: 'Campaigns', analytics: 'Analytics', reports: 'Reports', supporters: 'Supporters', marketing: 'Marketing', account: 'Account',
    jump: 'Go to…', jump_title: 'Go to a campaign, a screen or an order', jump_find: 'Campaign, screen or order ID', jump_none: 'Nothing is called that.', jump_order: 'Order {id}',
  },
  es: {
    dashboard: 'Panel', tabs: 'Panel', home: 'Inicio', settings: 'Ajustes', 'add-ons': 'Complementos', campaigns: 'Campañas', analytics: 'Analítica', reports: 'Informes', supporters: 'Mecenas', marketing: 'Marketing', account: 'Cuenta',
    jump: 'Ir a…', jump_title: 'Ir a una campaña, una pantalla o un pedido', jump_find: 'Campaña, pantalla o ID de pedido', jump_none: 'No hay nada con ese nombre.', jump_order: 'Pedido {id}',
  },
});
