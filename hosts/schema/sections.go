package schema

// settingSection is a section of the dashboard's settings.
type settingSection struct {
	key, en, es string
	fields      []settingField
}

// settingSections returns the sections in the specified order.
func settingSections() []settingSection {
	return []settingSection{
		{"platform", "Platform", "Plataforma", []settingField{
			{"platform.name", "", words{"Name", "Nombre", "The name that supporters see.", "Lo que leen los mecenas en todas partes."}, nil},
			{"platform.company_name", "", words{"Company", "Empresa", "The legal entity. Shown at the end of every mail.", "Quién responde. Aparece al final de cada correo."}, nil},
			{"platform.postal_address", "", words{"Postal address", "Dirección postal", "In one line. Shown at the end of every mail.", "En una línea. Aparece al final de cada correo."}, nil},
			{"platform.support_email", Email, words{"Support address", "Correo de ayuda", "Where supporters can write.", "Adonde pueden escribir los mecenas."}, nil},
			{"platform.pledges_email_from", Sender, words{"Sender of mails about pledges", "Remitente de los correos de aportaciones", "An address, or a name with an address in angle brackets.", "Una dirección, o un nombre con la dirección entre ángulos."}, nil},
			{"platform.updates_email_from", Sender, words{"Sender of news", "Remitente de las novedades", "If empty, the sender of mails about pledges is used.", "Si está vacío, el de los correos de aportaciones."}, nil},
			{"platform.site_url", "", words{"Site address", "Dirección del sitio", "For example, https://example.org.", "Por ejemplo, https://example.org."}, nil},
			{"platform.worker_url", "", words{"Service address", "Dirección del servicio", "For example, https://pledge.example.org.", "Por ejemplo, https://pledge.example.org."}, nil},
			{"platform.timezone", "", words{"Time zone", "Zona horaria", "For the start and end of campaigns, and for reports.", "En la que empiezan y acaban las campañas y salen los informes."}, nil},
		}},
		{"brand_seo", "Brand and SEO", "Marca y SEO", []settingField{
			{"title", Text, words{"Site title", "Título del sitio", "", ""}, nil},
			{"description", Text, words{"Site description", "Descripción del sitio", "For search results.", "Para los buscadores."}, nil},
			{"platform.default_creator_name", Text, words{"Default creator", "Responsable si no se indica", "", ""}, nil},
			{"platform.logo_path", Media, words{"Logo", "Logotipo", "", ""}, nil},
			{"platform.favicon_path", Media, words{"Icon", "Icono", "Shown in browser tabs.", "Lo que los navegadores muestran en las pestañas."}, nil},
			{"seo.default_social_image_alt", Text, words{"Description of the social image", "Descripción de la imagen compartida", "", ""}, nil},
			{"seo.x_handle", Text, words{"X account", "Cuenta en X", "", ""}, nil},
			{"seo.merchant_return_policy.applicable_country", Country, words{"Country without returns", "País sin devoluciones", "For this country, search results state that rewards cannot be returned. If empty, the country of origin is used.", "Los buscadores dicen allí que las recompensas no se devuelven. Vacío es el país desde el que salen los paquetes."}, nil},
			{"seo.index_public_community_hub", Boolean, words{"Index community pages in search engines", "Los buscadores encuentran las páginas de comunidad", "", ""}, []option{initially("false")}},
		}},
		{"checkout", "Checkout", "Pago", []settingField{
			{"checkout.psp_publishable_key", "", words{"Publishable key", "Clave publicable", "The payment processor's public key. Without it, supporters pay on the payment processor's page.", "La clave del procesador que pueden ver los navegadores. Sin ella se paga en la página del procesador."}, nil},
			{"reminders.launch_unconfirmed", "", words{"Launch reminders without confirmation", "Avisos de inicio sin confirmar", "Sends reminders to addresses that were not confirmed.", "Acepta cualquier dirección sin comprobarla."}, nil},
			{"reminders.challenge_site_key", "", words{"Challenge site key", "Clave del sitio de la comprobación", "The site key of Cloudflare Turnstile.", "De Cloudflare Turnstile."}, nil},
			{"reminders.abandoned_cart_delay_seconds", "", words{"Checkout reminder", "Recordatorio de un pago", "How long after the start of a checkout, for supporters who opted in.", "Cuánto después de empezar, para quien marcó la casilla."}, nil},
		}},
		{"pricing", "Pricing", "Precios", []settingField{
			{"pricing.sales_tax_rate", "", words{"Tax rate", "Tasa de impuestos", "A fraction such as 0.07875. Used only with the provider for a single rate.", "Una fracción como 0.07875, solo con el proveedor de una tasa."}, nil},
			{"pricing.default_tip_percent", Percent, words{"Default tip", "Propina propuesta", "", ""}, nil},
			{"pricing.max_tip_percent", Percent, words{"Maximum tip", "Propina máxima", "", ""}, nil},
		}},
		{"tax", "Tax", "Impuestos", []settingField{
			{"tax.provider", "", words{"Provider", "Proveedor", "How tax is calculated.", "Cómo se calculan los impuestos."}, nil},
			{"tax.origin_country", "", words{"Country of sale", "País de venta", "", ""}, nil},
			{"tax.use_regional_origin", "", words{"Use state of origin", "Venta desde un estado", "The state is derived from the postal code of the origin.", "El estado del código postal desde el que salen los paquetes."}, nil},
			{"tax.collect", "", words{"Where tax is collected", "Dónde se recaudan impuestos", "For example US-NM, CA, EU, or everywhere. If empty, only at the origin.", "Por ejemplo US-NM, CA, EU o everywhere. Vacío es el origen."}, nil},
			{"tax.nm_grt_api_base", "", words{"New Mexico lookup address", "Dirección de la consulta de Nuevo México", "If empty, the state's own service is used.", "Vacío es la del estado."}, nil},
			{"tax.nm_grt_base_rate", "", words{"New Mexico's base rate", "Tasa base de Nuevo México", "Used if the location is not known.", "Se usa cuando no se conoce el lugar."}, nil},
			{"tax.local_tax_api_base", "", words{"Address lookup service", "Dirección de la consulta por dirección", "If empty, ZIP.TAX is used.", "Vacío es ZIP.TAX."}, nil},
		}},
		{"shipping", "Shipping", "Envío", []settingField{
			{"shipping.origin_zip", "", words{"Origin postal code", "Código postal de origen", "Where parcels are shipped from.", "Desde donde salen los paquetes."}, nil},
			{"shipping.origin_country", "", words{"Origin country", "País de origen", "", ""}, nil},
			{"shipping.fallback_flat_rate", "", words{"Fallback rate", "Tarifa por defecto", "The shipping cost if no carrier rate is available.", "Lo que cuesta un envío sin mejor tarifa."}, nil},
			{"shipping.free_shipping_default", "", words{"Free shipping", "Envío gratis", "Unless a campaign overrides it.", "Salvo que una campaña diga otra cosa."}, nil},
			{"shipping.default_option", "", words{"Default delivery option", "Entrega habitual", "", ""}, nil},
			{"shipping.carrier.enabled", "", words{"Use carrier rates", "Pedir tarifas al transportista", "", ""}, nil},
			{"shipping.carrier.price_type", "", words{"Carrier price type", "Precios del transportista", "", ""}, nil},
			{"shipping.carrier.client_id", "", words{"Carrier account", "Cuenta en el transportista", "", ""}, nil},
			{"shipping.carrier.api_base", "", words{"Carrier API address", "Dirección de la API del transportista", "", ""}, nil},
			{"shipping.carrier.timeout_ms", "", words{"Rate request timeout", "Espera de una tarifa", "", ""}, nil},
			{"shipping.carrier.quote_cache_ttl_seconds", "", words{"Rate cache duration", "Guardar una tarifa", "", ""}, nil},
			{"shipping.carrier.failure_cooldown_seconds", "", words{"Pause after a failure", "Pausa tras un fallo", "", ""}, nil},
			{"shipping.carrier.rate_limit_cooldown_seconds", "", words{"Pause after rate limiting", "Pausa tras demasiadas consultas", "", ""}, nil},
		}},
		{"campaign_runner_reports", "Campaign runner reports", "Informes para responsables", []settingField{
			{"reports.campaign_runner.enabled", "", words{"Send reports", "Enviar informes", "", ""}, nil},
			{"reports.campaign_runner.send_hour", "", words{"Hour", "Hora", "When daily reports are sent, in the platform's time zone.", "A partir de la que salen los informes del día, en la zona horaria de la plataforma."}, nil},
		}},
		{"design", "Design", "Diseño", []settingField{
			{"design.font_body", Text, words{"Body font", "Letra de los textos", "Font names, separated by commas.", "Nombres separados por comas."}, []option{matching(FontStack)}},
			{"design.font_display", Text, words{"Heading font", "Letra de los títulos", "Font names, separated by commas.", "Nombres separados por comas."}, []option{matching(FontStack)}},
			{"design.color_text", Color, words{"Text", "Texto", "", ""}, []option{matching(HexColor)}},
			{"design.color_text_muted", Color, words{"Muted text", "Texto secundario", "", ""}, []option{matching(HexColor)}},
			{"design.color_surface_subtle", Color, words{"Subtle background", "Fondo secundario", "", ""}, []option{matching(HexColor)}},
			{"design.color_border", Color, words{"Borders", "Líneas", "", ""}, []option{matching(HexColor)}},
			{"design.color_primary", Color, words{"Primary color", "Color principal", "", ""}, []option{matching(HexColor)}},
			{"design.color_highlight", Color, words{"Highlight", "Resalte", "", ""}, []option{matching(HexColor)}},
			{"design.radius_lg", Text, words{"Corner radius", "Redondez de las esquinas", "A length such as 12px or 0.75rem.", "Una medida como 12px o 0.75rem."}, []option{matching(LengthToken)}},
		}},
		{"users", "Users", "Usuarios", nil},
		{"admin_sessions", "Admin sessions", "Sesiones", nil},
		{"audit_log", "Audit log", "Registro de cambios", nil},
		{"plan_usage", "Plan usage", "Uso del plan", nil},
		{"advanced_performance", "Advanced performance", "Rendimiento", []settingField{
			{"performance.intent_prefetch_enabled", "", words{"Prefetch pages", "Cargar páginas por adelantado", "Load public pages before they are clicked.", "Las páginas públicas se cargan antes de pulsarlas."}, nil},
			{"performance.intent_prefetch_delay_ms", "", words{"Prefetch delay", "Tras señalar durante", "How long a link must be hovered or focused.", "O tener el foco."}, nil},
			{"performance.intent_prefetch_limit", "", words{"Maximum per page", "Máximo por página", "", ""}, nil},
			{"cache.live_stats_ttl_seconds", "", words{"Cache duration of numbers", "Los navegadores guardan cifras", "", ""}, nil},
			{"cache.live_inventory_ttl_seconds", "", words{"Cache duration of stock", "Los navegadores guardan existencias", "", ""}, nil},
		}},
		{"debug", "Debug", "Depuración", nil},
		{"secrets", "Secrets and credentials", "Secretos y credenciales", nil},
		{"runtime_diagnostics", "Runtime diagnostics", "Diagnóstico", nil},
	}
}
