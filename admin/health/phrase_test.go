package health_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/locale"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// The languages have the same messages, with all plural forms.
func TestMessages_Complete(t *testing.T) {
	set, err := locale.Read(health.Messages, "messages")
	if err != nil {
		t.Fatal(err)
	}
	if len(set) < 2 || len(set.For("en").IDs()) < 100 {
		t.Errorf("%d languages with %d messages", len(set), len(set.For("en").IDs()))
	}
}

// Every message appears in a finding, and findings use no other messages. The test language is
// added without code.
func TestMessages_Used(t *testing.T) {
	set := locale.MustRead(health.Messages, "messages")
	english, marked := map[string]any{}, map[string]any{}
	for _, id := range set.For("en").IDs() {
		text := set.For("en").Format(id)
		english[id], marked[id] = text, "⟦"+id+"⟧"+text
		if strings.Contains(text, "{count}") {
			english[id], marked[id] = map[string]any{"other": text}, map[string]any{"other": marked[id]}
		}
	}
	files := fstest.MapFS{}
	for code, texts := range map[string]map[string]any{"en": english, "ja": marked} {
		b, err := json.Marshal(map[string]any{"messages": texts})
		if err != nil {
			t.Fatal(err)
		}
		files["messages/"+code+".json"] = &fstest.MapFile{Data: b}
	}
	defer health.SetLocales(locale.MustRead(files, "messages"))()
	used := map[string]bool{}
	for _, r := range allReports(t) {
		for _, f := range r.In("ja-JP").Findings {
			for _, found := range regexp.MustCompile(`⟦([^⟧]+)⟧`).FindAllStringSubmatch(f.Found+f.Remedy, -1) {
				used[found[1]] = true
			}
			if missing := regexp.MustCompile(`\{[a-z.]+\}`).FindString(f.Found + f.Remedy); missing != "" {
				t.Errorf("%s: there is no message or value %s in %q", f.ID, missing, f.Found)
			}
		}
	}
	for id := range marked {
		if !used[id] {
			t.Errorf("no finding uses the message %s", id)
		}
	}
}

// In translates the findings into Spanish and returns English ones unchanged.
func TestIn(t *testing.T) {
	m := healthy()
	m.Bound = returns(&state.Account{Mode: psp.Live, ID: "acct_2"}, nil)
	m.Backup = returns(before(90*time.Hour), nil)
	m.Campaigns = returns(health.Campaigns{Attention: []string{"night-ferry"}}, nil)
	r := m.Run(t.Context(), nil)
	texts := map[string]string{}
	for _, f := range r.In("es").Findings {
		texts[f.ID] = f.Found + " / " + f.Remedy
	}
	want := map[string]string{
		"processor.account": "La base de datos es de la cuenta acct_2, y la clave, de acct_1 / Pon en PSP_SECRET_KEY_LIVE o PSP_SECRET_KEY_TEST una clave de la cuenta de la base de datos.",
		"backup.old":        "La última copia de seguridad se hizo hace 3 días / Ejecuta pledged backup y averigua por qué no se hicieron las últimas copias.",
		"charge.attention":  "Hay cargos que necesitan una decisión: night-ferry / Dos personas confirman si se hizo el cargo en cada tarjeta, en la página Liquidación de la campaña o con pledged resolve.",
		"webhooks":          "El último llegó hace un minuto / ",
		"disk":              "Quedan libres 50 GB de 100 GB / ",
	}
	for id, text := range want {
		if texts[id] != text {
			t.Errorf("%s: %q", id, texts[id])
		}
	}
	again := m.Run(t.Context(), nil)
	if again.In("en").Findings[0].Found != r.Findings[0].Found {
		t.Error("In changed an English report")
	}
}
