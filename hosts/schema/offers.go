package schema

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// id returns the field with the ID of an entry.
func (t locale) id() Field {
	return t.text("id", campaign.MaxSlug, words{"ID", "ID", "If left out, it is derived from the name. Pledges refer to it, so keep it when you change the name.", "Si falta, se deduce del nombre. Las aportaciones lo usan: mantenlo al cambiar el nombre."}, matching(slugPattern))
}

func (t locale) tiers() []Field {
	fields := slices.Concat([]Field{
		t.text("name", campaign.MaxName, words{"Name", "Nombre", "The name that supporters see.", "Lo que eligen los mecenas."}, required, atLeast(1)),
		t.id(),
		t.field("price", Money, words{"Price", "Precio", "Without shipping and tax.", "Sin envío ni impuestos."}, required, above(float64(money.MinCharge))),
		t.markdown("description", campaign.MaxDescription, words{"Description", "Descripción", "What the reward includes.", "Qué incluye."}),
		t.field("image", Media, words{"Picture", "Imagen", "", ""}),
		t.field("limit_total", Integer, words{"Limit", "Límite", "How many are available. If left out, there is no limit.", "Cuántas hay. Si falta, no hay límite."}, between(1, campaign.MaxUnits)),
		t.field("requires_threshold", Money, words{"Unlocked at", "Se abre con", "The pledged amount at which it becomes available.", "La cantidad aportada a partir de la cual se puede elegir."}, between(0, float64(campaign.MaxGoal))),
		t.field("stackable", Boolean, words{"Several at once", "Varias a la vez", "Supporters can choose more than one.", "Un mecenas puede elegir más de una."}, initially("false")),
		t.field("estimated_delivery", Month, words{"Estimated delivery", "Entrega prevista", "A month after the deadline, for example 2027-05.", "Un mes como 2027-05, después de la fecha límite."}, matching(monthPattern)),
	}, t.delivery())
	return []Field{
		t.entries("tiers", campaign.MaxList, "name", `{"name":"","price":25,"category":"digital"}`, words{"Rewards", "Recompensas", "What supporters get for their pledge.", "Lo que los mecenas eligen recibir."}, fields, ignoring("remaining", "late_support", "fields")),
		t.text("featured_tier_id", campaign.MaxSlug, words{"Featured reward", "Recompensa destacada", "The ID of the reward shown on campaign cards.", "El ID de la recompensa que muestran las tarjetas."}),
	}
}

func (t locale) supportItems() []Field {
	return []Field{t.entries("support_items", campaign.MaxList, "label", `{"label":"","target":100}`, words{"Support items", "Necesidades", "Things that supporters can fund together.", "Cosas que los mecenas pueden pagar entre todos."}, slices.Concat([]Field{
		t.text("label", campaign.MaxName, words{"Name", "Nombre", "", ""}, required, atLeast(1)),
		t.id(),
		t.text("need", campaign.MaxDescription, words{"Need", "Para qué", "Why it is needed.", "Por qué hace falta."}),
		t.field("target", Money, words{"Target", "Objetivo", "In whole dollars.", "En dólares enteros."}, step(100)),
	}, t.delivery()), ignoring("late_support"))}
}

func (t locale) addOns() Document {
	return Document{Sections: []Section{
		{"settings", t.choose("Settings", "Ajustes"), []Field{
			t.field("enabled", Boolean, words{"Sell add-ons", "Vender complementos", "Every campaign offers the platform's add-ons.", "Todas las campañas ofrecen los complementos de la plataforma."}, initially("true")),
			t.field("low_stock_threshold", Integer, words{"Low stock threshold", "Quedan pocos desde", "The site shows a low-stock notice at or below this number.", "El sitio avisa de que quedan pocos con este número."}, between(0, campaign.MaxUnits), initially("5")),
		}},
		{"products", t.choose("Add-ons", "Complementos"), []Field{t.addOnList("products")}},
	}}
}

func (t locale) addOnList(path string) Field {
	variants := t.entries("variants", campaign.MaxVariants, "label", `{"label":""}`, words{"Variants", "Variantes", "Sizes or colors, each with its own stock.", "Tallas o colores, cada una con sus existencias."}, []Field{
		t.text("label", campaign.MaxOption, words{"Name", "Nombre", "For example, M.", "Por ejemplo, M."}, required, atLeast(1)),
		t.id(),
		t.field("price", Money, words{"Price", "Precio", "If left out, the add-on's price applies.", "Si falta, el del complemento."}),
		t.field("inventory", Integer, words{"In stock", "Existencias", "If left out, there is no limit.", "Si falta, no hay límite."}, between(0, campaign.MaxUnits)),
	})
	return t.entries(path, campaign.MaxAddOns, "name", `{"name":"","price":10,"category":"digital"}`, words{"Add-ons", "Complementos", "Extras in addition to a reward.", "Extras además de una recompensa."}, slices.Concat([]Field{
		t.text("name", campaign.MaxName, words{"Name", "Nombre", "", ""}, required, atLeast(1)),
		t.id(),
		t.field("price", Money, words{"Price", "Precio", "Without shipping and tax.", "Sin envío ni impuestos."}, required),
		t.markdown("description", campaign.MaxDescription, words{"Description", "Descripción", "", ""}),
		t.field("image", Media, words{"Picture", "Imagen", "", ""}),
		t.field("inventory", Integer, words{"In stock", "Existencias", "If left out, there is no limit. With variants, each has its own stock.", "Si falta, no hay límite. Con variantes, cada una tiene las suyas."}, between(0, campaign.MaxUnits)),
		t.field("source_url", URL, words{"More information", "Más información", "A page about the add-on.", "Una página que lo muestra."}),
		t.text("variant_option_name", campaign.MaxOption, words{"Variant option", "En qué difieren las variantes", "For example, Size.", "Por ejemplo, Talla."}),
		variants,
	}, t.delivery()))
}

func (t locale) stretchGoals() []Field {
	return []Field{
		t.field("stretch_hidden", Boolean, words{"Hide stretch goals until the goal is reached", "Ocultar metas adicionales hasta alcanzar la meta", "", ""}, initially("true")),
		t.entries("stretch_goals", campaign.MaxList, "title", `{"title":"","threshold":1000}`, words{"Stretch goals", "Metas adicionales", "Amounts beyond the goal, and what they add.", "Cantidades más allá de la meta, con lo que añaden."}, []Field{
			t.text("title", campaign.MaxName, words{"Title", "Título", "", ""}, required, atLeast(1)),
			t.field("threshold", Money, words{"Amount", "Cantidad", "The pledged amount at which it is reached.", "Se alcanza cuando se aporta esto."}, between(0, float64(campaign.MaxGoal)), required),
			t.markdown("description", campaign.MaxDescription, words{"Description", "Descripción", "", ""}),
			t.text("status", campaign.MaxName, words{"Status", "Estado", "A note shown next to it.", "Lo que la página dice al lado."}),
		}),
	}
}

func (t locale) ongoing() []Field {
	return []Field{
		t.field("show_ongoing", Boolean, words{"Show ongoing items", "Mostrar gastos continuos", "", ""}, initially("false")),
		t.entries("ongoing_items", campaign.MaxList, "label", `{"label":""}`, words{"Ongoing items", "Gastos continuos", "What still needs funding after the campaign.", "Lo que queda por pagar después de la campaña."}, []Field{
			t.text("label", campaign.MaxName, words{"Name", "Nombre", "", ""}, required, atLeast(1)),
			t.field("remaining", Money, words{"Still needed", "Falta", "", ""}),
		}),
	}
}
