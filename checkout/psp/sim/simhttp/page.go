package simhttp

import (
	"html/template"
	"net/http"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// payPage simulates the processor's hosted payment page.
var payPage = template.Must(template.New("pay").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Save a card (simulated)</title>
<style>body{font:1rem/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem}
label,select,button{display:block;width:100%;font:inherit;margin:.5rem 0;padding:.4rem}label{padding:0}</style></head><body>
<h1>Save a card</h1>
<p>This page simulates the payment processor. No real payment is made.</p>
{{with .Problem}}<p role="alert"><strong>{{.}}</strong></p>{{end}}
{{if .Open}}<p>For {{.Page.Email}}</p>
<form method="post"><label for="card">Test card</label><select id="card" name="card">
{{range .Cards}}<option value="{{index . 0}}">{{index . 1}} · {{index . 0}}</option>{{end}}
</select><button>Save this card</button></form>
{{with .Page.Back}}<p><a href="{{.}}">Cancel</a></p>{{end}}
{{else}}<p>This session is {{.Page.Status}}.</p>{{with .Page.Done}}<p><a href="{{.}}">Back to the shop</a></p>{{end}}{{end}}
</body></html>
`))

func (h handler) pay(w http.ResponseWriter, r *http.Request) {
	h.showPage(w, r.PathValue("session"), nil)
}

func (h handler) payDone(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("session")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := h.sim.Complete(id, r.PostFormValue("card")); err != nil {
		h.showPage(w, id, err)
		return
	}
	page, err := h.sim.Page(id)
	if err != nil || page.Done == "" {
		h.showPage(w, id, err)
		return
	}
	http.Redirect(w, r, page.Done, http.StatusSeeOther)
}

func (h handler) showPage(w http.ResponseWriter, id string, problem error) {
	page, err := h.sim.Page(id)
	if err != nil {
		reply(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	view := struct {
		Page    sim.Page
		Open    bool
		Cards   [][2]string
		Problem string
	}{page, page.Status == psp.Open, sim.Cards(), ""}
	if e := fault.Of(problem); e != nil {
		view.Problem = e.Message
		w.WriteHeader(status(e.Code))
	}
	_ = payPage.Execute(w, view) // the browser may have disconnected
}
