package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Every column has a name in each language.
func TestHeadings_Complete(t *testing.T) {
	for _, kind := range []report.Kind{report.PledgeReport, report.FulfillmentReport, report.LeftToSend} {
		for _, lang := range []string{"en", "es"} {
			var keys []string
			for _, h := range kind.Headings(lang) {
				keys = append(keys, h.Key)
				if h.Name == "" || h.Name == h.Key || h.Kind == "" {
					t.Errorf("%s in %s: %+v", kind, lang, h)
				}
			}
			if !slices.Equal(keys, kind.Columns()) {
				t.Errorf("%s in %s: %v", kind, lang, keys)
			}
		}
	}
}

// A readable file has headings and statuses in words and local times. Amounts are still numbers.
func TestReadable(t *testing.T) {
	for name, tt := range map[string]struct {
		report report.Readable
		want   string
	}{
		"pledges": {report.Readable{Kind: report.PledgeReport, Lang: "en", Zone: at.Location()}, "" +
			"Order,Pledged (MST),Email,Status,Total,Currency,Subtotal,Shipping,Tax,Tip rate,Tip,Rewards,Add-ons,Support items and contributions,Charged (MST),Referral code,UTM source,UTM medium,UTM campaign,UTM content,Collected,Refunded\n" +
			"pw-1,2026-11-02 18:30,ada@example.org,Charged,1156.44,USD,1091.01,3.00,7.88,5,54.55,2 × Blu-ray,T-shirt (M); 3 × Tote,Sound mix 20.00; 1.01,2026-11-02 19:30,friend,mail,letter,autumn,top,1156.44,\n"},
		"envíos": {report.Readable{Kind: report.FulfillmentReport, Lang: "es", Zone: at.Location()}, "" +
			"Pedido,Envía,Nombre,Dirección,\"Dirección, línea 2\",Ciudad,Estado o provincia,Código postal,País,Correo,Opción de envío,Recompensas,Complementos,Entrega,Paquete,Empaquetado (MST),Enviado,Transportista,Número de seguimiento,Teléfono\n" +
			"pw-1,Campaña,Ada Lovelace,1 Shore Road,Flat 2,Taos,NM,87571,US,ada@example.org,standard,2 × Blu-ray,T-shirt (M),Física,Por empaquetar,,,,,\n" +
			"pw-1,Plataforma,Ada Lovelace,1 Shore Road,Flat 2,Taos,NM,87571,US,ada@example.org,standard,,3 × Tote,Física,Por empaquetar,,,,,\n"},
	} {
		var file strings.Builder
		if _, err := tt.report.WriteCSV(&file, pledgeSeq(charge(newPledge("pw-1")))); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, file.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Every status of a pledge and of a parcel has a name in each language.
func TestReadable_Statuses(t *testing.T) {
	for _, lang := range []string{"en", "es"} {
		words := map[string]bool{}
		for _, p := range []*pledge.Pledge{newPledge("pw-1"), charge(newPledge("pw-1")),
			cancel(newPledge("pw-1")), drop(newPledge("pw-1"))} {
			words[readStatus(t, lang, p)] = true
		}
		failed := newPledge("pw-1")
		failed.Status = pledge.PaymentFailed
		words[readStatus(t, lang, failed)] = true
		if len(words) != 5 {
			t.Errorf("%s: %v", lang, words)
		}
		for word := range words {
			if strings.ToLower(word) == word {
				t.Errorf("%s: %q has no name", lang, word)
			}
		}
	}
}

// readStatus returns the status cell of a pledge's row.
func readStatus(t *testing.T, lang string, p *pledge.Pledge) string {
	t.Helper()
	var file strings.Builder
	r := report.Readable{Kind: report.PledgeReport, Lang: lang, Zone: at.Location()}
	if _, err := r.WriteCSV(&file, pledgeSeq(p)); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.Split(file.String(), "\n")[1], ",")[3]
}

func TestSelect(t *testing.T) {
	var file strings.Builder
	s, err := report.PledgeReport.WriteCSV(&file, report.Select(pledgeSeq(newPledge("pw-1"),
		charge(newPledge("pw-2")), newPledge("pw-3")), pledge.Filter{Status: pledge.Charged}))
	if err != nil || s.Rows != 1 || !strings.Contains(file.String(), "\npw-2,") {
		t.Errorf("%+v, %v\n%s", s, err, file.String())
	}
}
