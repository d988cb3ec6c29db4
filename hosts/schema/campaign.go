package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

func (t locale) campaign() Document {
	return Document{Ignored: []string{"layout", "state", "pledged_amount", "progress_background", "custom_late_support"},
		Sections: []Section{
			{"settings", t.choose("Settings", "Ajustes"), t.settingsGroups(), t.campaignSettings()},
			{"content", t.choose("Content", "Contenido"), t.contentGroups(), t.content()},
			{"tiers", t.choose("Tiers", "Recompensas"),
				append(t.itemGroups(), t.heading(availability, words{"Availability", "Disponibilidad", "", ""})), t.tiers()},
			{"support_items", t.choose("Support Items", "Necesidades"), t.itemGroups(), t.supportItems()},
			{"add_ons", t.choose("Add-Ons", "Complementos"), t.itemGroups(), []Field{t.addOnList("campaign_add_ons")}},
			{"stretch_goals", t.choose("Stretch Goals", "Metas adicionales"), nil, t.stretchGoals()},
			{"ongoing_items", t.choose("Ongoing Items", "Gastos posteriores"), nil, t.ongoing()},
			{"diary", t.choose("Diary Entries", "Diario"), nil, t.diary()},
			{"decisions", t.choose("Decisions", "Decisiones"), nil, t.decisions()},
		}}
}

// heading returns a group with its texts in the locale's language.
func (t locale) heading(key string, w words) Group {
	return Group{key, t.choose(w.en, w.es), t.choose(w.help, w.ayuda)}
}

// The groups of a campaign's settings.
const (
	basics     = "basics"
	dates      = "dates"
	visibility = "visibility"
	pledging   = "pledging"
	shippingTo = "shipping"
	payments   = "payments"
	reports    = "reports"
)

func (t locale) settingsGroups() []Group {
	return []Group{
		t.heading(basics, words{"Basics", "Datos básicos", "", ""}),
		t.heading(dates,
			words{"Goal and dates", "Meta y fechas", "Supporters are charged only if pledges reach the goal by the deadline.",
				"Solo se cobra si las aportaciones alcanzan la meta antes de la fecha límite."}),
		t.heading(visibility, words{"Visibility", "Visibilidad", "", ""}),
		t.heading(pledging, words{"Pledging", "Aportaciones", "", ""}),
		t.heading(shippingTo, words{"Shipping", "Envío", "", ""}),
		t.heading(payments,
			words{"Failed payments", "Pagos fallidos", "What happens when a card is declined after the deadline.",
				"Qué pasa si se rechaza una tarjeta después de la fecha límite."}),
		t.heading(reports, words{"Reports", "Informes", "", ""}),
	}
}

func (t locale) campaignSettings() []Field {
	var categories []string
	for _, c := range campaign.Categories() {
		categories = append(categories, c, c, categoriesES[c])
	}
	fixed := t.locked(ReadOnly, "Fixed when the campaign is created, so that links keep working.",
		"Se fija al crear la campaña para que los enlaces sigan funcionando.")
	flag := t.locked(Computed, "Set by the visibility.", "Depende de la visibilidad.")
	return slices.Concat(group(basics,
		t.text("title", campaign.MaxTitle, words{"Title", "Título", "", ""}, required, minLength(1)),
		t.text("slug", campaign.MaxSlug, words{"Page address", "Dirección de la página", "", ""},
			matching(slugPattern), readOnly, fixed, control(SlugControl)),
		t.text("short_blurb", campaign.MaxBlurb, words{"Summary", "Resumen", "Shown on cards and in search results.",
			"Se muestra en las tarjetas y en los buscadores."}),
		t.field("category", Choice, words{"Category", "Categoría", "", ""}, t.choices(categories...)),
	), group(dates,
		t.field("goal_amount", Money, words{"Funding goal", "Meta", "", ""},
			between(0, float64(campaign.MaxGoal)), whenPublic),
		t.field("start_date", DateTime, words{"Starts", "Empieza", "", ""}, whenPublic,
			t.locked(Started, "Fixed since the campaign started.", "Fija desde que empezó la campaña.")),
		t.field("goal_deadline", DateTime, words{"Ends", "Termina", "", ""}, whenPublic),
	), group(visibility,
		t.field("visibility", Choice, words{"Visibility", "Visibilidad", "", ""}, t.choices(
			content.Public, "Public", "Pública", content.PreviewOnly, "Preview only", "Solo vista previa",
			content.Hidden, "Hidden", "Oculta"), initially(`"public"`)),
		t.field("published", Boolean, words{"Published", "Publicada", "", ""}, initially("true"),
			flag, control(HiddenControl)),
		t.field("preview_only", Boolean, words{"Preview only", "Solo vista previa", "", ""},
			initially("false"), flag, control(HiddenControl)),
		t.field("preview_enabled", Boolean,
			words{"Preview links", "Enlaces de vista previa", "People with a link can see the page before the launch.",
				"Quienes tengan un enlace ven la página antes del lanzamiento."}, initially("false")),
		t.field("test_only", Boolean,
			words{"Test campaign", "Campaña de prueba", "Shown in test mode only. Its pledges are never charged.",
				"Solo se ve en modo de prueba. Sus aportaciones nunca se cobran."}, initially("false")),
		t.field("charged", Boolean, words{"Charged", "Cobrada", "", ""}, initially("false"), readOnly, control(HiddenControl),
			t.locked(Computed, "Set by the settlement.", "Lo fija la liquidación.")),
	), group(pledging, append([]Field{
		t.field("single_tier_only", Boolean, words{"One reward per pledge", "Una recompensa por aportación", "", ""},
			initially("false")),
	}, t.amounts()...)...), group(shippingTo, t.campaignShipping()...), group(payments,
		t.recovery()...), group(reports, t.reports()...))
}

