package schema

// settingSection is a section of the dashboard.
type settingSection struct {
	key, en, es string
	fields      []settingField
}

// settingSections are in the order that the specification has.
func settingSections() []settingSection {
	return []settingSection{
		{"platform", "Platform", "Plataforma", []settingField{
			{"platform.name", "", words{"Name", "Nombre", "What supporters read everywhere.", "Lo que leen los mecenas en todas partes."}, nil},
			{"platform.company_name", "", words{"Company", "Empresa", "Who is answerable. It stands at the end of every mail.", "Quién responde. Aparece al final de cada correo."}, nil},
			{"platform.postal_address", "", words{"Postal address", "Dirección postal", "In one line. It stands at the end of every mail.", "En una línea. Aparece al final de cada correo."}, nil},
			{"platform.support_email", Email, words{"Support address", "Correo de ayuda", "Where supporters can write.", "Adonde pueden escribir los mecenas."}, nil},
			{"platform.pledges_email_from", Sender, words{"Sender of mails about pledges", "Remitente de los correos de aportaciones", "An address, or a name with an address in angle brackets.", "Una dirección, o un nombre con la dirección entre ángulos."}, nil},
			{"platform.updates_email_from", Sender, words{"Sender of news", "Remitente de las novedades", "The sender of mails about pledges where it is empty.", "Si está vacío, el de los correos de aportaciones."}, nil},
			{"platform.site_url", "", words{"Address of the site", "Dirección del sitio", "Such as https://example.org.", "Por ejemplo, https://example.org."}, nil},
			{"platform.worker_url", "", words{"Address of the service", "Dirección del servicio", "Such as https://pledge.example.org.", "Por ejemplo, https://pledge.example.org."}, nil},
			{"platform.timezone", "", words{"Time zone", "Zona horaria", "In which campaigns start and end, and reports leave.", "En la que empiezan y acaban las campañas y salen los informes."}, nil},
		}},
		{"brand_seo", "Brand and SEO", "Marca y SEO", []settingField{
			{"title", Text, words{"Title of the site", "Título del sitio", "", ""}, nil},
			{"description", Text, words{"Description of the site", "Descripción del sitio", "For search results.", "Para los buscadores."}, nil},
			{"platform.default_creator_name", Text, words{"Creator where none is named", "Responsable si no se indica", "", ""}, nil},
			{"platform.logo_path", Media, words{"Logo", "Logotipo", "", ""}, nil},
			{"platform.favicon_path", Media, words{"Icon", "Icono", "What browsers show in tabs.", "Lo que los navegadores muestran en las pestañas."}, nil},
			{"seo.default_social_image_alt", Text, words{"Description of the shared picture", "Descripción de la imagen compartida", "", ""}, nil},
			{"seo.x_handle", Text, words{"Account at X", "Cuenta en X", "", ""}, nil},
			{"seo.merchant_return_policy.applicable_country", Country, words{"Country without returns", "País sin devoluciones", "Search results say there that rewards are not taken back. Empty is the country that parcels leave from.", "Los buscadores dicen allí que las recompensas no se devuelven. Vacío es el país desde el que salen los paquetes."}, nil},
			{"seo.index_public_community_hub", Boolean, words{"Search engines find community pages", "Los buscadores encuentran las páginas de comunidad", "", ""}, []option{initially("false")}},
		}},
		{"checkout", "Checkout", "Pago", []settingField{
			{"checkout.psp_publishable_key", "", words{"Publishable key", "Clave publicable", "The processor's key that browsers may see. Without it supporters pay on the processor's page.", "La clave del procesador que pueden ver los navegadores. Sin ella se paga en la página del procesador."}, nil},
			{"reminders.launch_unconfirmed", "", words{"Launch reminders without confirmation", "Avisos de inicio sin confirmar", "Takes every address at its word.", "Acepta cualquier dirección sin comprobarla."}, nil},
			{"reminders.challenge_site_key", "", words{"Site key of the challenge", "Clave del sitio de la comprobación", "Of Cloudflare Turnstile.", "De Cloudflare Turnstile."}, nil},
			{"reminders.abandoned_cart_delay_seconds", "", words{"Reminder of a checkout", "Recordatorio de un pago", "How long after its start, for those who ticked the box.", "Cuánto después de empezar, para quien marcó la casilla."}, nil},
		}},
		{"pricing", "Pricing", "Precios", []settingField{
			{"pricing.sales_tax_rate", "", words{"Tax rate", "Tasa de impuestos", "A fraction such as 0.07875, with the provider for one rate alone.", "Una fracción como 0.07875, solo con el proveedor de una tasa."}, nil},
			{"pricing.default_tip_percent", Percent, words{"Proposed tip", "Propina propuesta", "", ""}, nil},
			{"pricing.max_tip_percent", Percent, words{"Highest tip", "Propina máxima", "", ""}, nil},
		}},
		{"tax", "Tax", "Impuestos", []settingField{
			{"tax.provider", "", words{"Provider", "Proveedor", "How tax is worked out.", "Cómo se calculan los impuestos."}, nil},
			{"tax.origin_country", "", words{"Country sold from", "País de venta", "", ""}, nil},
			{"tax.use_regional_origin", "", words{"Sold from a state", "Venta desde un estado", "The state of the postal code that parcels leave from.", "El estado del código postal desde el que salen los paquetes."}, nil},
			{"tax.collect", "", words{"Where tax is collected", "Dónde se recaudan impuestos", "Such as US-NM, CA, EU, or everywhere. Empty is the origin.", "Por ejemplo US-NM, CA, EU o everywhere. Vacío es el origen."}, nil},
			{"tax.nm_grt_api_base", "", words{"Address of the New Mexico lookup", "Dirección de la consulta de Nuevo México", "Empty is the state's own.", "Vacío es la del estado."}, nil},
			{"tax.nm_grt_base_rate", "", words{"New Mexico's base rate", "Tasa base de Nuevo México", "Taken where no place is known.", "Se usa cuando no se conoce el lugar."}, nil},
			{"tax.local_tax_api_base", "", words{"Address of the lookup by address", "Dirección de la consulta por dirección", "Empty is ZIP.TAX.", "Vacío es ZIP.TAX."}, nil},
		}},
		{"shipping", "Shipping", "Envío", []settingField{
			{"shipping.origin_zip", "", words{"Postal code of the origin", "Código postal de origen", "Where parcels leave from.", "Desde donde salen los paquetes."}, nil},
			{"shipping.origin_country", "", words{"Country of the origin", "País de origen", "", ""}, nil},
			{"shipping.fallback_flat_rate", "", words{"Fallback rate", "Tarifa por defecto", "What a shipment costs where no better quote is to be had.", "Lo que cuesta un envío sin mejor tarifa."}, nil},
			{"shipping.free_shipping_default", "", words{"Free shipping", "Envío gratis", "Unless a campaign says otherwise.", "Salvo que una campaña diga otra cosa."}, nil},
			{"shipping.default_option", "", words{"Usual delivery", "Entrega habitual", "", ""}, nil},
			{"shipping.carrier.enabled", "", words{"Ask the carrier for rates", "Pedir tarifas al transportista", "", ""}, nil},
			{"shipping.carrier.price_type", "", words{"Prices of the carrier", "Precios del transportista", "", ""}, nil},
			{"shipping.carrier.client_id", "", words{"Account at the carrier", "Cuenta en el transportista", "", ""}, nil},
			{"shipping.carrier.api_base", "", words{"Address of the carrier's API", "Dirección de la API del transportista", "", ""}, nil},
			{"shipping.carrier.timeout_ms", "", words{"Wait for a quote", "Espera de una tarifa", "", ""}, nil},
			{"shipping.carrier.quote_cache_ttl_seconds", "", words{"Keep a quote", "Guardar una tarifa", "", ""}, nil},
			{"shipping.carrier.failure_cooldown_seconds", "", words{"Pause after a failure", "Pausa tras un fallo", "", ""}, nil},
			{"shipping.carrier.rate_limit_cooldown_seconds", "", words{"Pause after too many questions", "Pausa tras demasiadas consultas", "", ""}, nil},
		}},
		{"campaign_runner_reports", "Campaign runner reports", "Informes para responsables", []settingField{
			{"reports.campaign_runner.enabled", "", words{"Send reports", "Enviar informes", "", ""}, nil},
			{"reports.campaign_runner.send_hour", "", words{"Hour", "Hora", "From which the day's reports leave, in the platform's time zone.", "A partir de la que salen los informes del día, en la zona horaria de la plataforma."}, nil},
		}},
		{"design", "Design", "Diseño", []settingField{
			{"design.font_body", Text, words{"Font of texts", "Letra de los textos", "Names with commas between them.", "Nombres separados por comas."}, []option{matching(FontStack)}},
			{"design.font_display", Text, words{"Font of headings", "Letra de los títulos", "Names with commas between them.", "Nombres separados por comas."}, []option{matching(FontStack)}},
			{"design.color_text", Color, words{"Text", "Texto", "", ""}, []option{matching(HexColor)}},
			{"design.color_text_muted", Color, words{"Quiet text", "Texto secundario", "", ""}, []option{matching(HexColor)}},
			{"design.color_surface_subtle", Color, words{"Quiet background", "Fondo secundario", "", ""}, []option{matching(HexColor)}},
			{"design.color_border", Color, words{"Lines", "Líneas", "", ""}, []option{matching(HexColor)}},
			{"design.color_primary", Color, words{"Main color", "Color principal", "", ""}, []option{matching(HexColor)}},
			{"design.color_highlight", Color, words{"Highlight", "Resalte", "", ""}, []option{matching(HexColor)}},
			{"design.radius_lg", Text, words{"Roundness of corners", "Redondez de las esquinas", "A length such as 12px or 0.75rem.", "Una medida como 12px o 0.75rem."}, []option{matching(LengthToken)}},
		}},
		{"users", "Users", "Usuarios", nil},
		{"admin_sessions", "Admin sessions", "Sesiones", nil},
		{"audit_log", "Audit log", "Registro de cambios", nil},
		{"plan_usage", "Plan usage", "Uso del plan", nil},
		{"advanced_performance", "Advanced performance", "Rendimiento", []settingField{
			{"performance.intent_prefetch_enabled", "", words{"Fetch pages ahead", "Cargar páginas por adelantado", "Public pages are fetched before they are clicked.", "Las páginas públicas se cargan antes de pulsarlas."}, nil},
			{"performance.intent_prefetch_delay_ms", "", words{"After hovering for", "Tras señalar durante", "Or having the focus.", "O tener el foco."}, nil},
			{"performance.intent_prefetch_limit", "", words{"At most per page", "Máximo por página", "", ""}, nil},
			{"cache.live_stats_ttl_seconds", "", words{"Browsers keep numbers", "Los navegadores guardan cifras", "", ""}, nil},
			{"cache.live_inventory_ttl_seconds", "", words{"Browsers keep stock", "Los navegadores guardan existencias", "", ""}, nil},
		}},
		{"debug", "Debug", "Depuración", nil},
		{"secrets", "Secrets and credentials", "Secretos y credenciales", nil},
		{"runtime_diagnostics", "Runtime diagnostics", "Diagnóstico", nil},
	}
}
