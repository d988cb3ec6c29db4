package schema

import (
	"fmt"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/shipping"
)

func (t locale) campaign() Document {
	return Document{Ignored: []string{"layout", "state", "pledged_amount", "progress_background", "custom_late_support"}, Sections: []Section{
		{"settings", t.choose("Settings", "Ajustes"), t.campaignSettings()},
		{"content", t.choose("Content", "Contenido"), t.content()},
		{"tiers", t.choose("Tiers", "Recompensas"), t.tiers()},
		{"support_items", t.choose("Support Items", "Necesidades"), t.supportItems()},
		{"add_ons", t.choose("Add-Ons", "Complementos"), []Field{t.addOnList("campaign_add_ons")}},
		{"stretch_goals", t.choose("Stretch Goals", "Metas adicionales"), t.stretchGoals()},
		{"ongoing_items", t.choose("Ongoing Items", "Gastos continuos"), t.ongoing()},
		{"diary", t.choose("Diary Entries", "Diario"), t.diary()},
		{"decisions", t.choose("Decisions", "Decisiones"), t.decisions()},
	}}
}

func (t locale) campaignSettings() []Field {
	var categories []string
	for _, c := range campaign.Categories() {
		categories = append(categories, c, c, categoriesES[c])
	}
	fields := []Field{
		t.text("title", campaign.MaxTitle, words{"Title", "Título", "The campaign's name.", "Cómo se llama la campaña en todas partes."}, required, atLeast(1)),
		t.text("slug", campaign.MaxSlug, words{"Address", "Dirección", "The last part of the page's address. If left out, it is derived from the title. Do not change it once the campaign is public.", "El final de la dirección de la página. Si falta, se deduce del título; no la cambies cuando la campaña sea pública."}, matching(slugPattern), readOnly),
		t.text("short_blurb", campaign.MaxBlurb, words{"Summary", "Resumen", "One or two sentences, for cards and search results.", "Una o dos frases, para las tarjetas y los buscadores."}),
		t.field("category", Choice, words{"Category", "Categoría", "The kind of project.", "Qué se está creando."}, t.choices(categories...)),
		t.field("goal_amount", Money, words{"Goal", "Meta", "The amount that must be pledged by the deadline. Otherwise no cards are charged.", "Lo que debe aportarse antes de la fecha límite para que se cobre a alguien."}, between(0, float64(campaign.MaxGoal)), whenPublic),
		t.field("start_date", DateTime, words{"Start", "Inicio", "When supporters can start pledging, in the platform's time zone unless the time includes one.", "Cuándo se abren las aportaciones, en la zona horaria de la plataforma salvo que la hora indique otra."}, whenPublic),
		t.field("goal_deadline", DateTime, words{"Deadline", "Fecha límite", "When the campaign ends. A date without a time means the end of that day.", "El último momento en que cuentan las aportaciones. Una fecha sola es el final de ese día."}, whenPublic),
		t.field("published", Boolean, words{"Published", "Publicada", "Show the campaign on the site.", "La campaña está en el sitio."}, initially("true")),
		t.field("preview_only", Boolean, words{"Preview only", "Solo vista previa", "Only people with a link can see the page.", "Solo quienes tienen un enlace ven la página."}, initially("false")),
		t.field("visibility", Choice, words{"Visibility", "Visibilidad", "Can hide the campaign regardless of other settings.", "Oculta la campaña sin importar lo demás."}, t.choices("public", "Everyone", "Todo el mundo", "preview", "Preview only", "Solo vista previa", "hidden", "Hidden", "Oculta"), initially(`"public"`)),
		t.field("preview_enabled", Boolean, words{"Preview pages", "Páginas de vista previa", "Create preview pages for this campaign.", "Se crean páginas de vista previa de esta campaña."}, initially("false")),
		t.field("test_only", Boolean, words{"Test only", "Solo pruebas", "A test campaign, whose pledges are never charged.", "La campaña es de prueba y nunca se cobra."}, initially("false")),
		t.field("charged", Boolean, words{"Charged", "Cobrada", "The cards have already been charged.", "Las tarjetas ya se han cobrado."}, initially("false"), readOnly),
		t.field("single_tier_only", Boolean, words{"One reward per pledge", "Una recompensa por aportación", "Supporters can choose only one reward.", "Los mecenas eligen una sola recompensa."}, initially("false")),
	}
	return append(append(append(fields, t.amounts()...), t.campaignShipping()...), t.after()...)
}

// categoriesES are the Spanish names of the categories.
var categoriesES = map[string]string{
	"Short Film": "Cortometraje", "Feature Film": "Largometraje", "Documentary": "Documental", "Web Series": "Serie web",
	"Music Video": "Videoclip", "Album": "Álbum", "Board Game": "Juego de mesa", "Book": "Libro", "Other": "Otro",
}

func (t locale) amounts() []Field {
	return []Field{
		t.field("custom_amount.enabled", Boolean, words{"Contributions", "Aportaciones libres", "Supporters can pledge an amount without a reward.", "Los mecenas pueden aportar sin recompensa."}, initially("true")),
		t.field("custom_amount.min", Money, words{"Minimum contribution", "Aportación libre mínima", "In whole dollars.", "En dólares enteros."}, above(100), step(100), initially("100")),
		t.field("custom_amount.max", Money, words{"Maximum contribution", "Aportación libre máxima", "In whole dollars.", "En dólares enteros."}, above(100), step(100)),
	}
}