// categoriesES contains the Spanish names of the categories.
var categoriesES = map[string]string{
	"Short Film": "Cortometraje", "Feature Film": "Largometraje", "Documentary": "Documental", "Web Series": "Serie web",
	"Music Video": "Videoclip", "Album": "Álbum", "Board Game": "Juego de mesa", "Book": "Libro", "Other": "Otro",
}

func (t locale) amounts() []Field {
	enabled := onlyIf("custom_amount.enabled", "", "true")
	return []Field{
		t.field("custom_amount.enabled", Boolean, words{"Pledges without a reward", "Aportaciones sin recompensa",
			"Supporters can pledge any amount in this range.", "Los mecenas pueden aportar cualquier cantidad de este rango."},
			initially("true")),
		t.field("custom_amount.min", Money, words{"Smallest amount", "Cantidad mínima", "", ""},
			minimum(100), step(100), initially("100"), enabled),
		t.field("custom_amount.max", Money, words{"Largest amount", "Cantidad máxima", "", ""}, minimum(100),
			step(100), initially(strconv.Itoa(int(money.Max))), enabled),
	}
}

// deliveryChoices adds the delivery options to a field's choices.
func (t locale) deliveryChoices() option {
	return t.choices(campaign.StandardShipping, "Standard", "Normal", campaign.SignatureRequired, "Signature",
		"Con firma", campaign.AdultSignature, "Adult signature", "Firma de un adulto")
}

func (t locale) campaignShipping() []Field {
	return []Field{
		t.field("ships_to", Countries, words{"Ships to", "Se envía a", "Rewards and add-ons can list other countries.",
			"Las recompensas y los complementos pueden indicar otros países."}, initially(`"`+everywhere+`"`)),
		t.field("shipping_fallback_flat_rate", Money, words{"Flat rate", "Tarifa fija",
			"Used when no carrier quote is available.", "Si no hay tarifa del transportista."},
			inherits("shipping.fallback_flat_rate")),
		t.field("free_shipping", Choice, words{"Free shipping", "Envío gratis", "", ""},
			t.choices("inherit", "Same as platform", "Igual que la plataforma", "true", "Yes", "Sí", "false", "No", "No"),
			initially(`"inherit"`), inherits("shipping.free_shipping_default")),
		t.field("shipping_options", Choices, words{"Delivery options", "Opciones de entrega", "", ""},
			t.deliveryChoices(), maxLength(campaign.MaxList), inherits("shipping.default_option")),
		t.field("ship_disputed", Boolean, words{"Ship disputed pledges", "Enviar aportaciones en disputa",
			"Otherwise the parcels wait until the dispute is decided.",
			"Si no, los paquetes esperan a que se decida la disputa."}, initially("false")),
	}
}

