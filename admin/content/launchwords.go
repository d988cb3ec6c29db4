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

// frozen lists what supporters rely on.
var frozen = []bilingual{
	{"the goal", "la meta"}, {"the deadline", "la fecha límite"}, {"the currency", "la moneda"},
	{"names, prices and contents of rewards that supporters have chosen", "los nombres, precios y contenidos de las recompensas que alguien ha elegido"},
}

var (
	days   = [...]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"}
	months = [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}
)

// readBack formats a time with weekday and time zone, so that a wrong date is noticed.
func readBack(t time.Time, lang string) string {
	if lang != "es" {
		return t.Format("Monday, January 2, 2006, 3:04 PM MST")
	}
	return fmt.Sprintf("%s, %d de %s de %d, %s", days[t.Weekday()], t.Day(), months[t.Month()-1], t.Year(), t.Format("15:04 MST"))
}

func countRewards(n int, kind bilingual) bilingual {
	es := "recompensas"
	if n == 1 {
		es = "recompensa"
	}
	return bilingual{pluralize(n, joinWords(kind.en, "reward"), joinWords(kind.en, "rewards")), fmt.Sprintf("%d %s", n, joinWords(es, kind.es))}
}

// joinWords joins the words that are not empty.
func joinWords(all ...string) string { return strings.TrimSpace(strings.Join(all, " ")) }