// delivered returns the delivery options.
func (t locale) delivered() option {
	return t.choices(campaign.StandardShipping, "Standard", "Normal", campaign.SignatureRequired, "Signature", "Con firma", campaign.AdultSignature, "Adult signature", "Con firma de un adulto")
}

func (t locale) campaignShipping() []Field {
	return []Field{
		t.field("ships_to", Countries, words{"Ships to", "Se envía a", "Countries to which rewards and add-ons are shipped, unless they list their own.", "Países a los que se envía todo lo de esta campaña que no indique los suyos."}, initially(`"`+everywhere+`"`)),
		t.field("shipping_fallback_flat_rate", Money, words{"Fallback shipping rate", "Envío sin tarifa", "Charged if the carrier gives no rate. If left out, the platform's rate applies.", "Lo que cuesta un paquete sin tarifa del transportista. Si falta, vale la de la plataforma."}),
		t.field("free_shipping", Choice, words{"Free shipping", "Envío gratis", "Inherit uses the platform's setting.", "Heredar toma lo que dice la plataforma."}, t.choices("inherit", "Inherit", "Heredar", "true", "Yes", "Sí", "false", "No", "No"), initially(`"inherit"`)),
		t.field("shipping_options", Choices, words{"Delivery options", "Opciones de entrega", "The options that supporters can choose from.", "Lo que pueden elegir los mecenas."}, t.delivered(), upTo(campaign.MaxList)),
	}
}

// after returns the fields for the time after the deadline: payment recovery and reports.
func (t locale) after() []Field {
	r := campaign.DefaultRecovery()
	return []Field{
		t.field("recovery.grace_days", Integer, words{"Payment grace period", "Días para reparar un pago", "How long after a declined charge supporters can update their card. After that the pledge is dropped.", "Cuánto tiempo tras un cobro rechazado puede el mecenas dar otra tarjeta. Después se retira la aportación."}, between(1, campaign.MaxGraceDays), unit("days"), initially(fmt.Sprint(r.GraceDays))),
		t.field("recovery.retry_days", Integers, words{"Retries", "Reintentos", "Days after the first failure on which the charge is retried: in ascending order, within the grace period.", "Los días tras el primer fallo en que se vuelve a intentar: crecientes y dentro del plazo."}, between(1, campaign.MaxGraceDays-1), unit("days"), upTo(campaignfile.MaxRetries), initially(formatDays(r.RetryDays))),
		t.field("recovery.attempts", Integer, words{"Attempts", "Intentos", "Maximum number of charge attempts.", "Cuántos cobros se intentan en total."}, between(1, campaign.MaxAttempts), initially(fmt.Sprint(r.Attempts))),
		t.field("runner_report_emails", Emails, words{"Reports go to", "Informes para", "Users with access to the reports, and addresses confirmed by a super admin. They are never shown on the site.", "Usuarios que pueden ver los informes y direcciones que ha confirmado un superadministrador. El sitio nunca las muestra."}, upTo(campaign.MaxList), requires(access.Content, access.Supporters, access.Money)),
		t.field("runner_report_excluded_emails", Emails, words{"No reports to", "Sin informes para", "Addresses that do not receive reports.", "Direcciones que no reciben ninguno."}, upTo(campaign.MaxList), requires(access.Content, access.Supporters, access.Money)),
	}
}

// delivery returns the fields for the delivery of a reward or add-on.
func (t locale) delivery() []Field {
	var presets []string
	for _, name := range shipping.PresetNames() {
		presets = append(presets, name, name, name)
	}
	measure := between(0, 9999.999)
	return []Field{
		t.field("category", Choice, words{"Delivered", "Entrega", "Physical items are shipped. An item with a shipping preset or dimensions is physical.", "Lo físico se envía. Lo que tiene modelo o paquete es físico."}, t.choices(string(campaign.Physical), "Shipped", "Por correo", string(campaign.Digital), "Digital", "Como archivo")),
		t.field("shipping_preset", Choice, words{"Shipping preset", "Modelo de envío", "A standard parcel. Use either a preset or dimensions.", "Un paquete habitual. Deja esto o las medidas."}, t.choices(presets...)),
		t.field("shipping.weight_oz", Decimal, words{"Weight", "Peso", "Without packaging.", "Sin embalaje."}, measure, together, unit("oz")),
		t.field("shipping.packaging_weight_oz", Decimal, words{"Packaging weight", "Peso del embalaje", "Added once per parcel.", "Una vez por paquete."}, measure, unit("oz")),
		t.field("shipping.length_in", Decimal, words{"Length", "Largo", "", ""}, measure, together, unit("in")),
		t.field("shipping.width_in", Decimal, words{"Width", "Ancho", "", ""}, measure, together, unit("in")),
		t.field("shipping.height_in", Decimal, words{"Height", "Alto", "", ""}, measure, together, unit("in")),
		t.field("shipping.stack_height_in", Decimal, words{"Stacking height", "Alto de cada uno más", "Height added by each additional item.", "Lo que otro igual añade al alto."}, measure, unit("in")),
		t.field("shipping.rigid", Boolean, words{"Rigid", "Rígido", "Cannot be bent.", "No se puede doblar."}, initially("false")),
		t.field("ships_to", Countries, words{"Ships to", "Se envía a", "Countries to which it is shipped. If left out, the campaign's apply.", "Países a los que se envía; si falta, los de la campaña."}),
	}
}

func formatDays(all []int) string { return strings.ReplaceAll(fmt.Sprint(all), " ", ",") }