// recovery returns the fields that configure how failed payments are retried.
func (t locale) recovery() []Field {
	r := campaign.DefaultRecovery()
	return []Field{
		t.field("recovery.grace_days", Integer, words{"Time to fix a payment", "Plazo para corregir un pago",
			"If the payment isn't fixed by then, the pledge is dropped.", "Si el pago no se corrige antes, la aportación se anula."},
			between(1, campaign.MaxGraceDays), unit("days"), initially(fmt.Sprint(r.GraceDays))),
		t.field("recovery.attempts", Integer, words{"Attempts", "Intentos", "", ""},
			between(1, campaign.MaxAttempts), initially(fmt.Sprint(r.Attempts))),
		t.field("recovery.retry_days", Integers, words{"Retry on days", "Reintentar los días",
			"After the first failed charge.", "Tras el primer cobro fallido."}, between(1, campaign.MaxGraceDays-1),
			unit("days"), maxLength(campaignfile.MaxRetries), initially(formatDays(r.RetryDays))),
	}
}

func (t locale) reports() []Field {
	private := requires(access.Content, access.Supporters, access.Money)
	return []Field{
		t.field("runner_report_emails", Emails, words{"Report recipients", "Destinatarios",
			"Users who may see the reports, and addresses that a super admin has confirmed.",
			"Usuarios que pueden ver los informes y direcciones que confirmó un superadministrador."},
			maxLength(campaign.MaxList), private),
		t.field("runner_report_excluded_emails", Emails, words{"Excluded recipients", "Destinatarios excluidos", "", ""},
			maxLength(campaign.MaxList), private),
	}
}

// The groups of the form that edits a reward or add-on.
const (
	deliveryGroup = "delivery"
	measures      = "measures"
	availability  = "availability"
)

func (t locale) itemGroups() []Group {
	return []Group{
		t.heading(deliveryGroup, words{"Delivery", "Entrega", "", ""}),
		t.heading(measures, words{"Weights and measurements", "Pesos y medidas", "", ""}),
	}
}

// delivery returns the delivery fields of a reward or add-on.
func (t locale) delivery() []Field {
	var presets []string
	for _, name := range shipping.PresetNames() {
		p, _ := shipping.FindPreset(name)
		presets = append(presets, name, p.About, presetsES[name])
	}
	measure := between(0, 9999.999)
	shipped := onlyIf("category", string(campaign.Physical))
	measured := func(f *Field) { shipped(f); onlyIf("shipping_preset", "")(f) }
	return append(group(deliveryGroup,
		t.field("category", Choice, words{"Delivery", "Entrega", "", ""}, t.choices(string(campaign.Physical),
			"Physical", "Física", string(campaign.Digital), "Digital", "Digital"), initially(`"digital"`)),
		t.field("shipping_preset", Choice, words{"Parcel", "Paquete", "Used to quote shipping at checkout.",
			"Para calcular el envío al pagar."}, t.choices(presets...), shipped),
		t.field("ships_to", Countries, words{"Ships to", "Se envía a", "", ""}, shipped, inherits("ships_to")),
	), group(measures,
		t.field("shipping.weight_oz", Decimal, words{"Weight", "Peso", "", ""}, measure, together, unit("oz"), measured),
		t.field("shipping.packaging_weight_oz", Decimal,
			words{"Packaging weight", "Peso del embalaje", "Per parcel.", "Por paquete."}, measure, unit("oz"), measured),
		t.field("shipping.length_in", Decimal, words{"Length", "Largo", "", ""}, measure, together, unit("in"), measured),
		t.field("shipping.width_in", Decimal, words{"Width", "Ancho", "", ""}, measure, together, unit("in"), measured),
		t.field("shipping.height_in", Decimal, words{"Height", "Alto", "", ""}, measure, together, unit("in"), measured),
		t.field("shipping.stack_height_in", Decimal, words{"Extra height per unit", "Alto adicional por unidad", "", ""},
			measure, unit("in"), measured),
		t.field("shipping.rigid", Boolean, words{"Cannot be bent", "No se puede doblar", "", ""},
			initially("false"), measured),
	)...)
}

func formatDays(all []int) string { return strings.ReplaceAll(fmt.Sprint(all), " ", ",") }
