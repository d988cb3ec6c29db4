package schema

// settingSection is a section of the dashboard's settings page.
type settingSection struct {
	key, en, es string
	groups      []settingGroup
}

// settingGroup is a group of settings within a section. The fields of a group without a key are at
// the top of the form, without a heading.
type settingGroup struct {
	key string
	words
	fields []settingField
}

// ungrouped returns the groups of a section that has no headings.
func ungrouped(fields ...settingField) []settingGroup {
	return []settingGroup{{fields: fields}}
}

// settingSections returns the sections in the specified order.
func settingSections() []settingSection {
	color := []option{matching(HexColor)}
	return []settingSection{
		{"platform", "Platform", "Plataforma", []settingGroup{
			{"operator", words{"Operator", "Responsable del sitio", "Supporters see these details and can reach you with them.",
				"Los mecenas ven estos datos y pueden contactarte con ellos."}, []settingField{
				{"platform.name", "",
					words{"Name", "Nombre", "Shown everywhere supporters read.", "Se muestra en todo lo que leen los mecenas."}, nil},
				{"platform.company_name", "",
					words{"Legal name", "Razón social", "In the footer of every email.", "Al pie de cada correo."}, nil},
				{"platform.postal_address", "", words{"Postal address", "Dirección postal",
					"Required by law in the footer of bulk email.", "La ley la exige al pie de los correos masivos."}, nil},
				{"platform.support_email", Email, words{"Support email", "Correo de ayuda", "", ""}, nil},
			}},
			{"senders", words{"Email senders", "Remitentes", "Both addresses must belong to a verified domain.",
				"Ambas direcciones deben ser de un dominio verificado."}, []settingField{
				{"platform.pledges_email_from", Sender, words{"Pledge emails", "Correos de aportaciones",
					"Receipts, failed payments, parcels.", "Recibos, pagos fallidos, paquetes."}, nil},
				{"platform.updates_email_from", Sender, words{"Updates sender", "Remitente de novedades",
					"Diary entries, blasts, launch reminders.", "Entradas del diario, envíos y avisos de lanzamiento."},
					[]option{inherits("platform.pledges_email_from")}},
			}},
			{"addresses", words{"Addresses and time", "Direcciones y hora", "", ""}, []settingField{
				{"platform.site_url", "", words{"Site address", "Dirección del sitio", "", ""}, []option{installed}},
				{"platform.worker_url", "", words{"Service address", "Dirección del servicio", "", ""}, []option{installed}},
				{"platform.timezone", "", words{"Time zone", "Zona horaria", "Campaigns start, end and are charged in this zone.",
					"Las campañas empiezan, terminan y se cobran en esta zona."}, nil},
			}},
		}},
		{"brand_seo", "Brand and SEO", "Marca y SEO", ungrouped(
			settingField{"title", Text, words{"Site title", "Título del sitio", "", ""}, nil},
			settingField{"description", Text, words{"Site description", "Descripción del sitio", "Shown in search results.",
				"Se muestra en los buscadores."}, []option{control(LongTextControl)}},
			settingField{"platform.default_creator_name", Text, words{"Default creator", "Responsable predeterminado",
				"Named where a campaign has no creator.", "Se nombra si la campaña no indica responsable."}, nil},
			settingField{"platform.logo_path", Media, words{"Logo", "Logotipo", "", ""}, nil},
			settingField{"platform.favicon_path", Media,
				words{"Icon", "Icono", "Shown in browser tabs.", "Se muestra en las pestañas del navegador."}, nil},
			settingField{"seo.default_social_image_alt", Text, words{"Alt text of the share picture",
				"Texto alternativo de la imagen compartida", "Read aloud where a link to the site is shared.",
				"Se lee en voz alta donde se comparte un enlace al sitio."}, nil},
			settingField{"seo.x_handle", Text, words{"X account", "Cuenta en X", "", ""}, nil},
			settingField{"seo.merchant_return_policy.applicable_country", Country, words{"No-returns policy for",
				"Sin devoluciones en", "Search engines in this country show that rewards cannot be returned.",
				"En este país, los buscadores indican que las recompensas no se devuelven."},
				[]option{inherits("shipping.origin_country")}},
			settingField{"seo.index_public_community_hub", Boolean, words{"Let search engines list community pages",
				"Mostrar la comunidad en los buscadores", "", ""}, []option{initially("false")}},
		)},
		{"checkout", "Checkout", "Proceso de pago", ungrouped(
			settingField{"checkout.psp_publishable_key", "", words{"Processor's publishable key",
				"Clave publicable del procesador", "Without it, supporters enter their card on the payment processor's page.",
				"Sin ella, los mecenas escriben su tarjeta en la página del procesador de pagos."}, nil},
			settingField{"reminders.abandoned_cart_delay_seconds", "",
				words{"Remind of an unfinished pledge after", "Recordar una aportación sin terminar tras",
					"Only supporters who asked for it.", "Solo a quienes lo pidieron."}, nil},
			settingField{"reminders.launch_unconfirmed", "",
				words{"Skip confirming launch reminders", "No pedir confirmación para los avisos de lanzamiento",
					"No link to confirm is emailed, so anyone can sign up an address that is not theirs.",
					"No se envía un enlace para confirmar, así que cualquiera puede apuntar direcciones ajenas."}, nil},
			settingField{"reminders.challenge_site_key", "", words{"Cloudflare Turnstile site key",
				"Clave de sitio de Cloudflare Turnstile", "Keeps bots out of launch reminders. Empty: no check.",
				"Evita robots en los avisos de lanzamiento. Vacía: sin comprobación."}, nil},
		)},
		{"pricing", "Pricing", "Precios", []settingGroup{
			{"tips", words{"Tips", "Propinas", "Supporters can add a tip for the platform at checkout.",
				"Los mecenas pueden añadir una propina para la plataforma al pagar."}, []settingField{
				{"pricing.default_tip_percent", Percent,
					words{"Suggested tip", "Propina sugerida", "Selected when checkout opens. Set 0 to suggest none.",
						"Aparece seleccionada al pagar. Con 0 no se sugiere ninguna."}, nil},
				{"pricing.max_tip_percent", Percent, words{"Maximum tip", "Propina máxima", "", ""}, nil},
			}},
			{"sales_tax", words{"Sales tax", "Impuesto sobre las ventas", "Used only while Tax is set to one flat rate.",
				"Solo se usa si en Impuestos se elige un tipo fijo."}, []settingField{
				{"pricing.sales_tax_rate", "", words{"Tax rate", "Tipo impositivo", "Applied to everything that is not digital.",
					"Se aplica a todo lo que no es digital."}, nil},
			}},
		}},
		{"tax", "Tax", "Impuestos", []settingGroup{
			{fields: []settingField{
				{"tax.provider", "", words{"Tax calculation", "Cálculo de impuestos", "", ""}, nil},
				{"tax.origin_country", "", words{"Country you sell from", "País desde el que vendes", "", ""}, nil},
				{"tax.use_regional_origin", "", words{"Use the rate of your own state", "Usar el tipo impositivo de tu estado",
					"By the postal code that parcels ship from.", "Según el código postal desde el que salen los paquetes."}, nil},
				{"tax.collect", "", words{"Collect tax in", "Recaudar impuestos en", "Empty: only where you sell from.",
					"Vacío: solo en el lugar desde el que vendes."}, []option{control(CountriesControl)}},
			}},
			{"lookup", words{"Rate lookup", "Consulta de tipos impositivos", "", ""}, []settingField{
				{"tax.nm_grt_api_base", "", words{"New Mexico lookup service", "Consulta de Nuevo México",
					"Empty: the state's own service.", "Vacío: la del propio estado."}, []option{onlyIf("tax.provider", "nm_grt")}},
				{"tax.nm_grt_base_rate", "", words{"New Mexico base rate", "Tipo base de Nuevo México",
					"Used if the place is not known.", "Si no se conoce el lugar."}, []option{onlyIf("tax.provider", "nm_grt")}},
				{"tax.local_tax_api_base", "", words{"Address lookup service", "Consulta por dirección", "Empty: ZIP.TAX.",
					"Vacío: ZIP.TAX."}, []option{onlyIf("tax.provider", "local_tax_api")}},
			}},
		}},
		{"shipping", "Shipping", "Envío", []settingGroup{
			{fields: []settingField{
				{"shipping.origin_zip", "", words{"Ships from postal code", "Código postal de origen", "", ""}, nil},
				{"shipping.origin_country", "", words{"Ships from country", "País de origen", "", ""}, nil},
				{"shipping.excluded_countries", "", words{"Countries excluded from shipping",
					"Países excluidos del envío", "Nothing is shipped there. Default: countries under a US embargo.",
					"Ahí no se envía nada. De inicio, los países bajo embargo de EE. UU."}, []option{control(CountriesControl)}},
				{"shipping.fallback_flat_rate", "", words{"Flat rate", "Tarifa fija", "Used when no carrier quote is available.",
					"Si no hay tarifa del transportista."}, nil},
				{"shipping.free_shipping_default", "",
					words{"Free shipping", "Envío gratis", "Supporters pay no shipping, unless a campaign sets its own.",
						"Los mecenas no pagan envío, salvo que la campaña indique otra cosa."}, nil},
				{"shipping.default_option", "", words{"Delivery option", "Opción de entrega", "", ""}, nil},
			}},
			{"carrier", words{"Carrier quotes", "Tarifas del transportista", "", ""}, []settingField{
				{"shipping.carrier.enabled", "", words{"Use carrier quotes",
					"Usar tarifas del transportista", "Needs an account with the carrier. Off: the flat rate.",
					"Requiere una cuenta en el transportista. Si no, la tarifa fija."}, nil},
				{"shipping.carrier.price_type", "", words{"Prices", "Precios", "", ""}, []option{carrier}},
				{"shipping.carrier.client_id", "", words{"Carrier account", "Cuenta en el transportista", "", ""},
					[]option{carrier}},
				{"shipping.carrier.api_base", "", words{"Carrier service", "Servicio del transportista", "", ""},
					[]option{carrier}},
				{"shipping.carrier.timeout_ms", "", words{"Quote timeout", "Espera máxima", "", ""}, []option{carrier}},
				{"shipping.carrier.quote_cache_ttl_seconds", "", words{"Keep quotes for", "Guardar las tarifas durante", "", ""},
					[]option{carrier}},
				{"shipping.carrier.failure_cooldown_seconds", "", words{"Pause after a failure", "Pausa tras un fallo", "", ""},
					[]option{carrier}},
				{"shipping.carrier.rate_limit_cooldown_seconds", "",
					words{"Pause after rate limit", "Pausa tras el límite", "", ""}, []option{carrier}},
			}},
		}},
		{"campaign_runner_reports", "Campaign runner reports", "Informes para responsables", ungrouped(
			settingField{"reports.campaign_runner.enabled", "", words{"Send reports", "Enviar informes",
				"To each campaign's recipients.", "A los destinatarios de cada campaña."}, nil},
			settingField{"reports.campaign_runner.send_hour", "", words{"Send at", "Enviar a las",
				"In the platform's time zone.", "En la zona horaria de la plataforma."}, []option{unit("hour")}},
		)},
		{"design", "Design", "Diseño", []settingGroup{
			{"colors", words{"Colors", "Colores", "Public pages use these in light mode. Dark mode is derived from them.",
				"Las páginas públicas los usan en modo claro. El modo oscuro se deduce de ellos."}, []settingField{
				{"design.color_primary", Color, words{"Main color", "Color principal", "", ""}, color},
				{"design.color_highlight", Color,
					words{"Highlight", "Resalte", "Progress beyond the goal.", "El avance más allá de la meta."}, color},
				{"design.color_text", Color, words{"Text", "Texto", "", ""}, color},
				{"design.color_text_muted", Color, words{"Secondary text", "Texto secundario", "", ""}, color},
				{"design.color_surface_subtle", Color, words{"Soft background", "Fondo suave", "", ""}, color},
				{"design.color_border", Color, words{"Borders", "Bordes", "", ""}, color},
			}},
			{"type", words{"Type and shape", "Letra y forma", "", ""}, []settingField{
				{"design.font_body", Text, words{"Body font", "Letra de los textos", "", ""},
					[]option{matching(FontStack), control(TextControl)}},
				{"design.font_display", Text, words{"Heading font", "Letra de los títulos", "", ""},
					[]option{matching(FontStack), control(TextControl)}},
				{"design.radius_lg", Text, words{"Corner radius", "Radio de las esquinas", "", ""},
					[]option{matching(LengthToken), control(LengthControl)}},
			}},
		}},
		{"users", "Users", "Usuarios", nil},
		{"admin_sessions", "Admin sessions", "Sesiones", nil},
		{"audit_log", "Audit log", "Registro de cambios", nil},
		{"plan_usage", "Plan usage", "Uso del plan", nil},
		{"advanced_performance", "Advanced performance", "Rendimiento", ungrouped(
			settingField{"performance.intent_prefetch_enabled", "", words{"Preload pages", "Precargar páginas",
				"Public pages load before they are clicked.", "Las páginas públicas se cargan antes de pulsarlas."}, nil},
			settingField{"performance.intent_prefetch_delay_ms", "",
				words{"Delay after hover", "Retardo al pasar el cursor", "", ""}, []option{prefetch}},
			settingField{"performance.intent_prefetch_limit", "",
				words{"Maximum preloaded pages", "Máximo de páginas precargadas", "", ""}, []option{prefetch}},
			settingField{"cache.live_stats_ttl_seconds", "", words{"Cache live figures for", "Guardar cifras en caché durante",
				"Supporters may see sums this old.", "Los mecenas pueden ver cifras de esa antigüedad."}, nil},
			settingField{"cache.live_inventory_ttl_seconds", "", words{"Cache stock for",
				"Guardar existencias en caché durante", "Supporters may see stock this old. Checkout always checks it.",
				"Los mecenas pueden ver existencias de esa antigüedad. Al pagar siempre se comprueban."}, nil},
		)},
		{"debug", "Debug", "Depuración", nil},
		{"secrets", "Secrets and credentials", "Secretos y credenciales", nil},
		{"runtime_diagnostics", "Runtime diagnostics", "Diagnóstico", nil},
	}
}

var (
	carrier  = onlyIf("shipping.carrier.enabled", "true")
	prefetch = onlyIf("performance.intent_prefetch_enabled", "", "true")
)

// installed locks a setting that is configured where the service is installed.
func installed(f *Field) { f.Locked = &Lock{Rule: ReadOnly} }
