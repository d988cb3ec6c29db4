package schema

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// id returns the field for an entry's ID, which forms do not show.
func (t locale) id() Field {
	return t.text("id", campaign.MaxSlug, words{"ID", "ID", "", ""}, matching(slugPattern), control(HiddenControl),
		t.locked(ReadOnly, "Fixed when the entry is created, because pledges refer to it.",
			"Se fija al crear la entrada, porque las aportaciones la usan."))
}

func (t locale) tiers() []Field {
	fields := slices.Concat([]Field{
		t.text("name", campaign.MaxName, words{"Name", "Nombre", "", ""}, required, minLength(1)),
		t.id(),
		t.field("price", Money, words{"Price", "Precio", "Without shipping and tax.", "Sin envío ni impuestos."},
			required, minimum(float64(money.MinCharge))),
		t.field("limit_total", Integer, words{"Limit", "Límite", "Empty: no limit.", "Vacío: sin límite."},
			between(1, campaign.MaxUnits)),
		t.markdown("description", campaign.MaxDescription, words{"Description", "Descripción", "", ""}),
		t.field("includes", Texts, words{"Includes", "Incluye", "One part in each line.", "Una parte en cada línea."},
			maxLength(campaign.MaxIncludes), between(1, campaign.MaxName)),
		t.field("image", Media, words{"Picture", "Imagen", "", ""}),
	}, t.delivery(), group(deliveryGroup,
		t.field("estimated_delivery", Month, words{"Estimated delivery", "Entrega prevista", "", ""}, matching(monthPattern)),
	), group(availability,
		t.field("requires_threshold", Money, words{"Available from", "Disponible desde", "Locked until this much is pledged.",
			"Bloqueada hasta que se aporte esta cantidad."}, between(0, float64(campaign.MaxGoal))),
		t.field("stackable", Boolean, words{"Allow more than one", "Permitir más de una",
			"A supporter can add several to one pledge.", "Un mecenas puede añadir varias a una aportación."},
			initially("false")),
	))
	return []Field{
		t.entries("tiers", campaign.MaxList, "name", `{"name":"","price":25,"category":"digital"}`,
			words{"Rewards", "Recompensas", "", ""}, fields, ignoring("remaining", "late_support", "fields")),
		t.text("featured_tier_id", campaign.MaxSlug, words{"Featured on cards", "Destacada en las tarjetas", "", ""},
			control(ChoiceControl), func(f *Field) { f.ChoicesFrom = "tiers" }),
	}
}

func (t locale) supportItems() []Field {
	return []Field{t.entries("support_items", campaign.MaxList, "label", `{"label":"","target":100}`,
		words{"Support items", "Necesidades concretas", "Parts of the budget that supporters can fund together.",
			"Partes del presupuesto que los mecenas pueden pagar entre todos."}, slices.Concat([]Field{
			t.text("label", campaign.MaxName, words{"Name", "Nombre", "", ""}, required, minLength(1)),
			t.id(),
			t.text("need", campaign.MaxDescription, words{"What it pays for", "Qué paga", "", ""}),
			t.field("target", Money, words{"Target", "Objetivo", "", ""}, step(100)),
		}, t.delivery()), ignoring("late_support"))}
}

func (t locale) addOns() Document {
	return Document{Sections: []Section{
		{"settings", t.choose("Settings", "Ajustes"), nil, []Field{
			t.field("enabled", Boolean, words{"Offer platform add-ons", "Ofrecer complementos de la plataforma", "", ""},
				initially("true")),
			t.field("low_stock_threshold", Integer, words{"Low-stock warning at", "Avisar de pocas existencias en", "", ""},
				between(0, campaign.MaxUnits), initially("5")),
		}},
		{"products", t.choose("Add-ons", "Complementos"), t.itemGroups(), []Field{t.addOnList("products")}},
	}}
}

func (t locale) addOnList(path string) Field {
	variants := t.entries("variants", campaign.MaxVariants, "label", `{"label":""}`,
		words{"Variants", "Variantes", "", ""}, []Field{
			t.text("label", campaign.MaxOption, words{"Name", "Nombre", "", ""}, required, minLength(1)),
			t.id(),
			t.field("price", Money, words{"Price", "Precio", "", ""}, inherits("price")),
			t.field("inventory", Integer, words{"Stock", "Existencias", "Empty: no limit.", "Vacío: sin límite."},
				between(0, campaign.MaxUnits)),
		}, control(VariantsControl))
	return t.entries(path, campaign.MaxAddOns, "name", `{"name":"","price":10,"category":"digital"}`,
		words{"Add-ons", "Complementos", "", ""}, slices.Concat([]Field{
			t.text("name", campaign.MaxName, words{"Name", "Nombre", "", ""}, required, minLength(1)),
			t.id(),
			t.field("price", Money, words{"Price", "Precio", "Without shipping and tax.", "Sin envío ni impuestos."}, required),
			t.markdown("description", campaign.MaxDescription, words{"Description", "Descripción", "", ""}),
			t.field("image", Media, words{"Picture", "Imagen", "", ""}),
			t.field("inventory", Integer, words{"Stock", "Existencias", "Empty: no limit.", "Vacío: sin límite."},
				between(0, campaign.MaxUnits), onlyIf("variants", "")),
			t.field("source_url", URL,
				words{"More information", "Más información", "A page about the add-on.", "Una página sobre el complemento."}),
			t.text("variant_option_name", campaign.MaxOption,
				words{"Variants by", "Variantes por", "Size, color…", "Talla, color…"}, onlyIf("variants", "*")),
			variants,
		}, t.delivery()))
}

func (t locale) stretchGoals() []Field {
	return []Field{
		t.field("stretch_hidden", Boolean, words{"Hide until the goal is reached",
			"Ocultar hasta alcanzar la meta", "Supporters see each stretch goal once the one before is reached.",
			"Los mecenas ven cada meta adicional cuando se alcanza la anterior."}, initially("true")),
		t.entries("stretch_goals", campaign.MaxList, "title", `{"title":"","threshold":1000}`,
			words{"Stretch goals", "Metas adicionales", "", ""}, []Field{
				t.text("title", campaign.MaxName, words{"Title", "Título", "", ""}, required, minLength(1)),
				t.field("threshold", Money, words{"Reached at", "Se alcanza con", "", ""},
					between(0, float64(campaign.MaxGoal)), required),
				t.markdown("description", campaign.MaxDescription, words{"Description", "Descripción", "", ""}),
				t.text("status", campaign.MaxName,
					words{"Note", "Nota", "Shown beside the stretch goal.", "Se muestra junto a la meta adicional."}),
			}),
	}
}

func (t locale) ongoing() []Field {
	return []Field{
		t.field("show_ongoing", Boolean, words{"Show ongoing items", "Mostrar gastos posteriores", "", ""},
			initially("false")),
		t.entries("ongoing_items", campaign.MaxList, "label", `{"label":""}`, words{"Ongoing items", "Gastos posteriores",
			"What still needs funding after the campaign.", "Lo que habrá que financiar después de la campaña."}, []Field{
			t.text("label", campaign.MaxName, words{"Name", "Nombre", "", ""}, required, minLength(1)),
			t.field("remaining", Money, words{"Remaining amount", "Importe pendiente", "", ""}),
		}),
	}
}
