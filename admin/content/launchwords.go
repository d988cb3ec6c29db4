package content

import (
	"fmt"
	"strings"
	"time"
)

// bilingual is a text in both languages.
type bilingual struct{ en, es string }

func (w bilingual) in(lang string) string {
	if lang == "es" {
		return w.es
	}
	return w.en
}

// fixed lists the parts that cannot change after the launch, and frozen those that supporters
// rely on after their first pledge.
var (
	fixed = []bilingual{
		{"Page address", "Dirección de la página"}, {"Currency", "Moneda"},
		{"Start, once it has passed", "Inicio, cuando haya pasado"},
	}
	frozen = []bilingual{
		{"Funding goal", "Meta"}, {"Deadline", "Fecha límite"},
		{"Name, price and contents of claimed rewards, support items and add-ons",
			"Nombre, precio y contenido de las recompensas, necesidades y complementos elegidos"},
	}
)

var (
	days   = [...]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"}
	months = [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
		"septiembre", "octubre", "noviembre", "diciembre"}
)

// formatMoment formats a time with weekday and time zone, which makes a wrong date easier to
// notice.
func formatMoment(t time.Time, lang string) string {
	if lang != "es" {
		return t.Format("Monday, January 2, 2006, 3:04 PM MST")
	}
	return fmt.Sprintf("%s, %d de %s de %d, %s", days[t.Weekday()], t.Day(), months[t.Month()-1],
		t.Year(), t.Format("15:04 MST"))
}

func countRewards(n int, kind bilingual) bilingual {
	es := "recompensas"
	if n == 1 {
		es = "recompensa"
	}
	return bilingual{pluralize(n, joinWords(kind.en, "reward"), joinWords(kind.en, "rewards")),
		fmt.Sprintf("%d %s", n, joinWords(es, kind.es))}
}

// joinWords joins the words that are not empty.
func joinWords(all ...string) string { return strings.TrimSpace(strings.Join(all, " ")) }
